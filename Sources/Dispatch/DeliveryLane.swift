internal import Core

/// The deliveries of one notifier: how many run, whether more may, and when the next is due.
struct DeliveryLane {
    /// A try that runs.
    struct Running {
        let delivery: Delivery
        let start: Breaker.Start
        let startedAt: UInt64
        /// What runs it, which may have been replaced meanwhile.
        let served: ServedNotifier
    }

    /// How much longer than a try a delivery is leased, in milliseconds, so that no outcome comes after the lease's end.
    private static let leaseMarginMilliseconds: UInt64 = 10_000

    let name: String
    private(set) var served: ServedNotifier
    /// What had been served before and still runs tries.
    private var retired: [ServedNotifier] = []
    /// Whether only what runs keeps it.
    private(set) var isLeaving = false
    var breaker = Breaker()
    /// Whether something has arrived since it was last refused for its settings, so that these are right for others.
    private var isProven = false
    private(set) var running: [UUIDv7: Running] = [:]
    /// When the store may have something due, in Unix milliseconds; nil when nothing is pending.
    var nextDue: UInt64? = 0

    init(name: String, served: ServedNotifier) {
        self.name = name
        self.served = served
    }

    var notifier: any Notifier { served.notifier }

    /// Goes on with another notifier of the same name; what runs ends with the old one.
    mutating func replace(with next: ServedNotifier) {
        retired.append(served)
        served = next
        isLeaving = false
        breaker.reset()
        isProven = false
        nextDue = 0
    }

    /// Starts nothing any more, because the notifier has left the configuration.
    mutating func leave() {
        guard !isLeaving else { return }
        retired.append(served)
        isLeaving = true
    }

    /// Takes out what nothing needs any more, to be closed.
    mutating func takeIdleRetired() -> [ServedNotifier] {
        let idle = retired.filter { retired in !running.values.contains { $0.served === retired } }
        retired.removeAll { retired in idle.contains { $0 === retired } }
        return idle
    }

    /// The longest time that a delivery is put off for, in milliseconds: by its policy, by its receiver or by a lease.
    var longestDelayMilliseconds: UInt64 {
        let policy = notifier.retryPolicy
        return max(policy.ceilingMilliseconds, policy.retryAfterCeilingMilliseconds, leaseMilliseconds)
    }

    /// How many tries may start at `now`.
    mutating func room(now: UInt64) -> Int {
        heedClock(now: now)
        guard !isLeaving, let nextDue, nextDue <= now else { return 0 }
        return min(breaker.permits(nowMilliseconds: now), notifier.concurrency - running.count)
    }

    /// How much of the concurrency is in use, from 0 to 1.
    var occupancy: Double { Double(running.count) / Double(notifier.concurrency) }

    /// A wish for so many deliveries.
    /// - Parameter held: how much of the clock's time is held back from expiry, in milliseconds.
    func claim(_ limit: Int, now: UInt64, held: UInt64) -> Claim {
        Claim(
            notifier: name, now: now, leaseMilliseconds: leaseMilliseconds, limit: limit,
            longestDelayMilliseconds: longestDelayMilliseconds, heldMilliseconds: held)
    }

    /// Whether news would change anything: not where something is known to be due, and waits for an outcome or for the breaker.
    func awaitsNews(now: UInt64) -> Bool { !isLeaving && nextDue.map { $0 > now } ?? true }

    /// How long a claimed delivery is left alone, in milliseconds.
    var leaseMilliseconds: UInt64 { notifier.longestTryMilliseconds + Self.leaseMarginMilliseconds }

    /// When there may be room again by time alone, in Unix milliseconds; nil when only an outcome, news or `resume` can make some.
    mutating func wakeAt(now: UInt64) -> UInt64? {
        heedClock(now: now)
        guard !isLeaving, let nextDue, running.count < notifier.concurrency else { return nil }
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
            running[delivery.id] = Running(
                delivery: delivery, start: earlier.start, startedAt: earlier.startedAt, served: earlier.served)
            return false
        }
        running[delivery.id] = Running(delivery: delivery, start: breaker.started(), startedAt: now, served: served)
        return true
    }

    /// Gives back what still runs, due at once, so that the next process need not wait for the lease's end.
    func handBack(now: UInt64) -> [FinishedTry] {
        running.values.map {
            FinishedTry(id: $0.delivery.id, attempt: $0.delivery.attempts, next: .retry(at: now), reason: "stopped", now: now)
        }
    }

    /// Ends a try and tells what follows for the delivery; nil when it isn't running.
    /// - Parameter held: how much of the clock's time is held back when it is asked whether the delivery has expired, in milliseconds.
    mutating func end(
        _ id: UUIDv7, _ outcome: DeliveryOutcome, now: UInt64, held: UInt64 = 0, random: inout some RandomNumberGenerator
    ) -> (running: Running, result: FinishedTry)? {
        guard let ended = running.removeValue(forKey: id) else { return nil }
        let outcome = judged(outcome, of: ended)
        // What has been replaced says nothing of what took its place.
        if ended.served === served { tellBreaker(ended.start, outcome, now: now, random: &random) }
        let next = next(after: ended.delivery, outcome, now: now, expiresAt: ended.delivery.event.expiresAt + held, random: &random)
        // Another one of its ticket may be due now; the store tells.
        nextDue = 0
        let news = news(of: outcome)
        let result = FinishedTry(
            id: id, attempt: ended.delivery.attempts, next: next, reason: outcome.reason, now: now,
            device: news == nil ? nil : ended.delivery.device, news: news)
        return (ended, result)
    }

    /// What a refusal for the settings comes to when it is this delivery's alone, as of a token that belongs to another account: it was refused so
    /// before, and others have arrived since. It must not pause them again and again.
    private func judged(_ outcome: DeliveryOutcome, of ended: Running) -> DeliveryOutcome {
        guard outcome.verdict == .misconfigured, isProven, ended.served === served, ended.delivery.reason == outcome.reason else {
            return outcome
        }
        return DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true)
    }

    private mutating func tellBreaker(
        _ start: Breaker.Start, _ outcome: DeliveryOutcome, now: UInt64, random: inout some RandomNumberGenerator
    ) {
        switch outcome.verdict {
        case .misconfigured:
            isProven = false
            breaker.inconclusive(start)
            let probeAfter = notifier.probeAfterMilliseconds
            breaker.pause(probeAfter == nil ? .switchedOff : .misconfigured, probeAfterMilliseconds: probeAfter, nowMilliseconds: now)
        // Nobody has shown to be well: the next delivery may be the probe instead.
        case _ where !outcome.wasAsked: breaker.inconclusive(start)
        case .delivered:
            let isHeeded = breaker.heeds(start)
            breaker.succeeded(start)
            // What began before a refusal, and ends while it is paused, proves nothing.
            if isHeeded, breaker.pauseReason == nil { isProven = true }
        case .dead, .deviceGone: breaker.succeeded(start)
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
        after delivery: Delivery, _ outcome: DeliveryOutcome, now: UInt64, expiresAt: UInt64, random: inout some RandomNumberGenerator
    ) -> FinishedTry.Next {
        var retryAfter: UInt64?
        switch outcome.verdict {
        case .delivered: return .delivered
        case .dead, .deviceGone: return .dead
        // Not the message's fault: it is the next to be tried when somebody has mended the settings.
        case .misconfigured: return now < expiresAt ? .retry(at: now) : .givenUp(.expired)
        case .retry(let asked): retryAfter = asked
        }
        let decision = notifier.retryPolicy.next(
            afterAttempt: delivery.attempts, nowMilliseconds: now, expiresAtMilliseconds: expiresAt,
            retryAfterMilliseconds: retryAfter, random: &random)
        switch decision {
        case .retry(let at): return .retry(at: at)
        case .giveUp(let ending): return .givenUp(ending)
        }
    }

    /// What the provider has said of the device.
    private func news(of outcome: DeliveryOutcome) -> FinishedTry.DeviceNews? {
        if case .deviceGone(let since) = outcome.verdict { return .gone(since: since) }
        return outcome.environment.map { .environment($0) }
    }
}
