internal import Core
internal import SQLite

extension WritingDatabase {
    /// Makes those that are still dead pending again.
    /// - Returns: how many.
    func revive(_ keys: [DeliveryKey], now: UInt64, expiresAt: UInt64) throws(SQLiteError) -> Int {
        var count = 0
        for key in keys {
            guard let (notifier, appID, ticketID) = try findDead(key) else { continue }
            try statements.follow.run(notifier, appID, ticketID)
            try statements.revive.run(key.event, key.position, now.stored, expiresAt.stored)
            try statements.lead.run(notifier, appID, ticketID)
            counts.add(1, to: notifier)
            count += 1
        }
        return count
    }

    /// Gives up what has expired and forgets what has ended; `limit` rows in all.
    func purge(now: UInt64, deliveredBefore: UInt64, deadBefore: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var done = 0
        for notifier in counts.notifiers { done += try giveUpOverdue(notifier, now: now, limit: limit - done) }
        done += try forget(.delivered, before: deliveredBefore, limit: limit - done)
        done += try forget(.dead, before: deadBefore, limit: limit - done)
        return done + (try forgetEvents(before: deliveredBefore, limit: limit - done))
    }

    private func findDead(_ key: DeliveryKey) throws(SQLiteError) -> (notifier: String, appID: String, ticketID: Int64)? {
        var found: (String, String, Int64)?
        try statements.findDead.forEachRow(key.event, key.position) { row throws(SQLiteError) in
            found = (try row.string(0), try row.string(1), try row.int64(2))
        }
        return found
    }

    private func giveUpOverdue(_ notifier: String, now: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var ids: [UUIDv7] = []
        try statements.overdue.forEachRow(notifier, now.stored, limit) { row throws(SQLiteError) in ids.append(try row.uuid(0)) }
        for id in ids { try giveUp(id, at: now) }
        return ids.count
    }

    private func forget(_ state: Delivery.State, before time: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var keys: [DeliveryKey] = []
        try statements.findEnded.forEachRow(state.number, time.stored, limit) { row throws(SQLiteError) in
            keys.append(DeliveryKey(event: try row.int64(0), position: try row.int64(1)))
        }
        for key in keys {
            try statements.deleteDelivery.run(key.event, key.position)
            try statements.releaseEvent.run(key.event)
            try statements.deleteEvent.run(key.event)
        }
        return keys.count
    }

    /// Forgets events that never had a delivery; the others go with their last one.
    private func forgetEvents(before time: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var numbers: [Int64] = []
        try statements.findAlone.forEachRow(time.stored, limit) { row throws(SQLiteError) in numbers.append(try row.int64(0)) }
        for number in numbers { try statements.deleteEvent.run(number) }
        return numbers.count
    }
}
