/// Decides how many attempts one notifier may start, so that an outage of its provider costs a probe now and then, not a queue's worth of calls.
///
/// Closed, it lets all through. So many failures in a row open it for a while that grows from opening to opening; then one probe may start:
/// its success closes the breaker, its failure opens it again. Beside that, `slowDown` and `pause` stop starts for reasons that are no outage; a
/// pause may have probes of its own.
///
/// Ask `permits`, call `started` for each attempt that starts, and end each exactly once with `succeeded`, `failed` or `inconclusive`: a
/// probe that never ends keeps the breaker half open for ever. It is a value: the caller locks.
package struct Breaker: Sendable, Equatable {
    /// Proof of a start, to be given back when the attempt ends; it tells what began before the breaker last changed, and says nothing now.
    package struct Start: Sendable, Equatable {
        fileprivate let era: UInt64
    }

    /// How many failures in a row open it.
    package let failuresToOpen: Int
    /// How long it stays open, by the number of openings since it was last closed.
    package let openTime: RetryPolicy
    /// The longest time that it may be asked to slow down for, in milliseconds.
    package let longestSlowDownMilliseconds: UInt64

    private var circuit = Circuit.closed(failures: 0)
    private var openings = 0
    /// Counts the changes that make the answers of earlier attempts meaningless.
    private var era: UInt64 = 0
    private var slowDown: Wait?
    private var pause: Pause?
    /// Why nothing may start until `resume` or a probe's success; nil when something may.
    package var pauseReason: BreakerState.PauseReason? { pause?.reason }

    /// Makes a closed breaker; less than one failure to open it is a programmer's mistake and traps.
    package init(failuresToOpen: Int = 10, openTime: RetryPolicy = .breaker, longestSlowDownMilliseconds: UInt64 = 3_600_000) {
        precondition(failuresToOpen >= 1, "a breaker opens after at least one failure")
        self.failuresToOpen = failuresToOpen
        self.openTime = openTime
        self.longestSlowDownMilliseconds = longestSlowDownMilliseconds
    }

    /// How many attempts may start now (Unix milliseconds): 0, 1 for a probe, or `Int.max`.
    ///
    /// It remembers what is over, so ask it before `state` and `nextChangeMilliseconds`. Any clock is right: forward, it only probes early; set
    /// back, no time of waiting grows longer than it was.
    package mutating func permits(nowMilliseconds now: UInt64) -> Int {
        if slowDown?.isOver(nowMilliseconds: now) == true { slowDown = nil }
        if case .open(var wait) = circuit {
            circuit = wait.isOver(nowMilliseconds: now) ? .halfOpen(isProbing: false) : .open(wait)
        }
        pause?.pass(nowMilliseconds: now)
        guard slowDown == nil else { return 0 }
        if let pause { return pause.permitsProbe ? 1 : 0 }
        return switch circuit {
        case .closed: .max
        case .halfOpen(isProbing: false): 1
        case .open, .halfOpen(isProbing: true): 0
        }
    }

    /// When `permits` may rise by time alone, in Unix milliseconds; nil when only an answer or `resume` can raise it, or nothing need.
    package var nextChangeMilliseconds: UInt64? {
        if let pause { return pause.probeAtMilliseconds.map { max($0, slowDown?.endMilliseconds ?? 0) } }
        return switch circuit {
        case .closed, .halfOpen(isProbing: false): slowDown?.endMilliseconds
        case .open(let wait): max(wait.endMilliseconds, slowDown?.endMilliseconds ?? 0)
        case .halfOpen(isProbing: true): nil
        }
    }

    /// Whether the last attempt failed although the breaker is closed, or the provider has asked for less.
    package var isFailing: Bool {
        if case .closed(let failures) = circuit { return failures > 0 || slowDown != nil }
        return false
    }

    /// What it looks like to operators.
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
    /// Records that one attempt starts; starting what `permits` didn't allow is a programmer's mistake and traps.
    package mutating func started() -> Start {
        precondition(slowDown == nil && pause?.permitsProbe != false, "a breaker that is paused or slowed down permits no start")
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

    /// Whether an attempt still says something: nothing has changed since it began that makes its answer meaningless.
    package func heeds(_ start: Start) -> Bool { start.era == era }

    /// Ends an attempt that the provider has dealt with, even by refusing this one message: it is well.
    package mutating func succeeded(_ start: Start) {
        guard heeds(start) else { return }
        pause?.isProbing == true ? resume() : close()
    }

    /// Ends an attempt that failed in a way that the next one is likely to fail: no connection, no answer in time, 500, 502, 503, 504.
    package mutating func failed(_ start: Start, nowMilliseconds: UInt64, random: inout some RandomNumberGenerator) {
        guard heeds(start) else { return }
        if pause?.isProbing == true {
            pause?.probeEnded(nowMilliseconds: nowMilliseconds)
            return
        }
        if case .closed(let failures) = circuit, failures + 1 < failuresToOpen {
            circuit = .closed(failures: failures + 1)
            return
        }
        openings += 1
        era += 1
        let length = openTime.delayMilliseconds(afterAttempt: openings, retryAfterMilliseconds: nil, random: &random)
        circuit = .open(Wait(nowMilliseconds: nowMilliseconds, lengthMilliseconds: length))
    }

    /// Ends an attempt that says neither: given up at shutdown, answered 429, or ended without asking. A probe may then start again.
    package mutating func inconclusive(_ start: Start) {
        guard heeds(start) else { return }
        if pause?.isProbing == true {
            pause?.isProbing = false
        } else if case .halfOpen = circuit {
            circuit = .halfOpen(isProbing: false)
        }
    }

    /// Lets nothing start before a time (Unix milliseconds), as 429, 502 and 504 ask for; attempts under way go on.
    ///
    /// Of several times the latest counts. At most `longestSlowDownMilliseconds` from now are granted.
    package mutating func slowDown(untilMilliseconds: UInt64, nowMilliseconds now: UInt64) {
        let length = min(untilMilliseconds - min(untilMilliseconds, now), longestSlowDownMilliseconds)
        let wait = Wait(nowMilliseconds: now, lengthMilliseconds: length)
        guard var current = slowDown, !current.isOver(nowMilliseconds: now) else {
            slowDown = wait
            return
        }
        slowDown = wait.endMilliseconds > current.endMilliseconds ? wait : current
    }

    /// Lets nothing start until `resume`, or with a time to wait only a probe now and then, whose success ends the pause.
    ///
    /// What runs now says nothing any more. Of several reasons the last counts; a probe that is under way goes on.
    /// - Parameter probeAfterMilliseconds: how long to wait before each probe; nil for none at all.
    package mutating func pause(_ reason: BreakerState.PauseReason, probeAfterMilliseconds: UInt64? = nil, nowMilliseconds: UInt64 = 0) {
        let isProbing = pause?.isProbing == true
        pause = Pause(reason, probeAfterMilliseconds: probeAfterMilliseconds, nowMilliseconds: nowMilliseconds)
        if isProbing, probeAfterMilliseconds != nil {
            pause?.isProbing = true
        } else if probeAfterMilliseconds != nil {
            era += 1
        }
    }

    /// Ends a pause, and closes the breaker, since someone has changed something; a slow-down stays. Nothing when there is no pause.
    package mutating func resume() {
        guard pause != nil else { return }
        reset(keepingSlowDown: true)
    }

    /// Begins anew, because what it guards has been replaced: what runs says nothing of it.
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
    }

    private enum Circuit: Sendable, Equatable {
        case closed(failures: Int)
        case open(Wait)
        case halfOpen(isProbing: Bool)
    }
}
