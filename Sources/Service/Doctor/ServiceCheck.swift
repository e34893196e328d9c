internal import AdminAPI
internal import Configuration
internal import Core
internal import HTTPServer
internal import JSON
internal import Observability
internal import POSIX
internal import Threading
internal import Time

/// The doctor's checks that need a valid configuration. Most of them apply the rules of `deskgate check`.
struct ServiceCheck: Sendable {
    let configuration: Configuration
    let logger: Logger
    let now: UnixSeconds
    let start: String
    let parts: PartCheck

    /// The findings of `deskgate check` about the configuration, and the expiry of certificates.
    /// - Parameter unreadable: the value of `Configuration.unreadableFiles`.
    func configuration(
        _ file: String, _ unreadable: (problems: [ConfigurationProblem], warnings: [ConfigurationProblem])
    ) -> [DoctorFinding] {
        let warnings = (unreadable.warnings + configuration.warnings(now: now)).map {
            DoctorFinding(.configuration, state: .warning, message: $0.line(in: file))
        }
        let names = configuration.sources.files.count - 1
        let modes = allowsInsecureSecrets ? [Self.insecure(file)] : []
        let right = DoctorFinding(
            .configuration, state: .ok,
            message: "\(file) is valid"
                + (modes.isEmpty ? "; other users cannot change it or the other files (\(names)) that it names" : ""))
        let expiries = configuration.certificateExpiries.map { listener, moment in
            DoctorFinding(
                .configuration, state: .ok,
                message: "the certificate of the \(listener) listener is valid until \(RFC3339.text(moment.milliseconds))")
        }
        let problems = unreadable.problems.map { DoctorFinding(.configuration, state: .problem, message: $0.line(in: file)) }
        return (problems.isEmpty ? [right] : problems) + modes + (warnings.isEmpty ? expiries : []) + warnings
    }

    private var allowsInsecureSecrets: Bool {
        configuration.settings.contains { $0.path == "$.allow_insecure_secrets" && $0.value == true }
    }

    private static func insecure(_ file: String) -> DoctorFinding {
        DoctorFinding(
            .configuration, state: .warning,
            message: "\(file): $.allow_insecure_secrets allows weak, shared and readable secrets; remove it except on a laptop")
    }

    /// Checks that the listeners can start, or that the running service has them open.
    func ports() -> [DoctorFinding] {
        let signs = ServiceSigns(configuration) { parts.hasSeenLock.update { $0 = true } }
        // If this user lacks a permission, the service's user may still have it, and only that user can run the other checks.
        if case .forbidden(let text) = signs.listener { return [DoctorFinding(.ports, state: .problem, message: text)] }
        let obstacles = signs.obstacles(of: configuration)
        guard obstacles.isEmpty else { return obstacles.map { DoctorFinding(.ports, state: .problem, message: "\($0)") } }
        // If the process hangs, each further request would also block until the deadline of this check.
        if case .hangs(let text) = signs.listener { return [DoctorFinding(.ports, state: .problem, message: text)] }
        do throws(HealthProbe.Failure) {
            let isWell = try HealthProbe(configuration.listen, now: now).ask(isReady: true).isWell
            let certificates = configuration.certificatesNotInForce(now: now)
            let readiness = Self.readiness(isWell, of: configuration.listen)
            return Self.findings(certificates) + [readiness] + stranger(signs.listener, certificates) + absent(signs.listener)
        } catch {
            if error.isHang || error.isRefusal { return [DoctorFinding(.ports, state: .problem, message: error.description)] }
            let certificates = configuration.certificatesNotInForce(now: now)
            let isExplained = certificates.contains { $0.path.hasPrefix("$.listen.") }
            return Self.findings(certificates) + (isExplained ? [] : [silence(signs, error)]) + stranger(signs.listener, certificates)
        }
    }

    /// Returns whether a public listener that has answered is ready.
    static func readiness(_ isReady: Bool, of listen: Configuration.Listener) -> DoctorFinding {
        isReady
            ? DoctorFinding(.ports, state: .ok, message: "the service answers on \(listen.address) and is ready")
            : DoctorFinding(.ports, state: .problem, message: "\(listen.address) answers, but is not ready; deskgate status shows why")
    }

    private static func findings(_ certificates: [ConfigurationProblem]) -> [DoctorFinding] {
        certificates.map { DoctorFinding(.ports, state: .warning, message: "\($0)") }
    }

    /// Returns the finding for a public listener that does not answer.
    private func silence(_ signs: ServiceSigns, _ failure: HealthProbe.Failure) -> DoctorFinding {
        if signs.listener == .service {
            let others = listenInForce()
            guard others.isEmpty else {
                return DoctorFinding(
                    .ports, state: .problem,
                    message:
                        "\(failure.description), because the service that runs has another listener in force (\(others.joined(separator: ", "))); "
                        + "restart it, or set the file back: deskgate config show --diff")
            }
            return DoctorFinding(
                .ports, state: .problem,
                message: "the service answers on its admin listener, but \(failure.description); check the log of the service")
        }
        if let conflict = signs.conflict {
            return DoctorFinding(
                .ports, state: .problem,
                message:
                    "\(conflict.cause), which has another configuration in force: \(failure.description). Name its file (--config), or restart "
                    + "it")
        }
        // If the system chooses the port, the check does not have its number.
        if case .tcp(_, 0) = configuration.listen.address {
            return DoctorFinding(.ports, state: .ok, message: "the service does not seem to run: \(failure.description)")
        }
        // The probe may fail for another reason, such as an expired certificate, while the service is running.
        guard failure.isSilence else { return DoctorFinding(.ports, state: .problem, message: failure.description) }
        let admin = signs.listener == .nobody ? ", and no program listens at \(configuration.admin.listener.address)" : ""
        // Services on other hosts may share the store, so this finding is only a warning, like that of `deskgate status`.
        guard !configuration.store.isShared else {
            return DoctorFinding(
                .ports, state: .warning,
                message:
                    "no service runs on this host: \(failure.description)\(admin). Services on other hosts may share the store; to start one "
                    + "here: \(start)")
        }
        let remedy =
            configuration.store.isRefusedToRoot
            ? "A start would fail because of its store, see below" : ReportedProblem.remedy(startingBy: start)
        return DoctorFinding(.ports, state: .problem, message: "the service does not run: \(failure.description)\(admin). \(remedy)")
    }

    /// Returns the keys of `listen` that differ between the running service and the file, each with the value of the running service.
    private func listenInForce() -> [String] {
        let answer = try? AdminAccess(serviceAt: configuration.admin).performInService(ShownConfigurationAction())
        let file = configuration.settings.map(\.json)
        return (answer?.json["settings"]?.elements ?? []).compactMap { setting in
            guard let path = setting["path"]?.text, path.hasPrefix("$.listen."), let value = setting["value"],
                !file.contains(where: { $0["path"]?.text == path && $0["value"] == value })
            else { return nil }
            return "\(path) is \(String(decoding: value.serialized(), as: UTF8.self))"
        }
    }

    /// Returns the warning that the public listener answers, but the admin listener does not.
    private func absent(_ listener: AdminListenerIdentity) -> [DoctorFinding] {
        guard listener == .nobody else { return [] }
        return [
            DoctorFinding(
                .ports, state: .warning,
                message:
                    "nothing answers at \(configuration.admin.listener.address) ($.admin), so the service that runs has another configuration in "
                    + "force; restart it, or set $.admin back")
        ]
    }

    private func stranger(_ listener: AdminListenerIdentity, _ certificates: [ConfigurationProblem]) -> [DoctorFinding] {
        guard case .unproven(let reason) = listener, !certificates.contains(where: { $0.path.hasPrefix("$.admin.") }) else { return [] }
        let address = configuration.admin.listener.address
        return [
            DoctorFinding(
                .ports, state: .warning,
                message:
                    "\(address) is held by a process that has not proven to know an admin token (\(reason)); \(AdminListenerIdentity.remedy)"
            )
        ]
    }

    func providers() -> [DoctorFinding] {
        do throws(NotifierTrial.Failure) {
            let trial = NotifierTrial(configuration, logger: logger)
            let notifiers = try trial.proveAll().compactMap { name, type, verdict in
                verdict.map { Self.finding("\(name) (\(type.rawValue))", $0) }
            }
            return notifiers + (try trial.proveApps().map { Self.finding("\($0.app), \($0.credential)", $0.verdict) })
        } catch {
            return [DoctorFinding(.providers, state: .problem, message: "not tried: \(error.description)")]
        }
    }

    private static func finding(_ name: String, _ verdict: NotifierVerdict) -> DoctorFinding {
        guard let remedy = verdict.remedy else { return DoctorFinding(.providers, state: .ok, message: "\(name) accepts the credential") }
        return DoctorFinding(
            .providers, state: verdict.kind == .unknown ? .warning : .problem, message: "\(name): \(verdict.reason); \(remedy)")
    }
}
