internal import Core

extension DispatcherWorker {
    private static let mostPurged = 500
    private static let purgeIntervalMilliseconds: UInt64 = 60_000

    /// Gives up what has expired, and forgets what has ended and whom nobody sees, once in a while.
    /// - Returns: whether something new may be due.
    func purge(_ purgeAt: inout UInt64, _ now: UInt64, _ expired: inout ExpiredTally) -> Bool {
        // Later than it can be was set before the clock was set back.
        guard now >= purgeAt || purgeAt - now > Self.purgeIntervalMilliseconds else { return false }
        let givenUp = giveUpExpired(now, &expired)
        let forgotten = try? store.purge(
            now: now, deliveredBefore: now - min(now, retention.deliveredMilliseconds),
            deadBefore: now - min(now, retention.deadMilliseconds), limit: Self.mostPurged)
        let removed = try? store.removeIdleDevices(
            seenBefore: now - min(now, retention.idleDeviceMilliseconds), now: now, limit: Self.mostPurged)
        // In small steps, one a pass, until nothing is left.
        let isDone = [givenUp, forgotten ?? 0, removed ?? 0].allSatisfy { $0 < Self.mostPurged }
        purgeAt = isDone ? now + Self.purgeIntervalMilliseconds : now
        // Other systems are told of the devices that left.
        return removed ?? 0 > 0
    }

    /// - Returns: how many it gave up.
    private func giveUpExpired(_ now: UInt64, _ expired: inout ExpiredTally) -> Int {
        let givenUp = (try? store.giveUpExpired(now: now, limit: Self.mostPurged)) ?? []
        for deliveries in givenUp { expired.add(deliveries.count, of: deliveries.notifier) }
        return givenUp.reduce(0) { $0 + $1.count }
    }
}
