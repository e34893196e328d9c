internal import Time

/// A breaker's pause. At most one probe runs at a time.
struct Pause: Sendable, Equatable {
    let reason: BreakerState.PauseReason
    var isProbing = false
    private let probeIntervalMilliseconds: UInt64?
    /// The wait before the next probe; nil if there is no probe.
    private var wait: Wait?
    private var isOver = false

    /// - Parameter probeIntervalMilliseconds: the wait before each probe; nil for no probes.
    init(_ reason: BreakerState.PauseReason, probeIntervalMilliseconds: UInt64?, now: UnixMilliseconds) {
        self.reason = reason
        self.probeIntervalMilliseconds = probeIntervalMilliseconds
        probeEnded(now: now)
    }

    /// Whether a probe may start, as of the last `pass`.
    var permitsProbe: Bool { isOver && !isProbing }

    /// The start of the next probe; nil if there are no probes, or a probe is in progress.
    var probeAt: UnixMilliseconds? { isProbing ? nil : wait?.end }

    mutating func pass(now: UnixMilliseconds) {
        isOver = wait?.isOver(now: now) == true
    }

    /// Records a failed probe, and starts the wait for the next one.
    mutating func probeEnded(now: UnixMilliseconds) {
        isProbing = false
        isOver = false
        wait = probeIntervalMilliseconds.map { Wait(now: now, lengthMilliseconds: $0) }
    }
}

/// A wait of fixed length that does not become longer when the clock is set back.
struct Wait: Sendable, Equatable {
    private(set) var end: UnixMilliseconds
    private let lengthMilliseconds: UInt64

    /// Starts the wait now. If the end overflows, the wait never ends.
    init(now: UnixMilliseconds, lengthMilliseconds: UInt64) {
        self.lengthMilliseconds = lengthMilliseconds
        end = now.saturating(adding: lengthMilliseconds)
    }

    /// Whether the wait is over. If the remaining time exceeds the length, the clock was set back, and the wait restarts.
    mutating func isOver(now: UnixMilliseconds) -> Bool {
        if now.remaining(until: end) > lengthMilliseconds { end = now.saturating(adding: lengthMilliseconds) }
        return now >= end
    }
}

/// The state of a breaker, as shown to operators.
package enum BreakerState: Sendable, Equatable {
    package enum PauseReason: String, Sendable, CaseIterable {
        /// The provider rejects the credentials or settings, so no attempt can succeed.
        case misconfigured
        /// The destination responded 410, so it accepts no further deliveries.
        case switchedOff = "switched_off"
    }

    case closed
    case open
    case halfOpen
    /// Only probes are attempted until an operator makes a change.
    case paused(PauseReason)
}
