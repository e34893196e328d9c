internal import Core
internal import Time
internal import Tracing

/// The deliveries of one notifier: the running attempts, the free capacity, and the next due time. Only the dispatcher's thread may use it.
struct DeliveryLane {
    struct Running {
        let delivery: Delivery
        let start: Breaker.Start
        let startedAt: UnixMilliseconds
        /// The notifier that makes the attempt; the lane's own notifier may have been replaced since.
        let served: ServedNotifier
        /// Nil when the event is not part of a trace.
        let span: OpenSpan?
    }

    /// Milliseconds by which a lease exceeds the longest attempt, so that every outcome is known before the lease ends.
    private static let leaseMarginMilliseconds: UInt64 = 10_000

    let name: String
    private(set) var served: ServedNotifier
    /// Replaced notifiers that still have running attempts.
    private var retired: [ServedNotifier] = []
    /// Whether the notifier was removed from the configuration: then the lane starts nothing, and is removed after its last attempt.
    private(set) var isLeaving = false
    var breaker = Breaker()
    /// Whether a delivery has succeeded since the last `misconfigured` outcome, which proves that the settings are right for other devices.
    var isProven = false
    /// The pause found by this process or another one.
    var pause: SharedPause?
    /// The reason of the last attempt that failed because of the notifier; empty before the first.
    var lastFailure = ""
    /// The reason why the notifier's settings may be wrong: a rejection since which no delivery has arrived; nil without one.
    var settingsProblem: String?
    /// The number of successful attempts and of pauses that another process ended.
    var successes: UInt64 = 0
    /// The last backoff that another process announced.
    var slowedBy: SharedPause?
    /// Updates that the next claim sends to the other processes.
    var pauseUpdates: [PauseUpdate] = []
    /// Whether the next claim must read the pauses of other processes, even if no attempt may start.
    var asks = false
    var hasAsked = false
    private(set) var running: [UUIDv7: Running] = [:]
    /// The earliest due time of a delivery in the store; nil when none is pending.
    var nextDue: UnixMilliseconds? = 0

    init(name: String, served: ServedNotifier) {
        self.name = name
        self.served = served
    }

    var notifier: any Notifier { served.notifier }

    /// Replaces the notifier by another one with the same name. Running attempts end with the old one.
    mutating func replace(with next: ServedNotifier) {
        retired.append(served)
        served = next
        isLeaving = false
        if breaker.pauseReason != nil { tell(.ends) }
        breaker.reset()
        (isProven, settingsProblem) = (false, nil)
        nextDue = 0
    }

    mutating func leave() {
        guard !isLeaving else { return }
        retired.append(served)
        isLeaving = true
    }

    /// Removes and returns replaced notifiers without running attempts; the caller closes them.
    mutating func takeIdleRetired() -> [ServedNotifier] {
        let idle = retired.filter { retired in !running.values.contains { $0.served === retired } }
        retired.removeAll { retired in idle.contains { $0 === retired } }
        return idle
    }

    /// The longest delay of a delivery, in milliseconds: by its backoff, its receiver's `Retry-After`, its lease or the rate limits.
    var longestDelayMilliseconds: UInt64 {
        let policy = notifier.retryPolicy
        let rateLimits = notifier.rateLimits.map(\.windowMilliseconds).max() ?? 0
        return max(policy.ceilingMilliseconds, policy.retryAfterCeilingMilliseconds, leaseMilliseconds, rateLimits)
    }

    /// The number of attempts that may start at `now`.
    mutating func room(now: UnixMilliseconds) -> Int {
        pullInDue(now: now)
        guard !isLeaving, let nextDue, nextDue <= now else { return 0 }
        return min(breaker.permits(now: now), notifier.concurrency - running.count)
    }

    /// The used part of the concurrency, from 0 to 1.
    var occupancy: Double { Double(running.count) / Double(notifier.concurrency) }

    /// - Parameter held: milliseconds that must remain before a delivery's expiry.
    func claim(_ limit: Int, now: UnixMilliseconds, held: UInt64) -> Claim {
        Claim(
            notifier: name, now: now, leaseMilliseconds: leaseMilliseconds, limit: limit,
            longestDelayMilliseconds: longestDelayMilliseconds, heldMilliseconds: held, rateLimits: notifier.rateLimits,
            pauseUpdates: pauseUpdates)
    }

    /// Whether a new event can cause an attempt; false while a due delivery already waits for an outcome or for the breaker.
    func awaitsWork(now: UnixMilliseconds) -> Bool { !isLeaving && nextDue.map { $0 > now } ?? true }

    var leaseMilliseconds: UInt64 { notifier.longestAttemptMilliseconds + Self.leaseMarginMilliseconds }

    /// The next time at which a delivery may start without further input; nil when it needs an outcome, a message or `resume`.
    mutating func wakeAt(now: UnixMilliseconds) -> UnixMilliseconds? {
        pullInDue(now: now)
        guard !isLeaving, let nextDue, running.count < notifier.concurrency else { return nil }
        if breaker.permits(now: now) > 0 { return nextDue }
        return breaker.nextChange.map { max(nextDue, $0) }
    }

    /// After the clock was set back, `nextDue` may be later than any delay allows. In that case the lane claims at once, which makes such
    /// deliveries due.
    private mutating func pullInDue(now: UnixMilliseconds) {
        if let due = nextDue, now.remaining(until: due) > longestDelayMilliseconds { nextDue = 0 }
    }

    /// Begins an attempt.
    /// - Returns: false when an attempt of this delivery is still running, because a clock set forward has ended its lease. Its outcome
    ///   then applies to the new claim.
    mutating func begin(_ delivery: Delivery, _ span: OpenSpan? = nil, now: UnixMilliseconds) -> Bool {
        if let earlier = running[delivery.id] {
            running[delivery.id] = Running(
                delivery: delivery, start: earlier.start, startedAt: earlier.startedAt, served: earlier.served,
                span: earlier.span)
            return false
        }
        running[delivery.id] = Running(delivery: delivery, start: breaker.started(), startedAt: now, served: served, span: span)
        return true
    }

    /// Releases the leases of all running attempts, so that the next process does not have to wait until they expire.
    func handBack(now: UnixMilliseconds) -> [FinishedAttempt] {
        running.values.map {
            FinishedAttempt(id: $0.delivery.id, attempt: $0.delivery.attempts, next: .retry(at: now), reason: "stopped", now: now)
        }
    }

    /// Ends an attempt and decides on its delivery; nil when no attempt of it is running.
    /// - Parameter held: milliseconds that must remain before the delivery's expiry.
    mutating func end(
        _ id: UUIDv7, _ outcome: DeliveryOutcome, now: UnixMilliseconds, held: UInt64 = 0, random: inout some RandomNumberGenerator
    ) -> (running: Running, result: FinishedAttempt)? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        let outcome = isolated(outcome, of: ended)
        // The outcome of a replaced notifier is no evidence about the current one.
        if ended.served === served { updateBreaker(ended.start, outcome, now: now, random: &random) }
        let next = next(after: ended.delivery, outcome, now: now, expiresAt: ended.delivery.event.expiresAt + held, random: &random)
        // The next delivery of the same ticket may be due now, so query the store.
        nextDue = 0
        let update = update(of: outcome)
        let result = FinishedAttempt(
            id: id, attempt: ended.delivery.attempts, next: next, reason: outcome.reason, now: now,
            device: update == nil ? nil : ended.delivery.device, update: update,
            uncountedCall: outcome.mayHaveArrived ? nil : RateLimitedCall(ended.delivery, ended.served.notifier.rateLimits))
        return (ended, result)
    }

    private func next(
        after delivery: Delivery, _ outcome: DeliveryOutcome, now: UnixMilliseconds, expiresAt: UnixMilliseconds,
        random: inout some RandomNumberGenerator
    ) -> FinishedAttempt.Next {
        var retryAfter: UInt64?
        switch outcome.verdict {
        case .delivered: return .delivered
        case .dead, .deviceGone: return .dead
        // The message is not at fault, so it stays due and is attempted first when the settings are corrected.
        case .misconfigured: return now < expiresAt ? .retry(at: now) : .givenUp(.expired)
        case .retry(let asked): retryAfter = asked
        }
        let decision = notifier.retryPolicy.next(
            afterAttempt: delivery.attempts, now: now, expiresAt: expiresAt,
            retryAfterMilliseconds: retryAfter, random: &random)
        switch decision {
        case .retry(let at): return .retry(at: at)
        case .giveUp(let ending): return .givenUp(ending)
        }
    }

    private func update(of outcome: DeliveryOutcome) -> FinishedAttempt.DeviceUpdate? {
        if case .deviceGone(let since) = outcome.verdict { return .gone(since: since) }
        return outcome.environment.map { .environment($0) }
    }
}
