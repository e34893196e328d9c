internal import Threading

/// What the threads of one server share.
final class ListenerContext: Sendable {
    let settings: HTTP2Settings
    let opening: HTTP2Listener.OpeningHandler
    let handler: HTTP2Listener.Handler
    let counts = Monitor(HTTP2Counts())
    let streamLimit: Monitor<Int>
    let isStopped = Monitor(false)

    init(_ settings: HTTP2Settings, _ opening: @escaping HTTP2Listener.OpeningHandler, _ handler: @escaping HTTP2Listener.Handler) {
        self.settings = settings
        self.opening = opening
        self.handler = handler
        streamLimit = Monitor(settings.streamLimit)
    }

    /// Counts a connection that was accepted.
    /// - Returns: its number; nil when there is no room for it.
    func admit() -> Int? {
        counts.update { counts in
            guard counts.open < settings.connectionLimit else { return nil }
            counts.accepted += 1
            counts.open += 1
            counts.mostOpen = max(counts.mostOpen, counts.open)
            return counts.accepted - 1
        }
    }
}
