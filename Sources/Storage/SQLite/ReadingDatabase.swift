internal import Core
internal import SQLite

/// A connection that reads, with its statements; each call sees the last commit. One thread at a time uses it.
final class ReadingDatabase {
    private let byID, byComment, byTicket, matching, attempts, nextDue, oldest, dead, devices: Statement

    init(path: String, busyTimeoutMilliseconds: Int32) throws(SQLiteError) {
        let connection = try Connection(path: path, mode: .readOnly)
        connection.setBusyTimeout(milliseconds: busyTimeoutMilliseconds)
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        byID = try prepare("SELECT * FROM stories WHERE id = ?1 AND position = ?2")
        byComment = try prepare(
            "SELECT * FROM stories WHERE app_id = ?1 AND comment_id = ?2 ORDER BY event DESC, position DESC")
        byTicket = try prepare(
            "SELECT * FROM stories WHERE app_id = ?1 AND ticket_id = ?2 ORDER BY event DESC, position DESC")
        matching = try prepare(
            """
            SELECT * FROM stories
            WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR notifier = ?2) AND (?3 IS NULL OR reason = ?3)
                AND (?4 IS NULL OR app_id = ?4) AND (?5 IS NULL OR user_id = ?5) AND (?6 IS NULL OR ticket_id = ?6)
                AND (?7 IS NULL OR comment_id = ?7) AND (?8 IS NULL OR received_at >= ?8) AND (?9 IS NULL OR received_at < ?9)
            ORDER BY event DESC, position DESC LIMIT ?10
            """)
        dead = try prepare(
            """
            SELECT event, position FROM stories
            WHERE state = 2 AND (?1 IS NULL OR (id = ?1 AND position = ?13)) AND (?2 IS NULL OR notifier = ?2) AND (?3 IS NULL OR reason = ?3)
                AND (?4 IS NULL OR app_id = ?4) AND (?5 IS NULL OR user_id = ?5) AND (?6 IS NULL OR ticket_id = ?6)
                AND (?7 IS NULL OR comment_id = ?7) AND (?8 IS NULL OR received_at >= ?8) AND (?9 IS NULL OR received_at < ?9)
                AND (event, position) < (?10, ?11)
            ORDER BY event DESC, position DESC LIMIT ?12
            """)
        attempts = try prepare(
            """
            SELECT number, started_at, ended_at, outcome, reason FROM attempts
            WHERE event = ?1 AND position = ?2 ORDER BY number
            """)
        nextDue = try prepare("SELECT min(due_at) FROM deliveries WHERE state = 0 AND notifier = ?1 AND leads = 1")
        devices = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app FROM devices
            WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND (?2 IS NULL OR user_id = ?2) AND (?3 IS NULL OR device_id = ?3)
                AND (user_id, device_id) > (?4, ?5) AND token IS NOT NULL
            ORDER BY user_id, device_id LIMIT ?6
            """)
        oldest = try prepare(
            """
            SELECT received_at FROM events WHERE number = (
                SELECT event FROM deliveries WHERE state = 0 AND notifier = ?1 ORDER BY expires_at, event, position LIMIT 1)
            """)
    }

    /// Lists what matches, newest first.
    func deliveries(_ filter: DeliveryFilter, limit: Int) throws(SQLiteError) -> [Delivery] {
        if let id = filter.id { return try rows(byID, filter, limit: limit) { $0.bind(id) } }
        if let appID = filter.appID, let number = filter.commentID ?? filter.ticketID {
            return try rows(filter.commentID == nil ? byTicket : byComment, filter, limit: limit) { statement in
                statement.bind(appID, at: 1)
                statement.bind(number, at: 2)
            }
        }
        return try rows(matching, filter, limit: limit) { statement in
            statement.bind(filter.state?.number, at: 1)
            filter.bindConditions(to: statement)
            statement.bind(limit, at: 10)
        }
    }

    /// A delivery with its tries, both from one moment.
    func story(of id: UUIDv7) throws(SQLiteError) -> DeliveryStory? {
        defer { byID.reset() }
        byID.bind(id)
        // The first statement stays open, so the second one reads the same moment.
        guard try byID.step() else { return nil }
        let stored = try StoredDelivery(byID)
        var tries: [DeliveryAttempt] = []
        try attempts.forEachRow(stored.key.event, stored.key.position) { row throws(SQLiteError) in
            tries.append(try DeliveryAttempt(row))
        }
        return DeliveryStory(delivery: stored.delivery, attempts: tries)
    }

    /// The places of dead deliveries that match, newest first, from before a place.
    func dead(_ filter: DeliveryFilter, before: DeliveryKey?, limit: Int) throws(SQLiteError) -> [DeliveryKey] {
        guard filter.state == nil || filter.state == .dead else { return [] }
        dead.bind(filter.id?.event.bytes, at: 1)
        dead.bind(filter.id?.position, at: 13)
        filter.bindConditions(to: dead)
        dead.bind(before?.event ?? Int64.max, at: 10)
        dead.bind(before?.position ?? Int64.max, at: 11)
        dead.bind(limit, at: 12)
        var keys: [DeliveryKey] = []
        try dead.forEachRow { row throws(SQLiteError) in keys.append(DeliveryKey(event: try row.int64(0), position: try row.int64(1))) }
        return keys
    }

    /// When a notifier's next delivery is due.
    func nextDue(notifier: String) throws(SQLiteError) -> UInt64? {
        var due: UInt64?
        try nextDue.forEachRow(notifier) { row throws(SQLiteError) in due = row.isNull(0) ? nil : try row.time(0) }
        return due
    }

    /// The registered devices that match, after one of them.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(SQLiteError) -> [Device] {
        var found: [Device] = []
        try devices.forEachRow(filter.appID, filter.userID, filter.deviceID, after?.userID ?? "", after?.deviceID ?? "", limit) {
            row throws(SQLiteError) in
            if let device = try StoredDevice(row).device(filter.appID) { found.append(device) }
        }
        return found
    }

    /// When that pending delivery of a notifier was accepted that expires first.
    func oldestReceivedAt(notifier: String) throws(SQLiteError) -> UInt64? {
        var time: UInt64?
        try oldest.forEachRow(notifier) { row throws(SQLiteError) in time = try row.time(0) }
        return time
    }

    private func rows(
        _ statement: Statement, _ filter: DeliveryFilter, limit: Int, bind: (Statement) -> Void
    ) throws(SQLiteError) -> [Delivery] {
        defer { statement.reset() }
        bind(statement)
        var found: [Delivery] = []
        while found.count < limit, try statement.step() {
            let delivery = try StoredDelivery(statement).delivery
            if filter.matches(delivery) { found.append(delivery) }
        }
        return found
    }
}

extension Statement {
    /// Binds a delivery's id as parameters 1 and 2.
    fileprivate func bind(_ id: UUIDv7) {
        bind(id.event.bytes, at: 1)
        bind(id.position, at: 2)
    }
}

extension DeliveryFilter {
    /// Binds what the statements ask for as parameters 2 to 9.
    fileprivate func bindConditions(to statement: Statement) {
        statement.bind(notifier, at: 2)
        statement.bind(reason, at: 3)
        statement.bind(appID, at: 4)
        statement.bind(userID, at: 5)
        statement.bind(ticketID, at: 6)
        statement.bind(commentID, at: 7)
        statement.bind(receivedFrom?.stored, at: 8)
        statement.bind(receivedBefore?.stored, at: 9)
    }
}

extension DeliveryAttempt {
    /// Reads a row of `attempts`.
    fileprivate init(_ row: Statement) throws(SQLiteError) {
        self.init(
            number: Int(try row.int64(0)), startedAt: try row.time(1), endedAt: row.isNull(2) ? nil : try row.time(2),
            outcome: try row.string(3), reason: try row.string(4))
    }
}
