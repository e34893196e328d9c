internal import Time

/// A breaker's pause. At most one probe runs at a time.
struct Pause: Sendable, Equatable {
    let reason: BreakerState.PauseReason
    var isProbing = false
    private let probeIntervalMilliseconds: UInt64?
    /// The wait before the next probe; nil: no probe.
    private var wait: Wait?
    private var isOver = false

    /// - Parameter probeIntervalMilliseconds: the wait before each probe; nil: no probes.
    init(_ reason: BreakerState.PauseReason, probeIntervalMilliseconds: UInt64?, now: UnixMilliseconds) {
        self.reason = reason
        self.probeIntervalMilliseconds = probeIntervalMilliseconds
        probeEnded(now: now)
    }

    /// Whether a probe may start, as of the last `pass`.
    var permitsProbe: Bool { isOver && !isProbing }

    /// The start of the next probe; nil: no probes, or one is under way.
    var probeAt: UnixMilliseconds? { isProbing ? nil : wait?.end }

    mutating func pass(now: UnixMilliseconds) {
        isOver = wait?.isOver(now: now) == true
    }

    /// Records a failed probe. The next one waits again.
    mutating func probeEnded(now: UnixMilliseconds) {
        isProbing = false
        isOver = false
        wait = probeIntervalMilliseconds.map { Wait(now: now, lengthMilliseconds: $0) }
    }
}

/// A wait of a fixed length that never becomes longer when the clock is set back.
struct Wait: Sendable, Equatable {
    private(set) var end: UnixMilliseconds
    private let lengthMilliseconds: UInt64

    /// Starts now. An end that overflows means never.
    init(now: UnixMilliseconds, lengthMilliseconds: UInt64) {
        self.lengthMilliseconds = lengthMilliseconds
        end = now.saturating(adding: lengthMilliseconds)
    }

    /// Whether the wait is over. If more time is left than its length, the clock was set back, and the wait restarts.
    mutating func isOver(now: UnixMilliseconds) -> Bool {
        if now.remaining(until: end) > lengthMilliseconds { end = now.saturating(adding: lengthMilliseconds) }
        return now >= end
    }
}

/// The state of a breaker, as operators see it.
package enum BreakerState: Sendable, Equatable {
    package enum PauseReason: String, Sendable, CaseIterable {
        /// The provider rejects our credentials or settings, so no attempt can succeed.
        case misconfigured
        /// The destination responded 410: it wants no more deliveries.
        case switchedOff = "switched_off"
    }

    case closed
    case open
    case halfOpen
    /// No attempt but a probe starts until an operator changes something.
    case paused(PauseReason)
}
