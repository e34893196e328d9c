internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Threading
internal import Time

/// The doctor's checks that need only parts of the configuration. If the configuration has mistakes, these checks run with the parts that
/// can be read separately, because a running service may be healthy.
struct PartCheck: Sendable {
    /// Whether `ServiceCheck.ports` has tested the lock of the store. True if the configuration has mistakes, because no check tests the
    /// lock then.
    let hasSeenLock: Monitor<Bool>
    /// The configuration; nil if it has mistakes.
    private let configuration: Configuration?
    private let listen: Configuration.Listener?
    private let admin: Configuration.Admin?
    private let store: Configuration.Store?
    private let storeReason: String
    private let now: UnixSeconds
    /// The cached status of the service, which several checks need.
    private let status = Monitor<Result<AdminAnswer, AdminAccess.Failure>?>(nil)

    /// - Parameter configuration: the configuration in the file; nil when it has mistakes.
    init(_ configuration: Configuration?, in file: String, now: UnixSeconds) {
        hasSeenLock = Monitor(configuration == nil)
        (self.configuration, self.now) = (configuration, now)
        listen = configuration?.listen ?? Configuration.Listener(contentsOf: file)
        admin = configuration?.admin ?? Configuration.Admin(contentsOf: file)
        store = configuration?.store ?? Configuration.Store(contentsOf: file)
        storeReason = Configuration.Store.omission(in: file) ?? Self.unreadable("store")
    }

    /// The checks that are omitted, each with the reason.
    var omitted: [DoctorFinding] {
        let subjects: [DoctorFinding.Subject] = [.limits, .unit, .dns, .providers]
        let parts: [(subject: DoctorFinding.Subject, reason: String, isRead: Bool)] = [
            (.ports, Self.unreadable("listen"), listen != nil), (.service, Self.unreadable("admin"), admin != nil),
            (.store, storeReason, store != nil),
        ]
        return subjects.map { Self.omission($0, "this check needs the whole configuration") }
            + parts.filter { !$0.isRead }.map { Self.omission($0.subject, $0.reason) }
    }

    private static func unreadable(_ part: String) -> String { "\(part) cannot be read" }

    private static func omission(_ subject: DoctorFinding.Subject, _ reason: String) -> DoctorFinding {
        DoctorFinding(subject, state: .warning, message: "not checked, because \(reason); correct the mistakes of the configuration first")
    }

    /// Checks whether the public listener answers and is ready. Replaces `ServiceCheck.ports` when the configuration has mistakes.
    func ports() -> [DoctorFinding] {
        guard let listen else { return [] }
        do throws(HealthProbe.Failure) {
            return [ServiceCheck.readiness(try HealthProbe(listen, now: now).ask(isReady: true).isWell, of: listen)]
        } catch {
            return [DoctorFinding(.ports, state: .problem, message: error.description)]
        }
    }

    /// Returns the problems that the running service reports, without warnings of the configuration, which other checks report.
    func problems() -> [DoctorFinding] {
        guard let admin else { return [] }
        let answer = Result { () throws(AdminAccess.Failure) in
            try AdminAccess(serviceAt: admin).performInService(StatusAction())
        }
        status.update { $0 = answer }
        do throws(AdminAccess.Failure) {
            return Self.problems(in: try answer.get(), keysInFile: try? configuration?.makeAuthorizer().keysDigest)
        } catch {
            // With a valid configuration, the check of the ports reports why the service cannot be queried, and the remedy.
            guard configuration == nil else { return [DoctorFinding(.service, state: .ok, message: "not asked: \(error.cause)")] }
            return [DoctorFinding(.service, state: .warning, message: "not asked: \(error)")]
        }
    }

    /// Returns the problems in an answer to `StatusAction`.
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

    /// Checks whether the store can be opened, and its state.
    func examineStore() -> [DoctorFinding] {
        waitForLock()
        return store.map { StoreCheck(store: $0).examine { admin == nil ? nil : try? status.wait { $0 }?.get() } } ?? []
    }

    /// Checks whether the clock is behind the modification times of the store's files.
    func files(_ machine: MachineCheck) -> [DoctorFinding] { store.map(machine.files) ?? [] }

    func damage() -> [DoctorFinding] {
        waitForLock()
        return store.map { StoreCheck(store: $0).damage() } ?? []
    }

    /// Waits until the lock of the store was tested, because the test releases the locks of a reader in the same process.
    private func waitForLock() {
        _ = hasSeenLock.wait { $0 ? true : nil }
    }
}
