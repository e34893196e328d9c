internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// Deletes events with their deliveries and attempts; their comments are still recognised as duplicates.
    func erase(_ events: [Int64], now: UnixMilliseconds) throws(SQLiteError) -> Erasure {
        var erasure = Erasure()
        for event in events {
            var found: [(key: DeliveryKey, notifier: String, isPending: Bool)] = []
            try statements.deliveriesOf.forEachRow(event) { row throws(SQLiteError) in
                let key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
                found.append((key, try row.string(2), try row.state(3) == .pending))
            }
            if !found.isEmpty { erasure.events += 1 }
            for (key, notifier, isPending) in found {
                erasure.deliveries += 1
                if isPending {
                    erasure.pending[ByteKey(notifier), default: 0] += 1
                    try giveUp(key, state: .dead, reason: StoreRules.forgotten, at: now)
                }
                try statements.deleteAttempts.run(key.event, key.position)
                try statements.deleteDelivery.run(key.event, key.position)
                try release(event)
            }
        }
        return erasure
    }

    /// Deletes the person and the device from an event that must be erased, unless one of its deliveries is pending.
    func dropPersonIfReported(_ event: Int64) throws(SQLiteError) {
        let emptyData = Event.emptyData
        statements.dropPerson.bind(event, at: 1)
        statements.dropPerson.bind(emptyData.span, at: 2)
        try statements.dropPerson.runBound()
        guard changes > 0 else { return }
        try statements.dropDevice.run(event)
        noteForgotten()
    }

    /// Makes the writer's next step try to empty the log, unless the log was emptied since.
    /// - Parameter before: the value of `emptyings` from which on the log was emptied late enough.
    /// - Returns: whether the log was emptied since.
    func hastenErasure(since before: Int) -> Bool {
        guard emptyings == before else { return true }
        emptiesLogAt = 0
        return false
    }
}

/// A reader's statements for the search after an erasure, prepared once.
struct ErasureQueries {
    let events, waiting, devices, conversations: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        events = try prepare(
            """
            SELECT number, erased FROM events
            WHERE number > ?1 AND number <= ?2 AND user_id = ?3 AND app = (SELECT number FROM apps WHERE app_id = ?4)
            """)
        waiting = try prepare("SELECT notifier FROM deliveries WHERE event = ?1 AND state = 0")
        devices = try prepare(
            "SELECT count(*) FROM devices WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND user_id = ?2")
        conversations = try prepare("SELECT count(*) FROM topics WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND user_id = ?2")
    }
}

extension ReadingDatabase {
    /// The numbers of the events about a person between two numbers, the first one excluded.
    func events(
        of person: AppUser, after first: Int64, through last: Int64
    ) throws(SQLiteError) -> [(number: Int64, isErased: Bool)] {
        var found: [(number: Int64, isErased: Bool)] = []
        try erasureQueries.events.forEachRow(first, last, person.userID, person.appID) { row throws(SQLiteError) in
            found.append((try row.int64(0), try row.int64(1) != 0))
        }
        return found
    }

    func waiting(of event: Int64) throws(SQLiteError) -> [String] {
        var found: [String] = []
        try erasureQueries.waiting.forEachRow(event) { row throws(SQLiteError) in found.append(try row.string(0)) }
        return found
    }

    /// Returns the number of topics about a person.
    func conversationRows(of person: AppUser) throws(SQLiteError) -> Int {
        var count = 0
        try erasureQueries.conversations.forEachRow(person.appID, person.userID) { row throws(SQLiteError) in count = Int(try row.int64(0))
        }
        return count
    }

    /// Returns the number of a person's rows of devices, including the one with the calls and signed-out ones.
    func deviceRows(of person: AppUser) throws(SQLiteError) -> Int {
        var count = 0
        try erasureQueries.devices.forEachRow(person.appID, person.userID) { row throws(SQLiteError) in count = Int(try row.int64(0)) }
        return count
    }
}
