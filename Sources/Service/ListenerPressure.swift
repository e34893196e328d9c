internal import AdminAPI
internal import Bytes
internal import Core
internal import HTTPServer
internal import Observability
internal import Threading
internal import Time

/// Reports listeners without room for a connection or a body: with a log line, a metric, and a temporary problem.
final class ListenerPressure: Sendable {
    private typealias Moments = [Place: (crowded: CrowdedListener, at: MonotonicMilliseconds)]

    private struct Place: Hashable {
        let listener: CrowdedListener.Name
        let isOfCaller: Bool?
    }

    private let family: MetricFamily<Counter>
    private let denials: DenialLog
    private let clocks: Clocks
    private let moments = Monitor<Moments>([:])

    init(_ registry: MetricsRegistry, denials: DenialLog, clocks: Clocks) {
        (self.denials, self.clocks) = (denials, clocks)
        family = registry.counter(
            "deskgate_http_connections_over_limit_total",
            "Connections beyond a limit: of the listener (all) or of one caller, and the connection that was closed for it.",
            labels: ["listener", "limit", "closed"])
        for listener in CrowdedListener.Name.allCases {
            for limit in ["all", "caller"] {
                for closed in ["idle", "newest"] { _ = family.child(listener.rawValue, limit, closed) }
            }
        }
    }

    /// The listeners that had no room within the last minute.
    var crowded: [CrowdedListener] {
        let now = clocks.monotonicMilliseconds()
        let recent = moments.withLock { $0.values.filter { now.elapsed(since: $0.at) < CrowdedListener.shownMilliseconds } }
        return recent.sorted { $0.at < $1.at }.map(\.crowded)
    }

    /// Records a body without room.
    func noteBody(_ listener: CrowdedListener.Name, peer: String) {
        let now = clocks.monotonicMilliseconds()
        moments.withLock { $0[Place(listener: listener, isOfCaller: nil)] = (CrowdedListener(listener, nil), now) }
        denials.log(
            .warning, message: "no room for a body", reason: listener.rawValue,
            fields: ["listener": .string(listener.rawValue), "peer": .string(peer), "remedy": .string(listener.remedyOfBodies.english)])
    }

    /// Records a connection beyond a limit.
    func note(_ listener: CrowdedListener.Name, _ bound: ReachedBound) {
        let (crowded, limit) = (CrowdedListener(listener, bound), bound.caller == nil ? "all" : "caller")
        let closed = bound.isRefused ? "newest" : "idle"
        family.child(crowded.listener.rawValue, limit, closed).increment()
        let place = Place(listener: crowded.listener, isOfCaller: bound.caller != nil)
        let now = clocks.monotonicMilliseconds()
        moments.withLock { $0[place] = (crowded, now) }
        var fields: LogFields = [
            "listener": .string(crowded.listener.rawValue), "limit": .string(limit), "closed": .string(closed),
        ]
        if let caller = bound.caller { fields.append("peer", .string(caller.description)) }
        denials.log(.warning, message: "no room for a connection", reason: "\(crowded.listener.rawValue) \(limit)", fields: fields)
    }
}
