package import Core
internal import SQLite
package import Time

/// Upkeep: deliveries and rows that end, expire or are deleted without an attempt.
extension SQLiteStore {
    package func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(StoreError) -> [ExpiredDeliveries] {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in
            try database.giveUpExpired(now: now, expiredBy: expiredBy, limit: limit)
        }
    }

    package func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(StoreError) {
        StoreRules.check(limit: limit)
        try queue.perform { database throws(SQLiteError) in try database.expireBy(latest, limit: limit) }
    }

    package func trustedTime() throws(StoreError) -> TrustedTime? {
        try queue.perform { database throws(SQLiteError) in try database.trustedTime() }
    }

    package func keep(_ time: TrustedTime) throws(StoreError) {
        try queue.perform { database throws(SQLiteError) in try database.keep(time) }
    }

    package func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in
            try database.giveUpPending(notifier: notifier, now: now, limit: limit)
        }
    }

    package func forget(_ state: Delivery.State, endedBefore: UnixMilliseconds, limit: Int) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in try database.forget(state, before: endedBefore, limit: limit) }
    }

    package func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int)
        throws(StoreError) -> Int
    {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in
            try database.purge(now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore, limit: limit)
        }
    }
}
