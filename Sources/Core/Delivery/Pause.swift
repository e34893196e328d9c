internal import Time

/// A pause of a breaker, in which at most a probe may start at a time.
struct Pause: Sendable, Equatable {
    /// Its reason.
    let reason: BreakerState.PauseReason
    /// Whether a probe is under way.
    var isProbing = false
    private let probeAfterMilliseconds: UInt64?
    /// The time before the next probe; nil when there is none.
    private var wait: Wait?
    private var isOver = false

    /// Begins now.
    /// - Parameter probeAfterMilliseconds: how long to wait before each probe; nil for none at all.
    init(_ reason: BreakerState.PauseReason, probeAfterMilliseconds: UInt64?, now: UnixMilliseconds) {
        self.reason = reason
        self.probeAfterMilliseconds = probeAfterMilliseconds
        probeEnded(now: now)
    }

    /// Whether a probe may start, as of the last `pass`.
    var permitsProbe: Bool { isOver && !isProbing }

    /// When a probe may start; nil when there is none or one is under way.
    var probeAt: UnixMilliseconds? { isProbing ? nil : wait?.end }

    /// Updates `permitsProbe` for the time.
    mutating func pass(now: UnixMilliseconds) {
        isOver = wait?.isOver(now: now) == true
    }

    /// Ends a probe that has failed: the next one waits again.
    mutating func probeEnded(now: UnixMilliseconds) {
        isProbing = false
        isOver = false
        wait = probeAfterMilliseconds.map { Wait(now: now, lengthMilliseconds: $0) }
    }
}
