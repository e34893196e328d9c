internal import Bytes
internal import HTTPServer
internal import Observability
internal import Operators
internal import Threading
internal import Time

/// Tells operators of listeners that have no room for a connection: by a log line, a metric, and a problem while it lasts.
final class ListenerPressure: Sendable {
    private typealias Moments = [Place: (crowded: CrowdedListener, at: MonotonicMilliseconds)]

    private struct Place: Hashable {
        let listener: CrowdedListener.Name
        let isOfCaller: Bool
    }

    private let family: MetricFamily<Counter>
    private let denials: DenialLog
    private let clocks: Clocks
    private let moments = Monitor<Moments>([:])

    init(_ registry: MetricsRegistry, _ denials: DenialLog, _ clocks: Clocks) {
        (self.denials, self.clocks) = (denials, clocks)
        family = registry.counter(
            "deskgate_http_connections_over_limit_total",
            "Connections that found a bound reached: of the listener (all) or of one caller, and which one was closed for it.",
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

    /// Takes what a listener has found.
    func note(_ crowded: CrowdedListener) {
        let (limit, closed) = (crowded.bound.caller == nil ? "all" : "caller", crowded.bound.isRefused ? "newest" : "idle")
        family.child(crowded.listener.rawValue, limit, closed).increment()
        let place = Place(listener: crowded.listener, isOfCaller: crowded.bound.caller != nil)
        let now = clocks.monotonicMilliseconds()
        moments.withLock { $0[place] = (crowded, now) }
        var fields: LogFields = [
            "listener": .string(crowded.listener.rawValue), "limit": .string(limit), "closed": .string(closed),
        ]
        if let caller = crowded.bound.caller { fields.append("peer", .string(caller.description)) }
        denials.log(.warning, "no room for a connection", reason: "\(crowded.listener.rawValue) \(limit)", fields)
    }
}
