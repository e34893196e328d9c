internal import Dispatch
internal import Synchronization
internal import Threading

/// Detects essential threads that no longer respond.
///
/// Degraded is not dead: while the store is unavailable, the service reports it on `/readyz` and continues to authorize. A restart would
/// end that and repair nothing.
final class Liveness: Sendable {
    private let readiness: Readiness
    private let dispatcherInbox: Monitor<DispatcherInbox>
    /// Whether the public listener leaves a request without an answer. Blocks until it is known.
    private let isListenerSilent: @Sendable () -> Bool
    private let hasBeaten = Atomic<Bool>(true)
    private let stops = Atomic<Bool>(false)

    init(readiness: Readiness, dispatcherInbox: Monitor<DispatcherInbox>, isListenerSilent: @escaping @Sendable () -> Bool) {
        self.readiness = readiness
        self.dispatcherInbox = dispatcherInbox
        self.isListenerSilent = isListenerSilent
    }

    convenience init(_ service: RunningService) {
        let graph = service.graph
        self.init(readiness: graph.readiness, dispatcherInbox: graph.dispatcherInbox) { service.publicProbe.isUnanswered() }
    }

    /// The main loop runs. It calls this at least once between two calls of `silentParts`.
    func beat() { hasBeaten.store(true, ordering: .relaxed) }

    /// From now on no part is reported as silent: parts end one after the other.
    func stop() { stops.store(true, ordering: .relaxed) }

    /// Whether `stop` was called.
    var isStopping: Bool { stops.load(ordering: .relaxed) }

    /// The parts that have not responded since the last call; empty when all have. Call it at even intervals, from one thread.
    func silentParts() -> [String] {
        if isStopping { return [] }
        var parts: [String] = []
        if !hasBeaten.exchange(false, ordering: .relaxed) { parts.append("the main loop, which takes signals and reloads") }
        // It may be waiting for a disk that hangs.
        if !dispatcherInbox.requestHeartbeat(), readiness.storeRefusal == nil { parts.append("the dispatcher") }
        if isListenerSilent() { parts.append("the public listener") }
        return isStopping ? [] : parts
    }
}
