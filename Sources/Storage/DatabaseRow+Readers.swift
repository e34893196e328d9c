internal import Core
internal import Time

extension Delivery {
    /// Reads a row of the view `stories`, or of `traced_stories` in PostgreSQL.
    /// - Parameter trace: the index of the column with the event's trace.
    init<Row: DatabaseRow>(_ row: Row, trace: Int) throws(Row.Failure) {
        let event = try Event(row, trace: trace)
        self.init(
            id: event.id.delivery(try row.int(1)), notifier: try row.stored(3), event: event, deviceID: try row.optionalStored(21),
            device: row.isNull(22) ? nil : try Device(row, of: event), state: try row.state(4), attempts: try row.int(5),
            dueAt: try row.time(6), endedAt: try row.optionalTime(7), reason: try row.stored(8))
    }
}

extension Event {
    fileprivate init<Row: DatabaseRow>(_ row: Row, trace: Int) throws(Row.Failure) {
        guard let kind = Kind(rawValue: try row.stored(10)) else { throw row.mismatch(10, "is not a kind of event") }
        let identity = Identity(
            appID: try row.stored(11), ticketID: try row.helpDeskID(12), commentID: try row.helpDeskID(13), deviceID: try row.stored(14))
        self.init(
            id: try row.uuidv7(2), kind: kind, identity: identity, userID: try row.stored(16), deviceType: try row.optionalStored(15),
            occurredAt: try row.time(17), receivedAt: try row.time(18), expiresAt: try row.time(9), data: try row.bytes(19),
            trace: try row.optionalBytes(trace).flatMap { TraceContext(bytes: $0) })
    }
}

extension Device {
    fileprivate init<Row: DatabaseRow>(_ row: Row, of event: Event) throws(Row.Failure) {
        self.init(
            key: Key(appID: event.identity.appID, userID: event.userID, deviceID: try row.stored(21)), type: try row.stored(22),
            token: PushToken(try row.stored(23), digest: try row.bytes(24)), environment: try row.optionalStored(25),
            registeredAt: try row.time(26), seenAt: try row.time(27))
    }
}

extension DeliveryAttempt {
    /// Reads a row of `attempts`, beginning with the column `number`.
    init<Row: DatabaseRow>(_ row: Row) throws(Row.Failure) {
        self.init(
            number: try row.int(0), startedAt: try row.time(1), endedAt: try row.optionalTime(2), outcome: try row.stored(3),
            reason: try row.stored(4))
    }
}

extension DeadDeliveries {
    /// Reads a row of `notifier, app_id, reason, count`, the moments of the oldest and the newest event, and the moment when the last
    /// delivery ended.
    init<Row: DatabaseRow>(_ row: Row) throws(Row.Failure) {
        self.init(
            notifier: try row.stored(0), appID: try row.stored(1), reason: try row.stored(2), count: Int(try row.int64(3)),
            oldestReceivedAt: try row.time(4), newestReceivedAt: try row.time(5), newestEndedAt: try row.optionalTime(6))
    }
}

extension Revocation {
    /// Reads a row of `version, id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed`.
    init<Row: DatabaseRow>(_ row: Row) throws(Row.Failure) {
        let columns = RevokedColumns(
            userID: try row.optionalStored(3), salt: try row.optionalBytes(4), keyID: try row.optionalInt64(5),
            former: try row.optionalBytes(10))
        guard let subject = columns.subject else { throw row.mismatch(4, "is not a subject of a revocation") }
        self.init(
            id: try row.uuidv7(1), appID: try row.stored(2), subject: subject,
            issuedBefore: try row.optionalInt64(6).map { UnixSeconds(rawValue: UInt64(clamping: $0)) }, reason: try row.stored(7),
            author: try row.stored(8), createdAt: try row.time(9), devicesRemoved: Int(clamping: try row.int64(11)))
    }
}

extension BotCall {
    /// Reads a row of `number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at`.
    init<Row: DatabaseRow>(_ row: Row) throws(Row.Failure) {
        guard let outcome = Outcome(rawValue: try row.stored(9)) else { throw row.mismatch(9, "is not an outcome of a call") }
        var ending: Ending?
        if let endedAt = try row.optionalTime(13) {
            ending = Ending(
                outcome, statusCode: row.isNull(10) ? nil : try row.int(10), reason: try row.optionalStored(11), at: endedAt)
        }
        self.init(
            id: try row.uuidv7(1), key: try row.optionalBytes(2), appID: try row.stored(3), userID: try row.stored(4),
            bot: try row.stored(5), function: try row.stored(6), argumentsSHA256: try row.stored(7),
            arguments: try row.optionalStored(8), at: try row.time(12), ending: ending)
    }
}
