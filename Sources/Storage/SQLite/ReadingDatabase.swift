internal import Core
internal import SQLite
internal import Time

/// A read-only connection with its statements. Each call sees the last commit. Only one thread at a time may use it.
///
/// No call reads more than one step of a growing table, and none continues after `end`, so that no read delays a restart of the log or
/// another reader for long.
final class ReadingDatabase {
    private let byID, byComment, byState, deadStories, walk, ends, attempts, oldest, dead, forgotten: Statement
    private let devicesOfApp, devicesOfPerson: Statement
    let revocationQueries: RevocationQueries
    let limitQueries: LimitQueries
    let botCallQueries: BotCallQueries
    let nameQueries: NameQueries
    let keyUses: Statement
    let conditions: Statement
    let erasureQueries: ErasureQueries
    /// The time at which the call in progress is ended.
    let end: ReadingEnd

    /// Uses a connection that no other thread uses.
    init(_ connection: Connection, until end: ReadingEnd) throws(SQLiteError) {
        self.end = end
        connection.endStatements { end.hasCome }
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        byID = try prepare("SELECT * FROM stories WHERE id = ?1 AND position = ?2")
        byComment = try prepare(
            "SELECT * FROM stories WHERE app_id = ?1 AND comment_id = ?2 ORDER BY event DESC, position DESC")
        ends = try prepare("SELECT coalesce((SELECT min(number) FROM events), 1), coalesce((SELECT max(number) FROM events), 0)")
        // Only the position limits these from above: with a second limit SQLite would begin each step at the newest event.
        walk = try prepare(
            """
            SELECT * FROM walk
            WHERE number > ?1 AND (?13 IS NULL OR state = ?13) AND (?2 IS NULL OR notifier = ?2)
                AND (?3 IS NULL OR reason = ?3) AND (?4 IS NULL OR app_id = ?4) AND (?5 IS NULL OR user_id = ?5)
                AND (?6 IS NULL OR ticket_id = ?6) AND (?7 IS NULL OR comment_id = ?7) AND (?8 IS NULL OR received_at >= ?8)
                AND (?9 IS NULL OR received_at < ?9) AND (?14 IS NULL OR kind = ?14) AND (number, position) < (?11, ?12)
            ORDER BY number DESC, position DESC LIMIT ?10
            """)
        byState = try prepare(
            """
            SELECT * FROM stories
            WHERE event > ?1 AND (?13 IS NULL OR state = ?13) AND (?2 IS NULL OR notifier = ?2) AND (?3 IS NULL OR reason = ?3)
                AND (event, position) < (?11, ?12)
            ORDER BY event DESC, position DESC LIMIT ?10
            """)
        deadStories = try prepare(
            """
            SELECT * FROM stories
            WHERE state = 2 AND (?2 IS NULL OR notifier = ?2) AND (?3 IS NULL OR reason = ?3)
                AND (?4 IS NULL OR app_id = ?4) AND (?5 IS NULL OR user_id = ?5) AND (?6 IS NULL OR ticket_id = ?6)
                AND (?7 IS NULL OR comment_id = ?7) AND (?8 IS NULL OR received_at >= ?8) AND (?9 IS NULL OR received_at < ?9)
                AND (?14 IS NULL OR kind = ?14) AND (?13 IS NULL OR ended_at <= ?13) AND event > ?1 AND (event, position) < (?11, ?12)
            ORDER BY event DESC, position DESC LIMIT ?10
            """)
        attempts = try prepare(
            """
            SELECT number, started_at, ended_at, outcome, reason FROM attempts
            WHERE event = ?1 AND position = ?2 ORDER BY number
            """)
        // Reads also the rows that do not match, so that one pass finds the end of the step.
        devicesOfApp = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt,
                (?4 IS NULL OR device_id = ?4) AND token IS NOT NULL
            FROM devices WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND (user_id, device_id) > (?2, ?3)
            ORDER BY user_id, device_id LIMIT ?5
            """)
        devicesOfPerson = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt
            FROM devices
            WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND user_id = ?2 AND device_id > ?3 AND (?4 IS NULL OR device_id = ?4)
                AND token IS NOT NULL
            ORDER BY device_id LIMIT ?5
            """)
        dead = try prepare(
            """
            WITH last_dead AS MATERIALIZED (
                SELECT notifier, app, reason, ended_at FROM deliveries WHERE state = 2 AND ended_at IS NOT NULL
                ORDER BY ended_at DESC LIMIT 1000)
            SELECT notifier, app_id, reason, count,
                (SELECT received_at FROM events WHERE number = (
                    SELECT event FROM deliveries
                    WHERE state = 2 AND notifier = dead_counts.notifier AND app = dead_counts.app AND reason = dead_counts.reason
                    ORDER BY event LIMIT 1)),
                (SELECT received_at FROM events WHERE number = (
                    SELECT event FROM deliveries
                    WHERE state = 2 AND notifier = dead_counts.notifier AND app = dead_counts.app AND reason = dead_counts.reason
                    ORDER BY event DESC LIMIT 1)),
                (SELECT max(ended_at) FROM last_dead
                    WHERE notifier = dead_counts.notifier AND app = dead_counts.app AND reason = dead_counts.reason),
                (SELECT max(ended_at) FROM last_dead)
            FROM dead_counts CROSS JOIN apps ON number = app WHERE count > 0
            """)
        revocationQueries = try RevocationQueries(connection)
        limitQueries = try LimitQueries(connection)
        botCallQueries = try BotCallQueries(connection)
        nameQueries = try NameQueries(connection)
        keyUses = try prepare("SELECT app_id, key_id, since, used_at FROM key_uses ORDER BY app_id, key_id")
        conditions = try prepare("SELECT kind, subject, since, data FROM conditions ORDER BY kind, subject")
        erasureQueries = try ErasureQueries(connection)
        forgotten = try prepare(
            "SELECT max(at) FROM past_comments WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND comment_id = ?2")
        oldest = try prepare(
            """
            SELECT received_at FROM events WHERE number = (
                SELECT event FROM deliveries WHERE state = 0 AND notifier = ?1 ORDER BY expires_at, event, position LIMIT 1)
            """)
    }

    /// Lists the matches of a filter that contains the id of a delivery or a comment, newest first, before a position; nil for any other
    /// filter, which `step` handles.
    func named(
        _ filter: DeliveryFilter, before: DeliveryKey, limit: Int
    ) throws(SQLiteError) -> [(place: DeliveryCursor, delivery: Delivery)]? {
        if let id = filter.id { return try rows(byID, filter, before: before, limit: limit) { $0.bind(id) } }
        guard let appID = filter.appID, let comment = filter.commentID else { return nil }
        return try rows(byComment, filter, before: before, limit: limit) { statement in
            statement.bind(appID, at: 1)
            statement.bind(comment.text, at: 2)
        }
    }

    /// The numbers of the oldest and the newest event; without events the oldest is greater than the newest.
    func events() throws(SQLiteError) -> (oldest: Int64, newest: Int64) {
        var numbers: (oldest: Int64, newest: Int64) = (1, 0)
        try ends.forEachRow { row throws(SQLiteError) in numbers = (try row.int64(0), try row.int64(1)) }
        return numbers
    }

    /// Lists the matches before a position among the events with numbers greater than `last`, newest first.
    func step(
        _ filter: DeliveryFilter, before: DeliveryKey, downTo last: Int64, limit: Int
    ) throws(SQLiteError) -> [(place: DeliveryCursor, delivery: Delivery)] {
        let statement = filter.state == .dead ? deadStories : filter.isOfDeliveriesAlone ? byState : walk
        return try rows(statement, filter, before: before, limit: limit) { statement in
            statement.bind(last, at: 1)
            filter.bindConditions(to: statement)
            statement.bind(limit, at: 10)
            statement.bind(before.event, at: 11)
            statement.bind(before.position, at: 12)
            if statement !== byState { statement.bind(filter.kind?.rawValue, at: 14) }
            if statement === deadStories { statement.bind(filter.endedBy, at: 13) } else { statement.bind(filter.state?.number, at: 13) }
        }
    }

    /// A delivery with its attempts, both from the same snapshot.
    func story(of id: UUIDv7) throws(SQLiteError) -> DeliveryStory? {
        defer { byID.reset() }
        byID.bind(id)
        // The first statement stays open, so the second one reads the same snapshot.
        guard try byID.step() else { return nil }
        let stored = try StoredDelivery(byID)
        var tries: [DeliveryAttempt] = []
        try attempts.forEachRow(stored.key.event, stored.key.position) { row throws(SQLiteError) in
            tries.append(try DeliveryAttempt(row))
        }
        return DeliveryStory(delivery: stored.delivery, attempts: tries)
    }

    /// The arrival of the last webhook about a comment whose event was deleted, but which is still recognised.
    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(SQLiteError) -> UnixMilliseconds? {
        var time: UnixMilliseconds?
        try forgotten.forEachRow(appID, comment.text) { row throws(SQLiteError) in time = row.isNull(0) ? nil : try row.time(0) }
        return time
    }

    /// The matching registered devices of a person after the device `after`.
    func devices(_ filter: DeviceFilter, of userID: String, after: String, limit: Int) throws(SQLiteError) -> [Device] {
        var found: [Device] = []
        try devicesOfPerson.forEachRow(filter.appID, userID, after, filter.deviceID, limit) { row throws(SQLiteError) in
            if let device = try RegistryDevice(row, appID: filter.appID).device { found.append(device) }
        }
        return found
    }

    /// The matching registered devices among the next `rows` rows after a key.
    /// - Returns: the devices, and the key after which the next step begins; nil when there are no more rows.
    func step(
        _ filter: DeviceFilter, after: Device.Key?, rows: Int, limit: Int
    ) throws(SQLiteError) -> (found: [Device], next: Device.Key?) {
        defer { devicesOfApp.reset() }
        devicesOfApp.bind(filter.appID, at: 1)
        devicesOfApp.bind(after?.userID ?? "", at: 2)
        devicesOfApp.bind(after?.deviceID ?? "", at: 3)
        devicesOfApp.bind(filter.deviceID, at: 4)
        devicesOfApp.bind(rows, at: 5)
        var (found, count) = ([Device](), 0)
        while found.count < limit, try devicesOfApp.step() {
            count += 1
            if try devicesOfApp.int64(12) != 0, let device = try RegistryDevice(devicesOfApp, appID: filter.appID).device {
                found.append(device)
            }
            guard count == rows else { continue }
            let last = Device.Key(
                appID: filter.appID, userID: try devicesOfApp.string(7), deviceID: try devicesOfApp.string(0))
            return (found, last)
        }
        return (found, nil)
    }

    /// The arrival time of the pending delivery of a notifier that expires first.
    func oldestReceivedAt(notifier: String) throws(SQLiteError) -> UnixMilliseconds? {
        var time: UnixMilliseconds?
        try oldest.forEachRow(notifier) { row throws(SQLiteError) in time = try row.time(0) }
        return time
    }

    func deadCounts() throws(SQLiteError) -> DeadCounts {
        var (found, endedBy) = ([DeadDeliveries](), nil as Int64?)
        try dead.forEachRow { row throws(SQLiteError) in
            found.append(try DeadDeliveries(row))
            endedBy = try row.int64(7)
        }
        return DeadCounts(found, endedBy: endedBy)
    }

    private func rows(
        _ statement: Statement, _ filter: DeliveryFilter, before: DeliveryKey, limit: Int, bind: (Statement) -> Void
    ) throws(SQLiteError) -> [(place: DeliveryCursor, delivery: Delivery)] {
        defer { statement.reset() }
        bind(statement)
        var found: [(place: DeliveryCursor, delivery: Delivery)] = []
        while found.count < limit, try statement.step() {
            let stored = try StoredDelivery(statement)
            let key = stored.key
            guard (key.event, key.position) < (before.event, before.position), filter.matches(stored.delivery) else { continue }
            found.append((DeliveryCursor(event: key.event, position: key.position), stored.delivery))
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
    /// Binds the filter's conditions as parameters 2 to 9.
    fileprivate func bindConditions(to statement: Statement) {
        statement.bind(notifier, at: 2)
        statement.bind(reason, at: 3)
        statement.bind(appID, at: 4)
        statement.bind(userID, at: 5)
        statement.bind(ticketID?.text, at: 6)
        statement.bind(commentID?.text, at: 7)
        statement.bind(receivedFrom?.stored, at: 8)
        statement.bind(receivedBefore?.stored, at: 9)
    }
}
