internal import Core
internal import Observability
internal import Threading

/// The dispatcher's thread: one pass takes in what ended, starts what is due, and waits for the next thing to do.
final class DispatcherWorker: Sendable {
    private static let mostClaimed = 256
    private static let mostPurged = 500
    private static let purgeIntervalMilliseconds: UInt64 = 60_000
    private static let storeRetryMilliseconds: UInt64 = 1000
    private static let longestWaitMilliseconds: UInt64 = 60_000

    private let store: any Store
    private let notifiers: [String: any Notifier]
    private let retention: Retention
    private let metrics: DeliveryMetrics
    private let logger: Logger
    private let clocks: Clocks
    private let inbox: Monitor<DispatcherInbox>

    init(
        store: any Store, notifiers: [String: any Notifier], retention: Retention, metrics: DeliveryMetrics, logger: Logger,
        clocks: Clocks, inbox: Monitor<DispatcherInbox>
    ) {
        self.store = store
        self.notifiers = notifiers
        self.retention = retention
        self.metrics = metrics
        self.logger = logger
        self.clocks = clocks
        self.inbox = inbox
    }

    func run() {
        var lanes = notifiers.map { DeliveryLane(name: $0.key, notifier: $0.value) }.sorted { $0.name < $1.name }
        var unreported: [FinishedTry] = []
        var purgeAt: UInt64 = 0
        var (isStopping, isAbandoned) = (false, false)
        while !isAbandoned {
            let time = waitingTime(&lanes, purgeAt, hasUnreported: !unreported.isEmpty, isStopping: isStopping)
            let news = inbox.wait(timeoutMilliseconds: time) { $0.take() }
            (isStopping, isAbandoned) = inbox.withLock { ($0.isStopping, $0.isAbandoned) }
            let now = clocks.unixMilliseconds()
            takeIn(news, &lanes, &unreported, now)
            if isAbandoned { unreported += lanes.flatMap { $0.handBack(now: now) } }
            report(&unreported)
            if !isStopping, unreported.isEmpty { startDue(&lanes, now) }
            let unfinished = lanes.reduce(unreported.count) { $0 + $1.running.count }
            let awaitsNews = lanes.contains { $0.awaitsNews(now: now) }
            // Only this thread waits for what these two change.
            inbox.withLock { ($0.unfinished, $0.awaitsNews) = (unfinished, awaitsNews) }
            if isStopping, unfinished == 0 { break }
            if !isStopping, purge(&purgeAt, now) {
                for index in lanes.indices { lanes[index].nextDue = 0 }
            }
        }
        inbox.update { $0.hasEnded = true }
    }

    private func takeIn(
        _ news: DispatcherInbox.News?, _ lanes: inout [DeliveryLane], _ unreported: inout [FinishedTry], _ now: UInt64
    ) {
        guard let news else { return }
        var random = SystemRandomNumberGenerator()
        unreported += end(news.outcomes, &lanes, now, &random)
        if news.resumes { inbox.withLock { $0.paused = [:] } }
        for index in lanes.indices {
            if news.resumes { lanes[index].breaker.resume() }
            if news.hasNews { lanes[index].nextDue = 0 }
        }
    }

    private func end(
        _ outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)], _ lanes: inout [DeliveryLane], _ now: UInt64,
        _ random: inout SystemRandomNumberGenerator
    ) -> [FinishedTry] {
        var results: [FinishedTry] = []
        for ended in outcomes {
            guard let index = lanes.firstIndex(where: { $0.name == ended.notifier }),
                let (running, result) = lanes[index].end(ended.id, ended.outcome, now: now, random: &random)
            else { continue }
            if ended.outcome.verdict == .misconfigured {
                inbox.withLock { $0.paused[ended.notifier] = ended.outcome.reason }
                logger.log(
                    .error, "a notifier is switched off; its deliveries wait until the configuration is reloaded or the service restarted",
                    ["notifier": .string(ended.notifier), "reason": .string(ended.outcome.reason)])
            }
            metrics.count(notifier: ended.notifier, result, milliseconds: now - min(now, running.startedAt))
            results.append(result)
        }
        return results
    }

    /// Tells the store what came of tries; what it cannot take now is kept and told again.
    private func report(_ results: inout [FinishedTry]) {
        guard !results.isEmpty else { return }
        do throws(StoreError) {
            try store.finish(results)
            results = []
        } catch {
            logger.log(.error, "the store could not take in what came of deliveries", ["reason": .string(error.description)])
        }
    }

    private func startDue(_ lanes: inout [DeliveryLane], _ now: UInt64) {
        for index in lanes.indices {
            while case let room = min(lanes[index].room(now: now), Self.mostClaimed), room > 0 {
                guard let claimed = claim(lanes[index], room, now) else {
                    lanes[index].nextDue = now + Self.storeRetryMilliseconds
                    break
                }
                for delivery in claimed { start(delivery, &lanes[index], now) }
                if claimed.count < room {
                    lanes[index].nextDue = nextDue(lanes[index], now)
                    break
                }
            }
        }
    }

    /// Asks the store; when it cannot tell, it is asked again soon.
    private func nextDue(_ lane: DeliveryLane, _ now: UInt64) -> UInt64? {
        do throws(StoreError) {
            return try store.nextDue(notifier: lane.name)
        } catch {
            return now + Self.storeRetryMilliseconds
        }
    }

    private func claim(_ lane: DeliveryLane, _ limit: Int, _ now: UInt64) -> [Delivery]? {
        do throws(StoreError) {
            return try store.claimDue(
                Claim(
                    notifier: lane.name, now: now, leaseMilliseconds: lane.leaseMilliseconds, limit: limit,
                    longestDelayMilliseconds: lane.longestDelayMilliseconds))
        } catch {
            logger.log(
                .error, "due deliveries could not be claimed", ["notifier": .string(lane.name), "reason": .string(error.description)])
            return nil
        }
    }

    private func start(_ delivery: Delivery, _ lane: inout DeliveryLane, _ now: UInt64) {
        guard lane.begin(delivery, now: now) else { return }
        let inbox = inbox
        let (notifier, id) = (lane.name, delivery.id)
        lane.notifier.deliver(delivery) { outcome in
            inbox.report(outcome, of: id, by: notifier)
        }
    }

    /// - Returns: whether something new may be due.
    private func purge(_ purgeAt: inout UInt64, _ now: UInt64) -> Bool {
        // Later than it can be was set before the clock was set back.
        guard now >= purgeAt || purgeAt - now > Self.purgeIntervalMilliseconds else { return false }
        let forgotten = try? store.purge(
            now: now, deliveredBefore: now - min(now, retention.deliveredMilliseconds),
            deadBefore: now - min(now, retention.deadMilliseconds),
            limit: Self.mostPurged)
        let removed = try? store.removeIdleDevices(
            seenBefore: now - min(now, retention.idleDeviceMilliseconds), now: now, limit: Self.mostPurged)
        // In small steps, one a pass, until nothing is left.
        let isDone = forgotten ?? 0 < Self.mostPurged && removed ?? 0 < Self.mostPurged
        purgeAt = isDone ? now + Self.purgeIntervalMilliseconds : now
        // Other systems are told of the devices that left.
        return removed ?? 0 > 0
    }

    private func waitingTime(_ lanes: inout [DeliveryLane], _ purgeAt: UInt64, hasUnreported: Bool, isStopping: Bool) -> UInt64 {
        if hasUnreported { return Self.storeRetryMilliseconds }
        // Nothing starts any more: only outcomes and the end of patience matter, and both wake.
        if isStopping { return Self.longestWaitMilliseconds }
        let now = clocks.unixMilliseconds()
        var next = purgeAt
        for index in lanes.indices { next = min(next, lanes[index].wakeAt(now: now) ?? next) }
        return next <= now ? 0 : min(next - now, Self.longestWaitMilliseconds)
    }
}
