internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Threading
internal import Time

/// The doctor's checks that need parts of the configuration. Beside mistakes they run with the parts that can be read alone, because the
/// service may be healthy.
struct PartCheck: Sendable {
    /// Whether the lock of the store has been looked at, as `ServiceCheck.ports` does; true beside mistakes, where nothing looks at it.
    let hasSeenLock: Monitor<Bool>
    /// nil if the configuration has mistakes.
    private let configuration: Configuration?
    private let listen: Configuration.Listener?
    private let admin: Configuration.Admin?
    private let store: Configuration.Store?
    private let storeReason: String
    private let now: UnixSeconds
    /// The answer to `problems`, which other checks need as well.
    private let status = Monitor<Result<AdminAnswer, AdminAccess.Failure>?>(nil)

    /// - Parameter configuration: of the file; nil when it has mistakes.
    init(_ configuration: Configuration?, in file: String, now: UnixSeconds) {
        hasSeenLock = Monitor(configuration == nil)
        (self.configuration, self.now) = (configuration, now)
        listen = configuration?.listen ?? Configuration.Listener(contentsOf: file)
        admin = configuration?.admin ?? Configuration.Admin(contentsOf: file)
        store = configuration?.store ?? Configuration.Store(contentsOf: file)
        storeReason = Configuration.Store.omission(in: file) ?? Self.unreadable("store")
    }

    /// The checks that are left out, each with the reason.
    var omitted: [DoctorFinding] {
        let subjects: [DoctorFinding.Subject] = [.limits, .unit, .dns, .providers]
        let parts: [(subject: DoctorFinding.Subject, reason: String, isRead: Bool)] = [
            (.ports, Self.unreadable("listen"), listen != nil), (.service, Self.unreadable("admin"), admin != nil),
            (.store, storeReason, store != nil),
        ]
        return subjects.map { Self.omission($0, "it needs the whole configuration") }
            + parts.filter { !$0.isRead }.map { Self.omission($0.subject, $0.reason) }
    }

    private static func unreadable(_ part: String) -> String { "\(part) cannot be read" }

    private static func omission(_ subject: DoctorFinding.Subject, _ reason: String) -> DoctorFinding {
        DoctorFinding(subject, state: .warning, message: "not checked, because \(reason); correct the mistakes of the configuration first")
    }

    /// Whether the public listener answers and is ready: beside mistakes, in place of `ServiceCheck.ports`.
    func ports() -> [DoctorFinding] {
        guard let listen else { return [] }
        do throws(HealthProbe.Failure) {
            return [ServiceCheck.readiness(try HealthProbe(listen, now: now).ask(isReady: true).isWell, of: listen)]
        } catch {
            return [DoctorFinding(.ports, state: .problem, message: error.description)]
        }
    }

    /// The problems that the running service reports. The file itself shows the warnings of the configuration.
    func problems() -> [DoctorFinding] {
        guard let admin else { return [] }
        let answer = Result { () throws(AdminAccess.Failure) in
            try AdminAccess(serviceAt: admin).performInService(StatusAction())
        }
        status.update { $0 = answer }
        do throws(AdminAccess.Failure) {
            return Self.problems(in: try answer.get(), keysInFile: try? configuration?.makeAuthorizer().keysDigest)
        } catch {
            // With the whole configuration, the check of the ports judges why the service cannot be asked, and has the remedy.
            guard configuration == nil else { return [DoctorFinding(.service, state: .ok, message: "not asked: \(error.cause)")] }
            return [DoctorFinding(.service, state: .warning, message: "not asked: \(error)")]
        }
    }

    /// The problems in an answer to `StatusAction`.
    /// - Parameter keysInFile: the digest of the keys of the configuration file; nil while it has mistakes.
    static func problems(in answer: AdminAnswer, keysInFile: String?) -> [DoctorFinding] {
        guard answer.status == 200, case .object(let status) = answer.json else {
            return [DoctorFinding(.service, state: .warning, message: "not asked: the service refused the question (\(answer.status))")]
        }
        let all = ReportedProblem.all(in: status)
        var findings = all.filter { !$0.isInConfiguration }.map {
            DoctorFinding(.service, state: $0.isSevere ? .problem : .warning, message: "\($0.text) \($0.remedy)")
        }
        if let keysInFile, let inForce = status["keys_digest"]?.text, inForce != keysInFile {
            findings.append(DoctorFinding(.service, state: .warning, message: ReportedProblem.otherKeys(in: "the service")))
        }
        let besides = all.isEmpty ? "" : " but warnings of its configuration"
        return findings.isEmpty
            ? [DoctorFinding(.service, state: .ok, message: "the service that runs finds nothing wrong\(besides)")] : findings
    }

    /// Whether the store could be opened, and how it is.
    func examineStore() -> [DoctorFinding] {
        waitForLock()
        return store.map { StoreCheck(store: $0).examine { admin == nil ? nil : try? status.wait { $0 }?.get() } } ?? []
    }

    /// Whether the clock is behind the files of the store.
    func files(_ machine: MachineCheck) -> [DoctorFinding] { store.map(machine.files) ?? [] }

    func damage() -> [DoctorFinding] {
        waitForLock()
        return store.map { StoreCheck(store: $0).damage() } ?? []
    }

    /// Reading the store begins after its lock was looked at, because a look drops the locks of a reader in the same process.
    private func waitForLock() {
        _ = hasSeenLock.wait { $0 ? true : nil }
    }
}
