internal import Time

/// A wait of a fixed length, which never becomes longer when the clock is set back.
struct Wait: Sendable, Equatable {
    /// When it is over.
    private(set) var end: UnixMilliseconds
    private let lengthMilliseconds: UInt64

    /// Begins now; an end that overflows counts as never.
    init(now: UnixMilliseconds, lengthMilliseconds: UInt64) {
        self.lengthMilliseconds = lengthMilliseconds
        end = now.saturating(adding: lengthMilliseconds)
    }

    /// Whether it is over. If more time is left than its length, the clock was set back, and the wait begins again.
    mutating func isOver(now: UnixMilliseconds) -> Bool {
        if now.remaining(until: end) > lengthMilliseconds { end = now.saturating(adding: lengthMilliseconds) }
        return now >= end
    }
}
