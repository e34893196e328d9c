internal import Core
internal import Time
internal import Tracing

/// The deliveries of one notifier: which attempts run, how many more may start, and when the next delivery is due.
///
/// It is a value of the dispatcher's thread.
struct DeliveryLane {
    struct Running {
        let delivery: Delivery
        let start: Breaker.Start
        let startedAt: UnixMilliseconds
        /// The notifier that makes the attempt; the lane's own may have been replaced since.
        let served: ServedNotifier
        /// The attempt's span; nil when the event belongs to no trace.
        let span: OpenSpan?
    }

    /// A lease is this much longer than the longest attempt, in milliseconds, so that every outcome is known before the lease ends.
    private static let leaseMarginMilliseconds: UInt64 = 10_000

    let name: String
    private(set) var served: ServedNotifier
    /// Replaced notifiers that still run attempts.
    private var retired: [ServedNotifier] = []
    /// Whether the notifier has left the configuration: nothing starts, and the lane goes with its last attempt.
    private(set) var isLeaving = false
    var breaker = Breaker()
    /// Whether a delivery has succeeded since the last `misconfigured` outcome, which proves the settings right for other devices.
    var isProven = false
    /// The pause that this process or another one found out.
    var pause: SharedPause?
    /// The reason of the last attempt that failed for a reason of the notifier's; empty before the first.
    var lastFailure = ""
    /// The reason for which the notifier's settings may be wrong: a refusal since which no delivery has arrived; nil without one.
    var settingsProblem: String?
    /// The number of proofs that the notifier works: successful attempts, and pauses that another process ended.
    var successes: UInt64 = 0
    /// The last slow-down that another process has shared.
    var slowedBy: SharedPause?
    /// The updates that the next claim shares with other processes.
    var pauseUpdates: [PauseUpdate] = []
    /// Whether the pauses of other processes must be read, although nothing may start.
    var asks = false
    var hasAsked = false
    private(set) var running: [UUIDv7: Running] = [:]
    /// When the store's next delivery may be due; nil when nothing is pending.
    var nextDue: UnixMilliseconds? = 0

    init(name: String, served: ServedNotifier) {
        self.name = name
        self.served = served
    }

    var notifier: any Notifier { served.notifier }

    /// Replaces the notifier by another one of the same name. Attempts under way end with the old one.
    mutating func replace(with next: ServedNotifier) {
        retired.append(served)
        served = next
        isLeaving = false
        if breaker.pauseReason != nil { tell(.ends) }
        breaker.reset()
        (isProven, settingsProblem) = (false, nil)
        nextDue = 0
    }

    /// Starts nothing more, because the notifier has left the configuration.
    mutating func leave() {
        guard !isLeaving else { return }
        retired.append(served)
        isLeaving = true
    }

    /// Removes and returns the replaced notifiers that run no attempt; the caller closes them.
    mutating func takeIdleRetired() -> [ServedNotifier] {
        let idle = retired.filter { retired in !running.values.contains { $0.served === retired } }
        retired.removeAll { retired in idle.contains { $0 === retired } }
        return idle
    }

    /// The longest time that a delivery may be put off, in milliseconds: by its backoff, its receiver's `Retry-After`, its lease or the
    /// pace.
    var longestDelayMilliseconds: UInt64 {
        let policy = notifier.retryPolicy
        let rateLimits = notifier.rateLimits.map(\.windowMilliseconds).max() ?? 0
        return max(policy.ceilingMilliseconds, policy.retryAfterCeilingMilliseconds, leaseMilliseconds, rateLimits)
    }

    /// Returns the number of attempts that may start at `now`.
    mutating func room(now: UnixMilliseconds) -> Int {
        pullInDue(now: now)
        guard !isLeaving, let nextDue, nextDue <= now else { return 0 }
        return min(breaker.permits(now: now), notifier.concurrency - running.count)
    }

    /// The used share of the concurrency, from 0 to 1.
    var occupancy: Double { Double(running.count) / Double(notifier.concurrency) }

    /// The claim of up to `limit` deliveries.
    /// - Parameter held: how many milliseconds of the clock's time do not count towards expiry.
    func claim(_ limit: Int, now: UnixMilliseconds, held: UInt64) -> Claim {
        Claim(
            notifier: name, now: now, leaseMilliseconds: leaseMilliseconds, limit: limit,
            longestDelayMilliseconds: longestDelayMilliseconds, heldMilliseconds: held, rateLimits: notifier.rateLimits,
            pauseUpdates: pauseUpdates)
    }

    /// Whether a new event can give this lane something to do: it cannot while a due delivery already waits for an outcome or for the
    /// breaker.
    func awaitsWork(now: UnixMilliseconds) -> Bool { !isLeaving && nextDue.map { $0 > now } ?? true }

    /// The length of a delivery's lease in milliseconds.
    var leaseMilliseconds: UInt64 { notifier.longestAttemptMilliseconds + Self.leaseMarginMilliseconds }

    /// When a delivery may start next if nothing but time passes; nil when it takes an outcome, news or `resume`.
    mutating func wakeAt(now: UnixMilliseconds) -> UnixMilliseconds? {
        pullInDue(now: now)
        guard !isLeaving, let nextDue, running.count < notifier.concurrency else { return nil }
        if breaker.permits(now: now) > 0 { return nextDue }
        return breaker.nextChange.map { max(nextDue, $0) }
    }

    /// After the clock was set back, `nextDue` may be later than any delay allows. Has the store asked at once, which then makes such
    /// deliveries due.
    private mutating func pullInDue(now: UnixMilliseconds) {
        if let due = nextDue, now.remaining(until: due) > longestDelayMilliseconds { nextDue = 0 }
    }

    /// Begins an attempt.
    /// - Returns: false when an attempt of this delivery is under way, because a clock set forward has ended its lease. The outcome of that
    ///   attempt then counts for the new claim.
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

    /// Releases the leases of all attempts under way: their deliveries are due at once, so the next process does not wait for the leases to
    /// end.
    func handBack(now: UnixMilliseconds) -> [FinishedAttempt] {
        running.values.map {
            FinishedAttempt(id: $0.delivery.id, attempt: $0.delivery.attempts, next: .retry(at: now), reason: "stopped", now: now)
        }
    }

    /// Ends an attempt and decides what becomes of its delivery; nil when no attempt of it is under way.
    /// - Parameter held: how many milliseconds of the clock's time do not count towards expiry.
    mutating func end(
        _ id: UUIDv7, _ outcome: DeliveryOutcome, now: UnixMilliseconds, held: UInt64 = 0, random: inout some RandomNumberGenerator
    ) -> (running: Running, result: FinishedAttempt)? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        let outcome = isolated(outcome, of: ended)
        // The outcome of a replaced notifier says nothing about the current one.
        if ended.served === served { updateBreaker(ended.start, outcome, now: now, random: &random) }
        let next = next(after: ended.delivery, outcome, now: now, expiresAt: ended.delivery.event.expiresAt + held, random: &random)
        // The next delivery of the same ticket may be due now, so the store is asked.
        nextDue = 0
        let update = update(of: outcome)
        let result = FinishedAttempt(
            id: id, attempt: ended.delivery.attempts, next: next, reason: outcome.reason, now: now,
            device: update == nil ? nil : ended.delivery.device, update: update,
            uncalled: outcome.mayHaveArrived ? nil : RateLimitedCall(ended.delivery, ended.served.notifier.rateLimits))
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
        // The message is not at fault, so it is due at once and is attempted first when the settings are corrected.
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

    /// Returns the provider's statement about the device; nil for none.
    private func update(of outcome: DeliveryOutcome) -> FinishedAttempt.DeviceUpdate? {
        if case .deviceGone(let since) = outcome.verdict { return .gone(since: since) }
        return outcome.environment.map { .environment($0) }
    }
}
