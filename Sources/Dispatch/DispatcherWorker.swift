internal import Core
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// The dispatcher's thread. Each pass collects and reports outcomes, claims and starts due deliveries, and then waits for messages or the
/// next due time.
final class DispatcherWorker: Sendable {
    private static let storeRetryMilliseconds: UInt64 = 1000
    private static let longestWaitMilliseconds: UInt64 = 60_000

    let store: any Store
    /// The notifiers that receive events about removed devices, from the current configuration.
    let audience: @Sendable () -> RegistryAudience
    let retention: Retention
    private let metrics: DeliveryMetrics
    let logger: Logger
    private let clocks: Clocks
    private let tracer: Tracer?
    let onLostCalls: @Sendable ([BotCall]) -> Void
    let inbox: Monitor<DispatcherInbox>

    init(
        store: any Store, audience: @escaping @Sendable () -> RegistryAudience, retention: Retention, metrics: DeliveryMetrics,
        logger: Logger,
        clocks: Clocks, inbox: Monitor<DispatcherInbox>, tracer: Tracer?, onLostCalls: @escaping @Sendable ([BotCall]) -> Void
    ) {
        self.store = store
        self.audience = audience
        self.retention = retention
        self.metrics = metrics
        self.logger = logger
        self.clocks = clocks
        self.inbox = inbox
        self.tracer = tracer
        self.onLostCalls = onLostCalls
    }

    func run() {
        var lanes: [DeliveryLane] = []
        var unreported: [FinishedAttempt] = []
        var log = NotifierLog(logger)
        var opener = ClockJumpTracker(clocks, store: store, retention: retention, logger: logger)
        var refused = RefusedTally()
        var (purgeAt, askedAt): (UnixMilliseconds, UnixMilliseconds) = (0, 0)
        var (isStopping, isAbandoned, isHeldBack) = (false, false, false)
        while !isAbandoned {
            let time = waitingTime(&lanes, purgeAt, asksSoon: !unreported.isEmpty || isHeldBack, isStopping: isStopping)
            let messages = inbox.wait(timeoutMilliseconds: time) { $0.take() }
            (isStopping, isAbandoned) = inbox.withLock { ($0.isStopping, $0.isAbandoned) }
            let isTimeKnown = opener.readClocks()
            let status = store.replicaStatus
            isHeldBack = !isTimeKnown || !status.isOnline
            let now = opener.now
            takeIn(messages, lanes: &lanes, unreported: &unreported, now: now, opener: opener, log: &log)
            if shouldPollStore(&askedAt, now) {
                for index in lanes.indices { (lanes[index].nextDue, lanes[index].asks) = (0, true) }
                unreported += releaseUnknownClaims(lanes, unreported: unreported, now: now)
            }
            if isAbandoned { unreported += lanes.flatMap { $0.handBack(now: now) } }
            closeReplaced(&lanes)
            var untried = UnattemptedDeliveries()
            work(&lanes, finished: &unreported, now: now, opener: opener, startsAttempts: !isStopping && !isHeldBack, untried: &untried)
            let unfinished = lanes.reduce(unreported.count) { $0 + $1.running.count }
            let awaitsWork = lanes.contains { $0.awaitsWork(now: now) }
            // No other thread waits for these values, so no thread is woken.
            inbox.withLock { inbox in
                (inbox.unfinished, inbox.awaitsWork) = (unfinished, awaitsWork)
                for lane in lanes {
                    inbox.health[lane.name] = NotifierHealth(
                        status: BreakerStatus(lane.breaker), pauseReason: lane.breaker.pauseReason, lastFailure: lane.lastFailure,
                        settingsProblem: lane.settingsProblem, successes: lane.successes,
                        nextAttemptAt: lane.breaker.nextChange)
                }
            }
            if isStopping, unfinished == 0 { break }
            if !isStopping, isTimeKnown, purge(&purgeAt, now: now, opener: opener, status: status, untried: &untried) {
                for index in lanes.indices { lanes[index].nextDue = 0 }
            }
            untried.report(metrics, &log)
            refused.report(store.refused, metrics: metrics, log: &log)
            log.writeDue(now: now)
        }
        log.writeDue(now: clocks.unixMilliseconds(), isLast: true)
        inbox.update { $0.hasEnded = true }
    }

    /// Whether to claim for all lanes, because other processes use the store too.
    private func shouldPollStore(_ askedAt: inout UnixMilliseconds, _ now: UnixMilliseconds) -> Bool {
        guard let interval = store.pollMilliseconds, now < askedAt || now.elapsed(since: askedAt) >= interval else { return false }
        askedAt = now
        return true
    }

    /// Releases deliveries that this process has leased without knowing it. Around a failover a claim may be committed although its
    /// response is lost; its deliveries would wait until their leases end. A slow commit can become visible some time after the failure, so
    /// this runs at every interval and not only when the store is reopened.
    private func releaseUnknownClaims(
        _ lanes: [DeliveryLane], unreported: [FinishedAttempt], now: UnixMilliseconds
    ) -> [FinishedAttempt] {
        do throws(StoreError) {
            var lost = Set(try store.claimedAttempts())
            for lane in lanes { for running in lane.running.values { lost.remove(ClaimedAttempt(running.delivery)) } }
            for finished in unreported { lost.remove(ClaimedAttempt(id: finished.id, attempt: finished.attempt)) }
            return lost.map { FinishedAttempt(id: $0.id, attempt: $0.attempt, next: .retry(at: now), reason: "claim_lost", now: now) }
        } catch {
            log("the store could not release the deliveries that this process has claimed", error: error)
            return []
        }
    }

    private func takeIn(
        _ messages: DispatcherInbox.Messages?, lanes: inout [DeliveryLane], unreported: inout [FinishedAttempt],
        now: UnixMilliseconds,
        opener: ClockJumpTracker, log: inout NotifierLog
    ) {
        guard let messages else { return }
        var random = SystemRandomNumberGenerator()
        unreported += end(messages.outcomes, lanes: &lanes, now: now, opener: opener, random: &random, log: &log)
        for notifiers in messages.notifiers { take(notifiers, lanes: &lanes, now: now, log: &log) }
        if messages.resumes { inbox.withLock { $0.paused = [:] } }
        for index in lanes.indices {
            if messages.resumes { lanes[index].resume() }
            if messages.hasNewWork { lanes[index].nextDue = 0 }
        }
    }

    /// Replaces the lanes' notifiers. A lane whose notifier was removed starts no more attempts.
    private func take(
        _ notifiers: [String: ServedNotifier], lanes: inout [DeliveryLane], now: UnixMilliseconds, log: inout NotifierLog
    ) {
        for index in lanes.indices {
            guard let next = notifiers[lanes[index].name] else {
                lanes[index].leave()
                log.reset(lanes[index].name, now: now)
                continue
            }
            if next !== lanes[index].served {
                lanes[index].replace(with: next)
                log.reset(lanes[index].name, now: now)
            }
        }
        for (name, notifier) in notifiers where !lanes.contains(where: { $0.name == name }) {
            lanes.append(DeliveryLane(name: name, served: notifier))
            metrics.expect(notifier: name)
        }
        lanes.sort { $0.name < $1.name }
    }

    /// Closes replaced notifiers without running attempts, and removes lanes that are no longer configured and have no running attempts.
    private func closeReplaced(_ lanes: inout [DeliveryLane]) {
        for index in lanes.indices {
            for idle in lanes[index].takeIdleRetired() { idle.close() }
        }
        lanes.removeAll { $0.isLeaving && $0.running.isEmpty }
    }

    private func end(
        _ outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)], lanes: inout [DeliveryLane], now: UnixMilliseconds,
        opener: ClockJumpTracker, random: inout SystemRandomNumberGenerator, log: inout NotifierLog
    ) -> [FinishedAttempt] {
        let held = opener.heldFromExpiry
        var results: [FinishedAttempt] = []
        for ended in outcomes {
            guard let index = lanes.firstIndex(where: { $0.name == ended.notifier }) else { continue }
            let wasPaused = lanes[index].breaker.pauseReason != nil
            guard let (running, result) = lanes[index].end(ended.id, ended.outcome, now: now, held: held, random: &random) else { continue }
            publishPause(&lanes[index], wasPaused: wasPaused, outcome: ended.outcome, now: now)
            log.take(result, outcome: ended.outcome, of: lanes[index], attempt: running, now: now)
            tracer?.end(running, result: result, outcome: ended.outcome)
            metrics.count(notifier: ended.notifier, result, milliseconds: now.elapsed(since: running.startedAt))
            results.append(result)
        }
        return results
    }

    /// Reports finished attempts and claims due deliveries for the lanes with free capacity, in one transaction. After a failure,
    /// `finished` keeps the attempts for the next pass.
    private func work(
        _ lanes: inout [DeliveryLane], finished: inout [FinishedAttempt], now: UnixMilliseconds, opener: ClockJumpTracker,
        startsAttempts: Bool,
        untried: inout UnattemptedDeliveries
    ) {
        // Removing a device creates a registry event, which is due at once for the notifiers that receive such events.
        if finished.contains(where: \.isDeviceGone) { for index in lanes.indices { lanes[index].nextDue = 0 } }
        let claiming = startsAttempts ? claiming(&lanes, now) : []
        guard !finished.isEmpty || !claiming.isEmpty else { return }
        do throws(StoreError) {
            let claims = claiming.map { lanes[$0.lane].claim($0.room, now: now, held: opener.heldFromExpiry) }
            let results = try store.work(finished, claims, telling: audience())
            finished = []
            for (index, result) in zip(claiming.map(\.lane), results).sorted(by: { $0.0 < $1.0 }) {
                take(result, lane: &lanes[index], now: now, untried: &untried)
            }
        } catch {
            for (index, _) in claiming { lanes[index].nextDue = now + Self.storeRetryMilliseconds }
            log("the store could neither record outcomes of deliveries nor return due ones", error: error)
        }
    }

    /// The lanes with free capacity, the least occupied first, because one call claims a limited number of deliveries for all lanes.
    private func claiming(_ lanes: inout [DeliveryLane], _ now: UnixMilliseconds) -> [(lane: Int, room: Int)] {
        var claiming: [(lane: Int, room: Int)] = []
        let isShared = store.pollMilliseconds != nil
        for index in lanes.indices {
            let lane = lanes[index]
            // A new lane first checks whether another process has paused its notifier.
            let room = isShared && !lane.hasAsked ? 0 : max(0, lanes[index].room(now: now))
            if room > 0 || isShared && lane.hasPauseUpdates { claiming.append((index, room)) }
        }
        return claiming.sorted { (lanes[$0.lane].occupancy, $0.lane) < (lanes[$1.lane].occupancy, $1.lane) }
    }

    /// Starts the claimed deliveries of a lane. After a failure, the lane claims again in a second.
    private func take(
        _ result: Result<Claimed, StoreError>, lane: inout DeliveryLane, now: UnixMilliseconds, untried: inout UnattemptedDeliveries
    ) {
        switch result {
        case .success(let claimed):
            untried.add(claimed, of: lane.name)
            lane.nextDue = claimed.nextDue
            (lane.pauseUpdates, lane.asks) = ([], false)
            for delivery in claimed.deliveries { start(delivery, lane: &lane, now: now) }
            adopt(claimed.pauses, lane: &lane, now: now)
        case .failure(let error):
            lane.nextDue = now + Self.storeRetryMilliseconds
            log("due deliveries could not be claimed", error: error, fields: ["notifier": .string(lane.name)])
        }
    }

    /// Logs an error of the store, unless `StoreOpener` logs it: because the store is not open, or because this is its present error.
    private func log(_ text: String, error: StoreError, fields: LogFields = [:]) {
        guard error.kind != .notOpen, error != store.refusal else { return }
        var fields = fields
        fields.append("reason", .string(error.description))
        logger.log(.error, message: text, fields: fields)
    }

    private func start(_ delivery: Delivery, lane: inout DeliveryLane, now: UnixMilliseconds) {
        let span = delivery.event.trace.flatMap { tracer?.begin(below: $0) }
        guard lane.begin(delivery, span, now: now) else { return }
        let inbox = inbox
        let (notifier, id) = (lane.name, delivery.id)
        lane.notifier.deliver(delivery.attempted(in: span?.context)) { outcome in
            inbox.report(outcome, of: id, by: notifier)
        }
    }

    private func waitingTime(_ lanes: inout [DeliveryLane], _ purgeAt: UnixMilliseconds, asksSoon: Bool, isStopping: Bool) -> UInt64 {
        if asksSoon { return Self.storeRetryMilliseconds }
        // While stopping, only outcomes and `isAbandoned` matter, and both wake this thread.
        if isStopping { return Self.longestWaitMilliseconds }
        let now = clocks.unixMilliseconds()
        var next = purgeAt
        for index in lanes.indices { next = min(next, lanes[index].wakeAt(now: now) ?? next) }
        // No event wakes this thread when the store is opened again, after which there may be claims to release.
        let longest = store.refusal?.kind == .notOpen ? Self.storeRetryMilliseconds : Self.longestWaitMilliseconds
        return min(now.remaining(until: next), store.pollMilliseconds ?? longest)
    }
}
