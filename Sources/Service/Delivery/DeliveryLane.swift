internal import Core

/// The deliveries of one notifier: how many run, whether more may, and when the next is due.
struct DeliveryLane {
    /// A try that runs.
    struct Running {
        let delivery: Delivery
        let start: Breaker.Start
        let startedAt: UInt64
    }

    /// How much longer than a try a delivery is leased, in milliseconds, so that no outcome comes after the lease's end.
    private static let leaseMarginMilliseconds: UInt64 = 10_000

    let name: String
    let notifier: any Notifier
    var breaker = Breaker()
    private(set) var running: [UUIDv7: Running] = [:]
    /// When the store may have something due, in Unix milliseconds; nil when nothing is pending.
    var nextDue: UInt64? = 0

    init(name: String, notifier: any Notifier) {
        self.name = name
        self.notifier = notifier
    }

    /// The longest time that a delivery is put off for, in milliseconds: by its policy, by its receiver or by a lease.
    var longestDelayMilliseconds: UInt64 {
        let policy = notifier.retryPolicy
        return max(policy.ceilingMilliseconds, policy.retryAfterCeilingMilliseconds, leaseMilliseconds)
    }

    /// How many tries may start at `now`.
    mutating func room(now: UInt64) -> Int {
        heedClock(now: now)
        guard let nextDue, nextDue <= now else { return 0 }
        return min(breaker.permits(nowMilliseconds: now), notifier.concurrency - running.count)
    }

    /// Whether news would change anything: not where something is known to be due, and waits for an outcome or for the breaker.
    func awaitsNews(now: UInt64) -> Bool { nextDue.map { $0 > now } ?? true }

    /// How long a claimed delivery is left alone, in milliseconds.
    var leaseMilliseconds: UInt64 { notifier.longestTryMilliseconds + Self.leaseMarginMilliseconds }

    /// When there may be room again by time alone, in Unix milliseconds; nil when only an outcome, news or `resume` can make some.
    mutating func wakeAt(now: UInt64) -> UInt64? {
        heedClock(now: now)
        guard let nextDue, running.count < notifier.concurrency else { return nil }
        if breaker.permits(nowMilliseconds: now) > 0 { return nextDue }
        return breaker.nextChangeMilliseconds.map { max(nextDue, $0) }
    }

    /// Has the store asked now when more time is left than there ever was, because the clock was set back: it then pulls in what waits.
    private mutating func heedClock(now: UInt64) {
        if let due = nextDue, due > now, due - now > longestDelayMilliseconds { nextDue = 0 }
    }

    /// Begins a try.
    /// - Returns: false when the delivery is being tried already, which a clock set forward brings about: that try's outcome counts for the new
    ///   claim.
    mutating func begin(_ delivery: Delivery, now: UInt64) -> Bool {
        if let earlier = running[delivery.id] {
            running[delivery.id] = Running(delivery: delivery, start: earlier.start, startedAt: earlier.startedAt)
            return false
        }
        running[delivery.id] = Running(delivery: delivery, start: breaker.started(), startedAt: now)
        return true
    }

    /// Gives back what still runs, due at once, so that the next process need not wait for the lease's end.
    func handBack(now: UInt64) -> [FinishedTry] {
        running.values.map {
            FinishedTry(id: $0.delivery.id, attempt: $0.delivery.attempts, next: .retry(at: now), reason: "stopped", now: now)
        }
    }

    /// Ends a try and tells what follows for the delivery; nil when it isn't running.
    mutating func end(
        _ id: UUIDv7, _ outcome: DeliveryOutcome, now: UInt64, random: inout some RandomNumberGenerator
    ) -> (running: Running, result: FinishedTry)? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        tellBreaker(ended.start, outcome, now: now, random: &random)
        let next = next(after: ended.delivery, outcome, now: now, random: &random)
        if case .retry(let at) = next { nextDue = min(nextDue ?? at, at) }
        // A delivery of the same ticket may have waited for this one.
        if notifier.keepsTicketOrder { nextDue = min(nextDue ?? now, now) }
        let result = FinishedTry(id: id, attempt: ended.delivery.attempts, next: next, reason: outcome.reason, now: now)
        return (ended, result)
    }

    private mutating func tellBreaker(
        _ start: Breaker.Start, _ outcome: DeliveryOutcome, now: UInt64, random: inout some RandomNumberGenerator
    ) {
        switch outcome.verdict {
        case .delivered, .dead, .deviceGone: breaker.succeeded(start)
        case .misconfigured:
            breaker.inconclusive(start)
            breaker.pause(.switchedOff)
        case .retry(let retryAfter):
            if outcome.isAboutDevice {
                breaker.succeeded(start)
            } else if outcome.slowsDown {
                breaker.inconclusive(start)
                breaker.slowDown(untilMilliseconds: now + max(retryAfter ?? 1000, 1000), nowMilliseconds: now)
            } else {
                breaker.failed(start, nowMilliseconds: now, random: &random)
            }
        }
    }

    private func next(
        after delivery: Delivery, _ outcome: DeliveryOutcome, now: UInt64, random: inout some RandomNumberGenerator
    ) -> FinishedTry.Next {
        var retryAfter: UInt64?
        switch outcome.verdict {
        case .delivered: return .delivered
        case .dead, .deviceGone: return .dead
        case .misconfigured: break
        case .retry(let asked): retryAfter = asked
        }
        let decision = notifier.retryPolicy.next(
            afterAttempt: delivery.attempts, nowMilliseconds: now, expiresAtMilliseconds: delivery.event.expiresAt,
            retryAfterMilliseconds: retryAfter, random: &random)
        switch decision {
        case .retry(let at): return .retry(at: at)
        case .giveUp(let ending): return .givenUp(ending)
        }
    }
}
