internal import Core
internal import Observability
internal import Time

extension DispatcherWorker {
    private static let maximumPurged = 500
    /// Fewer than `maximumPurged`, because idle devices are scattered over the file and removing each one may create an event.
    private static let maximumRemoved = 50
    private static let purgeIntervalMilliseconds: UInt64 = 60_000

    /// Once a minute, ends expired deliveries and lost bot calls, deletes rows older than the retention, removes idle devices, and signs
    /// out the devices of revoked keys. Of the processes that share a store, only the elected one does this.
    /// - Returns: whether new deliveries may be due.
    func purge(
        _ purgeAt: inout UnixMilliseconds, now: UnixMilliseconds, opener: ClockJumpTracker, status: ReplicaStatus,
        untried: inout UnattemptedDeliveries
    ) -> Bool {
        // A time further away than an interval was computed before the clock was set back.
        guard now >= purgeAt || now.remaining(until: purgeAt) > Self.purgeIntervalMilliseconds else { return false }
        guard status.isElected else {
            opener.keep()
            purgeAt = now + Self.purgeIntervalMilliseconds
            return false
        }
        let givenUp = giveUpExpired(now, opener: opener, untried: &untried)
        let lost = markLostBotCalls(now, opener)
        let forgotten = try? store.purge(
            now: now.saturating(subtracting: opener.time.held(for: Deduplication.milliseconds)),
            deliveredBefore: opener.since(retention.deliveredMilliseconds, now: now),
            deadBefore: opener.since(retention.deadMilliseconds, now: now), limit: Self.maximumPurged)
        let removed = try? store.removeIdleDevices(
            seenBefore: opener.since(retention.idleDeviceMilliseconds, now: now), now: now, limit: Self.maximumRemoved,
            telling: audience())
        let revoked = try? store.signOutRevokedDevices(now: now, telling: audience())
        opener.keep()
        // A pass does a limited amount of work; the next one follows at once until nothing is left.
        let isDone = max(givenUp, lost, forgotten ?? 0) < Self.maximumPurged && removed ?? 0 < Self.maximumRemoved && revoked == nil
        purgeAt = isDone ? now + Self.purgeIntervalMilliseconds : now
        // Removing a device creates a registry event for the notifiers that receive such events.
        return (removed ?? 0) + (revoked ?? 0) > 0
    }

    /// - Returns: the number of calls that became unknown.
    private func markLostBotCalls(_ now: UnixMilliseconds, _ opener: ClockJumpTracker) -> Int {
        let lost = try? store.markLostBotCalls(
            startedBefore: opener.since(BotCall.lostAfterMilliseconds, now: now), now: now, limit: Self.maximumPurged)
        guard let lost, !lost.isEmpty else { return 0 }
        logger.log(
            .warning, message: "calls of bots were left unknown; the process that made them has ended",
            fields: [
                "calls": .integer(lost.count), "first_id": .string(lost[0].id.description),
                "remedy": .string("deskgate bots calls list --outcome unknown lists them; the backends' logs have their ids"),
            ])
        onLostCalls(lost)
        return lost.count
    }

    /// - Returns: the number of deliveries that expired.
    private func giveUpExpired(_ now: UnixMilliseconds, opener: ClockJumpTracker, untried: inout UnattemptedDeliveries) -> Int {
        try? store.expireBy(opener.latestExpiry(now: now), limit: Self.maximumPurged)
        let expiredBy = now.saturating(subtracting: opener.heldFromExpiry)
        let givenUp = (try? store.giveUpExpired(now: now, expiredBy: expiredBy, limit: Self.maximumPurged)) ?? []
        for deliveries in givenUp { untried.addExpired(deliveries.count, of: deliveries.notifier) }
        return givenUp.reduce(0) { $0 + $1.count }
    }
}
