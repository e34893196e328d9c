internal import Core
internal import SQLite

extension WritingDatabase {
    /// Makes those that are still dead pending again.
    /// - Returns: how many.
    func revive(_ keys: [DeliveryKey], now: UInt64, expiresAt: UInt64) throws(SQLiteError) -> Int {
        var count = 0
        for key in keys {
            guard let (notifier, app, order) = try findDead(key) else { continue }
            if let order { try statements.follow.run(notifier, app, order) }
            try statements.revive.run(key.event, key.position, now.stored, expiresAt.stored)
            if let order { try statements.lead.run(notifier, app, order) }
            counts.add(1, to: notifier)
            count += 1
        }
        return count
    }

    /// Gives up what has expired, `limit` rows in all, and tells how many of which notifier.
    func giveUpExpired(now: UInt64, expiredBy: UInt64, limit: Int) throws(SQLiteError) -> [ExpiredDeliveries] {
        var expired: [ExpiredDeliveries] = []
        var left = limit
        for notifier in counts.notifiers where left > 0 {
            let keys = try keys(statements.overdue, notifier, expiredBy.stored, left, now.stored)
            for key in keys { try giveUp(key, .dead, StoreRules.expired, at: now) }
            if !keys.isEmpty { expired.append(ExpiredDeliveries(notifier: notifier, count: keys.count)) }
            left -= keys.count
        }
        return expired
    }

    /// Has no pending delivery expire later than a time; `limit` rows in all.
    func expireBy(_ latest: UInt64, limit: Int) throws(SQLiteError) {
        var left = limit
        for notifier in counts.notifiers where left > 0 {
            let keys = try keys(statements.findLate, notifier, latest.stored, left)
            for key in keys { try statements.expire.run(key.event, key.position, latest.stored) }
            left -= keys.count
        }
    }

    /// Gives up what waits for a notifier, for an operator.
    func giveUpPending(notifier: String, now: UInt64, limit: Int) throws(SQLiteError) -> Int {
        // At the end of time everything has expired.
        let keys = try keys(statements.overdue, notifier, Int64.max, limit, Int64.max)
        for key in keys { try giveUp(key, .dead, StoreRules.purged, at: now) }
        return keys.count
    }

    /// Forgets what has ended; `limit` rows in all.
    func purge(now: UInt64, deliveredBefore: UInt64, deadBefore: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var done = try forget(.delivered, before: deliveredBefore, limit: limit)
        done += try forget(.noTarget, before: deliveredBefore, limit: limit - done)
        done += try forget(.dead, before: deadBefore, limit: limit - done)
        return done + (try forgetPast(receivedBefore: Recognition.recognisedFrom(now: now), limit: limit - done))
    }

    private func findDead(_ key: DeliveryKey) throws(SQLiteError) -> (notifier: String, app: Int64, order: Int64?)? {
        var found: (String, Int64, Int64?)?
        try statements.findDead.forEachRow(key.event, key.position) { row throws(SQLiteError) in
            found = (try row.string(0), try row.int64(1), try row.optionalInt64(2))
        }
        return found
    }

    /// Forgets deliveries that ended so before a time, and their events with the last one.
    /// - Returns: how many.
    func forget(_ state: Delivery.State, before time: UInt64, limit: Int) throws(SQLiteError) -> Int {
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

    /// Removes devices of a person for an operator, with what kept their limits; of a person as a whole also what kept the person's.
    /// - Returns: how many were registered; fewer than `limit` rows are left when fewer were dealt with.
    func removeDevices(_ filter: DeviceFilter, now: UInt64, limit: Int) throws(SQLiteError) -> (removed: Int, dealtWith: Int) {
        guard let userID = filter.userID, let app = try apps.find(filter.appID, self) else { return (0, 0) }
        // A person has few devices.
        let devices = try person(userID, app).devices.filter { stored in filter.deviceID.map { stored.isNamed($0) } ?? true }.prefix(limit)
        for stored in devices {
            try remove(stored, app, filter.appID, .operatorRemoved, at: now)
            try forget(stored, app)
            try deviceStatements.forgetDeviceCalls.run(StoreRules.deviceNumber(stored.key(filter.appID)))
        }
        if filter.deviceID == nil { try deviceStatements.remove.run(app, userID, "") }
        return (devices.count { $0.token != nil }, devices.count)
    }

    /// Removes devices that nobody has seen, and forgets those that signed out and the calls that were noted, since a time.
    func removeIdleDevices(seenBefore: UInt64, now: UInt64, limit: Int) throws(SQLiteError) -> Int {
        var devices: [(stored: StoredDevice, appID: String)] = []
        try deviceStatements.idle.forEachRow(seenBefore.stored, limit) { row throws(SQLiteError) in
            devices.append((try StoredDevice(row), try row.string(9)))
        }
        for (stored, appID) in devices {
            let app = try apps.number(appID, self)
            try remove(stored, app, appID, .idle, at: now)
            try forget(stored, app)
        }
        try forgetIdleCalls(before: seenBefore)
        return devices.count
    }

    /// Forgets calls that were noted before a time: of persons by that time's index, of devices in steps through all of them, one each time,
    /// because an index would cost every registration more.
    private func forgetIdleCalls(before time: UInt64) throws(SQLiteError) {
        var persons: [(app: Int64, userID: String)] = []
        try deviceStatements.findIdleCalls.forEachRow(time.stored, Self.personsPerStep) { row throws(SQLiteError) in
            persons.append((try row.int64(0), try row.string(1)))
        }
        for person in persons { try deviceStatements.remove.run(person.app, person.userID, "") }
        var next = Int64.max
        try deviceStatements.nextDeviceCalls.forEachRow(nextDeviceCalls, Self.callsPerStep) { row throws(SQLiteError) in
            next = try row.int64(0)
        }
        try deviceStatements.forgetIdleDeviceCalls.run(nextDeviceCalls, next, time.stored)
        nextDeviceCalls = next == .max ? .min : next
    }

    /// How many persons' calls are forgotten in one step, so that nobody waits long.
    private static var personsPerStep: Int { 100 }
    /// How many rows of devices' calls are looked at in one step, which lie beside each other.
    private static var callsPerStep: Int { 5000 }
}
