package import Time

/// A circuit breaker: decides how many attempts a notifier may start, so that an outage of its provider costs one probe at a time instead
/// of an attempt per delivery.
///
/// While closed, it permits every attempt. After `failuresToOpen` consecutive failures it opens, each time for longer; then it is half open
/// and permits one probe. A successful probe closes the breaker, and a failed one opens it again. Independently, `slowDown` and `pause`
/// stop attempts for reasons other than an outage; a pause may have its own probes.
///
/// Call `permits`, call `started` for each attempt that starts, and end each attempt exactly once with `succeeded`, `failed` or
/// `inconclusive`: a probe that never ends keeps the breaker half open forever. The type is a value; the caller locks.
package struct Breaker: Sendable, Equatable {
    /// Identifies a started attempt. The outcome of an attempt from an earlier era is ignored.
    package struct Start: Sendable, Equatable {
        fileprivate let era: UInt64
    }

    /// Consecutive failures.
    package let failuresToOpen: Int
    /// The time that the breaker stays open, by the number of consecutive openings.
    package let openTime: RetryPolicy
    /// The maximum duration of a `slowDown`.
    package let longestSlowDownMilliseconds: UInt64

    private var circuit = Circuit.closed(failures: 0)
    private var openings = 0
    /// Incremented by each change after which the outcomes of earlier attempts are ignored.
    private var era: UInt64 = 0
    private var slowDown: Wait?
    /// Whether the provider has requested a lower rate since the last success. Without this, a provider that requests it every second would
    /// appear healthy.
    private var hasSlowedDown = false
    private var pause: Pause?
    /// Set until `resume` or a successful probe; nil when not paused.
    package var pauseReason: BreakerState.PauseReason? { pause?.reason }

    package init(failuresToOpen: Int = 10, openTime: RetryPolicy = .breaker, longestSlowDownMilliseconds: UInt64 = 3_600_000) {
        precondition(failuresToOpen >= 1, "a breaker must need at least one failure to open")
        self.failuresToOpen = failuresToOpen
        self.openTime = openTime
        self.longestSlowDownMilliseconds = longestSlowDownMilliseconds
    }

    /// Returns the number of attempts that may start now: 0, 1 for a probe, or `Int.max`.
    ///
    /// Also updates `state` and `nextChange`, so call it before reading them. If the clock is set forward, a probe starts early; if it is
    /// set back, no wait becomes longer than it was.
    package mutating func permits(now: UnixMilliseconds) -> Int {
        if slowDown?.isOver(now: now) == true { slowDown = nil }
        if case .open(var wait) = circuit {
            circuit = wait.isOver(now: now) ? .halfOpen(isProbing: false) : .open(wait)
        }
        pause?.pass(now: now)
        guard slowDown == nil else { return 0 }
        if let pause { return pause.permitsProbe ? 1 : 0 }
        return switch circuit {
        case .closed: .max
        case .halfOpen(isProbing: false): 1
        case .open, .halfOpen(isProbing: true): 0
        }
    }

    /// The time at which `permits` may rise without an outcome or `resume`; nil when it cannot, or when every attempt is permitted.
    package var nextChange: UnixMilliseconds? {
        if let pause { return pause.probeAt.map { max($0, slowDown?.end ?? 0) } }
        return switch circuit {
        case .closed, .halfOpen(isProbing: false): slowDown?.end
        case .open(let wait): max(wait.end, slowDown?.end ?? 0)
        case .halfOpen(isProbing: true): nil
        }
    }

    /// Whether the breaker is closed, but the last attempt failed or the provider has requested a lower rate since the last success.
    package var isFailing: Bool {
        if case .closed(let failures) = circuit { return failures > 0 || hasSlowedDown }
        return false
    }

    package var state: BreakerState {
        if let pauseReason { return .paused(pauseReason) }
        return switch circuit {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }
}

extension Breaker {
    /// Records the start of an attempt. Traps when `permits` did not allow it.
    package mutating func started() -> Start {
        precondition(slowDown == nil && pause?.permitsProbe != false, "a paused or slowed breaker permits no start")
        if pause != nil {
            pause?.isProbing = true
            return Start(era: era)
        }
        switch circuit {
        case .closed: break
        case .halfOpen(isProbing: false): circuit = .halfOpen(isProbing: true)
        case .open, .halfOpen(isProbing: true): preconditionFailure("an open breaker permits no start")
        }
        return Start(era: era)
    }

    /// Whether the outcome of an attempt is still valid: no change since its start has invalidated it.
    package func isCurrent(_ start: Start) -> Bool { start.era == era }

    /// Ends an attempt to which the provider responded, even with a rejection of this one message: the provider is healthy.
    package mutating func succeeded(_ start: Start) {
        guard isCurrent(start) else { return }
        pause?.isProbing == true ? resume() : close()
    }

    /// Ends an attempt whose failure is likely to repeat: no connection, no response in time, 500, 502, 503, 504.
    package mutating func failed(_ start: Start, now: UnixMilliseconds, random: inout some RandomNumberGenerator) {
        guard isCurrent(start) else { return }
        if pause?.isProbing == true {
            pause?.probeEnded(now: now)
            return
        }
        if case .closed(let failures) = circuit, failures + 1 < failuresToOpen {
            circuit = .closed(failures: failures + 1)
            return
        }
        openings += 1
        era += 1
        let length = openTime.delayMilliseconds(afterAttempt: openings, retryAfterMilliseconds: nil, random: &random)
        circuit = .open(Wait(now: now, lengthMilliseconds: length))
    }

    /// Ends an attempt that is no evidence of either: cancelled at shutdown, answered 429, or ended before sending. A probe may then start
    /// again.
    package mutating func inconclusive(_ start: Start) {
        guard isCurrent(start) else { return }
        if pause?.isProbing == true {
            pause?.isProbing = false
        } else if case .halfOpen = circuit {
            circuit = .halfOpen(isProbing: false)
        }
    }

    /// Permits no attempt before a time, as requested by 429, 502 and 504; attempts in progress continue. The latest of several times is
    /// used, at most `longestSlowDownMilliseconds` from now.
    package mutating func slowDown(until: UnixMilliseconds, now: UnixMilliseconds) {
        hasSlowedDown = true
        let length = min(now.remaining(until: until), longestSlowDownMilliseconds)
        let wait = Wait(now: now, lengthMilliseconds: length)
        guard var current = slowDown, !current.isOver(now: now) else {
            slowDown = wait
            return
        }
        slowDown = wait.end > current.end ? wait : current
    }

    /// Permits no attempt until `resume`. The last of several reasons is reported.
    /// - Parameter probeIntervalMilliseconds: the wait before each probe, whose success ends the pause; outcomes of other attempts in
    ///   progress are then ignored. Nil for no probes.
    package mutating func pause(_ reason: BreakerState.PauseReason, probeIntervalMilliseconds: UInt64? = nil, now: UnixMilliseconds = 0) {
        let isProbing = pause?.isProbing == true
        pause = Pause(reason, probeIntervalMilliseconds: probeIntervalMilliseconds, now: now)
        if isProbing, probeIntervalMilliseconds != nil {
            pause?.isProbing = true
        } else if probeIntervalMilliseconds != nil {
            era += 1
        }
    }

    /// Ends a pause and closes the breaker; a slow-down remains. Does nothing without a pause.
    package mutating func resume() {
        guard pause != nil else { return }
        reset(keepingSlowDown: true)
    }

    /// Returns to the initial state because the notifier was replaced. Outcomes of attempts in progress are ignored.
    package mutating func reset() {
        reset(keepingSlowDown: false)
    }

    private mutating func reset(keepingSlowDown: Bool) {
        pause = nil
        if !keepingSlowDown { slowDown = nil }
        close()
        era += 1
    }

    private mutating func close() {
        if case .closed = circuit {} else { era += 1 }
        circuit = .closed(failures: 0)
        openings = 0
        hasSlowedDown = slowDown != nil
    }

    private enum Circuit: Sendable, Equatable {
        case closed(failures: Int)
        case open(Wait)
        case halfOpen(isProbing: Bool)
    }
}
