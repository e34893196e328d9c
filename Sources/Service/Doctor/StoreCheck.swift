internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import POSIX
internal import Storage
internal import Time

struct StoreCheck: Sendable {
    /// The tolerated difference between the clocks of the database and of this machine, in milliseconds.
    private static let clockTolerance: UInt64 = TimeLimit.milliseconds(5000)

    let store: Configuration.Store

    /// Checks whether the store can be opened, and its state.
    /// - Parameter status: waits for the status of the running service, which may have the store open; nil when no service can be queried.
    func examine(besides status: () -> AdminAnswer?) -> [DoctorFinding] {
        if let lost = lostDatabase(status) { return [lost] }
        let obstacles = store.obstacles + [store.problem].compactMap(\.self)
        guard obstacles.isEmpty else { return obstacles.map { DoctorFinding(.store, state: .problem, message: "\($0)") } }
        switch store.kind {
        case .memory:
            return [
                DoctorFinding(
                    .store, state: .warning, message: "the store is memory: a restart loses pending deliveries; set store.type")
            ]
        case .sqlite(let path) where !File.exists(path):
            return [DoctorFinding(.store, state: .ok, message: "\(path) will be made by the first start")]
        case .sqlite, .postgres: break
        }
        do throws(StoreError) {
            let report = try store.report()
            let schema = report.version == report.latest ? "" : ", which this version migrates to \(report.latest) when it starts"
            let state = DoctorFinding(
                .store, state: .ok,
                message: "\(report.place) has the schema version \(report.version)\(schema), and \(report.bytes >> 20) MiB")
            return [state] + (report.server.map(findings) ?? [])
        } catch {
            return [DoctorFinding(.store, state: .warning, message: "\(error)")]
        }
    }

    /// Detects that the running service has a database open whose file is missing from its path. If the service reports no problem of its
    /// store, or one about another path, it uses another configuration than the file.
    private func lostDatabase(_ status: () -> AdminAnswer?) -> DoctorFinding? {
        guard case .sqlite(let path) = store.kind, !File.exists(path), case .object(let status)? = status()?.json,
            status["revocations"]?["source"]?.text == RevocationStatus.Source.store.rawValue,
            ReportedProblem.all(in: status).contains(where: { $0.isInStore && "\($0.text) \($0.remedy)".contains(path) })
        else { return nil }
        return DoctorFinding(
            .store, state: .problem,
            message:
                "\(path) is missing, but the service that runs has opened it; put the database back, as the service itself says, before you "
                + "restart: a start would not find it")
    }

    private func findings(on server: ServerReport) -> [DoctorFinding] {
        let seen = server.warnings.map { DoctorFinding(.store, state: .warning, message: $0) } + blindSpot(of: server)
        guard server.clockOffsetMilliseconds.magnitude > Self.clockTolerance else { return seen }
        let offset = "\(server.clockOffsetMilliseconds.magnitude / 1000) s \(server.clockOffsetMilliseconds > 0 ? "ahead of" : "behind")"
        return [
            DoctorFinding(
                .clock, state: .problem, message: "the database's clock is \(offset) this machine's clock; synchronise both with NTP")
        ] + seen
    }

    /// Not a warning, because the service does not need a role that can read all statistics.
    private func blindSpot(of server: ServerReport) -> [DoctorFinding] {
        server.blindSpot.map { [DoctorFinding(.store, state: .ok, message: $0)] } ?? []
    }

    /// Checks the pages of a SQLite store for damage.
    func damage() -> [DoctorFinding] {
        guard case .sqlite(let path) = store.kind, File.exists(path) else { return [] }
        do throws(StoreError) {
            guard let first = try StoreFile.damage(path).first else {
                return [DoctorFinding(.store, state: .ok, message: "no page of \(path) is damaged")]
            }
            return [
                DoctorFinding(.store, state: .problem, message: "\(path) is damaged: \(first); restore a backup: deskgate store restore")
            ]
        } catch {
            return [
                DoctorFinding(.store, state: error.kind == .corrupt ? .problem : .warning, message: "not searched for damage: \(error)")
            ]
        }
    }
}
