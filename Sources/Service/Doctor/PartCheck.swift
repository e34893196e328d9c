internal import Configuration
internal import Operators
internal import Time

/// The doctor's checks beside a configuration with mistakes: the service, which may be healthy, and each part that can be read alone.
struct PartCheck: Sendable {
    private let now: UnixSeconds
    private let listen: Configuration.Listener?
    private let admin: Configuration.Admin?
    private let store: Configuration.Store?
    private let storeReason: String

    init(_ file: String, now: UnixSeconds) {
        self.now = now
        listen = Configuration.Listener(contentsOf: file)
        admin = Configuration.Admin(contentsOf: file)
        store = Configuration.Store(contentsOf: file)
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
        DoctorFinding(subject, .warning, "not checked, because \(reason); correct the mistakes of the configuration first")
    }

    /// Whether the public listener answers and is ready.
    func ports() -> [DoctorFinding] {
        guard let listen else { return [] }
        do throws(HealthProbe.Failure) {
            return [ServiceCheck.readiness(try HealthProbe(listen, now: now).ask(isReady: true).isWell, of: listen)]
        } catch {
            return [DoctorFinding(.ports, .problem, error.description)]
        }
    }

    /// The problems that the running service finds.
    func problems() -> [DoctorFinding] {
        guard let admin else { return [] }
        do throws(AdminAccess.Failure) {
            return ServiceCheck.problems(in: try AdminAccess(serviceAt: admin).performInService(StatusAction()), keysInFile: nil)
        } catch {
            return [DoctorFinding(.service, .warning, "not asked: \(error)")]
        }
    }

    /// Whether the store could be opened, and how it is.
    func examineStore() -> [DoctorFinding] {
        let service = admin.map { AdminAccess(serviceAt: $0) }
        return store.map { StoreCheck(store: $0).examine(besides: service) } ?? []
    }

    /// Whether the clock is behind the files of the store.
    func files(_ machine: MachineCheck) -> [DoctorFinding] { store.map(machine.files) ?? [] }

    /// Whether pages of the store are damaged.
    func damage() -> [DoctorFinding] { store.map { StoreCheck(store: $0).damage() } ?? [] }
}
