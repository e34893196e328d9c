internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// Makes deliveries pending again, unless they are no longer dead or the queue is full.
    func revive(_ keys: [DeliveryKey], now: UnixMilliseconds, expiresAt: UnixMilliseconds) throws(SQLiteError) -> RetryStep {
        var step = RetryStep()
        for key in keys {
            guard let dead = try findDead(key) else { continue }
            let obstacle =
                dead.obstacle
                ?? settings.bounds.obstacle(total: counts.pending.total) { counts.pending.queue(dead.notifier, of: dead.app) }
            step.count(obstacle)
            guard obstacle == nil else { continue }
            if let order = dead.order { try statements.follow.run(dead.notifier, dead.app, order) }
            try statements.revive.run(key.event, key.position, now.stored, expiresAt.stored)
            if let order = dead.order { try statements.lead.run(dead.notifier, dead.app, order) }
            counts.add(1, to: dead.notifier, of: dead.app)
        }
        return step
    }

    /// Marks expired deliveries as dead, at most `limit` in all.
    /// - Returns: the number of marked deliveries, by notifier.
    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(SQLiteError) -> [ExpiredDeliveries] {
        var expired: [ExpiredDeliveries] = []
        var left = limit
        for notifier in counts.notifiers where left > 0 {
            let keys = try keys(statements.overdue, notifier, expiredBy.stored, left, now.stored)
            for key in keys { try giveUp(key, state: .dead, reason: StoreRules.expired, at: now) }
            if !keys.isEmpty { expired.append(ExpiredDeliveries(notifier: notifier, count: keys.count)) }
            left -= keys.count
        }
        return expired
    }

    /// Sets the expiry of pending deliveries that expire later than `latest` to `latest`, for at most `limit` deliveries.
    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(SQLiteError) {
        var left = limit
        for notifier in counts.notifiers where left > 0 {
            let keys = try keys(statements.findLate, notifier, latest.stored, left)
            for key in keys { try statements.expire.run(key.event, key.position, latest.stored) }
            left -= keys.count
        }
    }

    /// Marks pending deliveries of a notifier as dead, with the reason `purged`.
    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        let keys = try keys(statements.overdue, notifier, Int64.max, limit, Int64.max)
        for key in keys { try giveUp(key, state: .dead, reason: StoreRules.purged, at: now) }
        return keys.count
    }

    /// Ends pending deliveries whose messages a person has read.
    /// - Returns: the number of ended deliveries.
    func supersede(_ receipt: ReadReceipt, _ app: Int64) throws(SQLiteError) -> Int {
        let (user, ticket, ending) = (receipt.person.userID, receipt.conversation?.text, DeliveryEnding.supersededByRead)
        var count = 0
        for notifier in receipt.notifiers where counts.hasPending(notifier) {
            var read: [DeliveryKey] = []
            try statements.findRead.forEachRow(
                notifier, app, ReadReceipt.maximumExaminedDeliveries, user, receipt.receivedAt.stored, (receipt.readAt ?? .max).stored,
                ticket
            ) { row throws(SQLiteError) in
                if try row.int64(2) != 0 { read.append(DeliveryKey(event: try row.int64(0), position: try row.int64(1))) }
            }
            for key in read {
                try giveUp(key, state: ending.state, reason: ending.reason, at: receipt.receivedAt)
                counts.refuse(ending, for: notifier)
            }
            count += read.count
        }
        return count
    }

    /// Deletes ended deliveries, old identities of comments, old counts of calls and old calls of bots, at most `limit` rows in all.
    func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) throws(SQLiteError)
        -> Int
    {
        var done = try forget(.delivered, before: deliveredBefore, limit: limit)
        done += try forget(.noTarget, before: deliveredBefore, limit: limit - done)
        done += try forget(.dead, before: deadBefore, limit: limit - done)
        done += try forgetPast(receivedBefore: Deduplication.earliestArrival(now: now), limit: limit - done)
        done += try deleteConversations(before: Deduplication.earliestArrival(now: now), limit: limit - done)
        for outcome in BotCall.Outcome.allCases where done < limit {
            let time = BotCall.kept(outcome, now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore)
            done += try deleteBotCalls(outcome, before: time, limit: limit - done)
        }
        return done + (try deleteRateLimitedCalls(until: now, limit: limit - done))
    }

    private func findDead(
        _ key: DeliveryKey
    ) throws(SQLiteError) -> (notifier: String, app: Int64, order: Int64?, obstacle: RetryObstacle?)? {
        var found: (String, Int64, Int64?, RetryObstacle?)?
        try statements.findDead.forEachRow(key.event, key.position) { row throws(SQLiteError) in
            let obstacle = StoreRules.obstacle(isErased: try row.int64(3) != 0, lacksDevice: try row.int64(4) != 0)
            found = (try row.string(0), try row.int64(1), try row.optionalInt64(2), obstacle)
        }
        return found
    }

    /// Deletes deliveries that ended in a state before a time, and each event whose last delivery is deleted.
    /// - Returns: the number of deleted deliveries.
    func forget(_ state: Delivery.State, before time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        let keys = try keys(statements.findEnded, state.number, time.stored, limit)
        for key in keys {
            try statements.deleteAttempts.run(key.event, key.position)
            try statements.deleteDelivery.run(key.event, key.position)
            try release(key.event)
        }
        return keys.count
    }

    private func keys<each Value: SQLiteBindable>(
        _ statement: Statement, _ values: repeat each Value
    ) throws(SQLiteError) -> [DeliveryKey] {
        var keys: [DeliveryKey] = []
        try statement.forEachRow(repeat each values) { row throws(SQLiteError) in
            keys.append(DeliveryKey(event: try row.int64(0), position: try row.int64(1)))
        }
        return keys
    }
}
