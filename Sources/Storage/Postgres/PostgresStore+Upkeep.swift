package import Core
internal import Postgres
package import Time

/// Operations for operators and maintenance; each call is one transaction of limited size.
extension PostgresStore {
    package func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        StoreRules.check(limit: limit)
        guard filter.state ?? .dead == .dead else { return RetryStep() }
        let offset = offset(for: now)
        var dead = offset.databaseTime(filter)
        dead.state = .dead
        let (now, expiresAt) = (offset.databaseTime(now), offset.databaseTime(expiresAt))
        return try RetryStep(after: after, limit: limit, perCommit: settings.rowsPerCommit) { [dead] before, limit throws(StoreError) in
            try search(dead, before: before, limit: limit, until: .max).found.map { DeliveryKey($0.place) }
        } revive: { keys throws(StoreError) in
            try upkeep { work throws(PostgresError) in try work.revive(keys, now: now, expiresAt: expiresAt) }
        }
    }

    package func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        StoreRules.check(limit: limit)
        let offset = offset(for: now)
        let (now, expiredBy) = (offset.databaseTime(now), offset.databaseTime(expiredBy))
        return try upkeep { work throws(PostgresError) in try work.giveUpExpired(now: now, expiredBy: expiredBy, limit: limit) }
    }

    package func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) {
        StoreRules.check(limit: limit)
        let latest = offset(for: clock()).databaseTime(latest)
        try upkeep { work throws(PostgresError) in try work.expireBy(latest, limit: limit) }
    }

    package func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        let now = offset(for: now).databaseTime(now)
        return try upkeep { work throws(PostgresError) in try work.giveUpPending(notifier: notifier, now: now, limit: limit) }
    }

    package func purge(
        now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int
    ) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        let offset = offset(for: now)
        let (now, deliveredBefore, deadBefore) = (
            offset.databaseTime(now), offset.databaseTime(deliveredBefore), offset.databaseTime(deadBefore)
        )
        return try upkeep { work throws(PostgresError) in
            var done = try work.forget(.delivered, before: deliveredBefore, limit: limit)
            done += try work.forget(.noTarget, before: deliveredBefore, limit: limit - done)
            done += try work.forget(.dead, before: deadBefore, limit: limit - done)
            done += try work.forgetPast(receivedBefore: Deduplication.earliestArrival(now: now), limit: limit - done)
            done += try work.deleteConversations(before: Deduplication.earliestArrival(now: now), limit: limit - done)
            for outcome in BotCall.Outcome.allCases where done < limit {
                let time = BotCall.kept(outcome, now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore)
                done += try work.deleteBotCalls(outcome, before: time, limit: limit - done)
            }
            return done + (try work.deleteRateLimitedCalls(until: now, limit: limit - done))
        }
    }

    package func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        let endedBefore = offset(for: clock()).databaseTime(endedBefore)
        return try upkeep { work throws(PostgresError) in try work.forget(state, before: endedBefore, limit: limit) }
    }
}
