internal import Time

/// A pause of a breaker, in which at most a probe may start at a time.
struct Pause: Sendable, Equatable {
    let reason: BreakerState.PauseReason
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

/// A wait of a fixed length, which never becomes longer when the clock is set back.
struct Wait: Sendable, Equatable {
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

/// The state of a breaker, as operators see it.
package enum BreakerState: Sendable, Equatable {
    package enum PauseReason: String, Sendable, CaseIterable {
        /// The provider refuses our credentials or settings, so that no attempt can succeed.
        case misconfigured
        /// The destination has answered 410: it wants nothing more.
        case switchedOff = "switched_off"
    }

    case closed
    /// No attempt may start for a while.
    case open
    /// One probe decides whether it closes.
    case halfOpen
    /// No attempt but a probe may start until an operator has changed something.
    case paused(PauseReason)
}
