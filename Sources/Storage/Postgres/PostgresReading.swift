internal import Core
internal import Postgres
internal import Time

/// The queries of operators and metrics. No statement reads more than one step of a growing table.
extension PostgresSession {
    /// The matches of a filter with a delivery or a comment, newest first, before a position; nil for any other filter, which `step`
    /// handles.
    func named(_ filter: DeliveryFilter, before: DeliveryKey, limit: Int) throws(PostgresError) -> DeliveryWalk.Found? {
        if let id = filter.id {
            return try rows(
                Query(ReadingStatements.byID, [.uuid(id.event.bytes), .int4(Int32(id.position))]), filter: filter, before: before,
                limit: limit)
        }
        guard let appID = filter.appID, let comment = filter.commentID else { return nil }
        return try rows(
            Query(ReadingStatements.byComment, [.stored(appID), .stored(comment.text)]), filter: filter, before: before, limit: limit)
    }

    /// The matches before a position among the events with numbers greater than `last`, newest first.
    func step(
        _ filter: DeliveryFilter, before: DeliveryKey, downTo last: Int64, limit: Int
    ) throws(PostgresError) -> DeliveryWalk.Found {
        let state = Parameter.int4((filter.state?.number).map { Int32($0) })
        let common: [Parameter] = [
            .int8(last), .int8(before.event), .int8(before.position), .int8(Int64(limit)), .stored(filter.notifier),
            .stored(filter.reason),
        ]
        let ofEvents: [Parameter] = [
            .stored(filter.appID), .stored(filter.userID), .stored(filter.ticketID?.text), .stored(filter.commentID?.text),
            .int8(filter.receivedFrom?.stored), .int8(filter.receivedBefore?.stored), .stored(filter.kind?.rawValue),
        ]
        let query =
            if filter.state == .dead {
                Query(ReadingStatements.dead, common + ofEvents + [.int8(filter.endedBy)])
            } else if filter.isOfDeliveriesAlone {
                Query(ReadingStatements.byState, common + [state])
            } else {
                Query(ReadingStatements.walk, common + ofEvents + [state])
            }
        return try rows(query, filter: filter, before: before, limit: limit)
    }

    private func rows(
        _ query: Query, filter: DeliveryFilter, before: DeliveryKey, limit: Int
    ) throws(PostgresError) -> [(place: DeliveryCursor, delivery: Delivery)] {
        var found: [(place: DeliveryCursor, delivery: Delivery)] = []
        for row in try run([query])[0] {
            let stored = try StoredRow(row)
            let key = stored.place.key
            guard found.count < limit, (key.event, key.position) < (before.event, before.position), filter.matches(stored.delivery) else {
                continue
            }
            found.append((DeliveryCursor(event: key.event, position: key.position), stored.delivery))
        }
        return found
    }

    func story(of id: UUIDv7) throws(PostgresError) -> DeliveryStory? {
        let parameters: [Parameter] = [.uuid(id.event.bytes), .int4(Int32(id.position))]
        let results = try run([Query(ReadingStatements.byID, parameters), Query(ReadingStatements.attempts, parameters)])
        guard let row = results[0].first else { return nil }
        var attempts: [DeliveryAttempt] = []
        for row in results[1] { attempts.append(try DeliveryAttempt(row)) }
        return DeliveryStory(delivery: try StoredRow(row).delivery, attempts: attempts)
    }

    /// The time of the last webhook of a comment of which only the deduplication record is left.
    func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(PostgresError) -> UnixMilliseconds? {
        try run([Query(ReadingStatements.forgotten, [.stored(appID), .stored(comment.text)])])[0].first?.optionalTime(0)
    }

    /// The matching registered devices after a given one.
    func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(PostgresError) -> [Device] {
        let rows = try run([
            Query(
                ReadingStatements.devices,
                [
                    .stored(filter.appID), .stored(filter.userID), .stored(filter.deviceID), .stored(after?.userID ?? ""),
                    .stored(after?.deviceID ?? ""), .int8(Int64(limit)),
                ])
        ])[0]
        var found: [Device] = []
        for row in rows {
            if let device = try RegistryDevice(row, appID: filter.appID).device { found.append(device) }
        }
        return found
    }

    /// Returns, for each notifier, the number of pending deliveries and the arrival of the one that expires first.
    func pending() throws(PostgresError) -> [PendingDeliveries] {
        let counts = try depth().byNotifier.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        guard !counts.isEmpty else { return [] }
        var pending: [PendingDeliveries] = []
        let oldest = try run(counts.map { Query(ReadingStatements.oldest, .stored($0.key.text)) })
        for ((notifier, count), rows) in zip(counts, oldest) {
            // It may have ended since it was counted.
            guard let row = rows.first else { continue }
            pending.append(PendingDeliveries(notifier: notifier.text, count: count, oldestReceivedAt: try row.time(0)))
        }
        return pending
    }

    func deadCounts() throws(PostgresError) -> DeadCounts {
        var (found, endedBy) = ([DeadDeliveries](), nil as Int64?)
        for row in try run([Query(ReadingStatements.deadCounts)])[0] {
            found.append(try DeadDeliveries(row))
            endedBy = try row.int64(7)
        }
        return DeadCounts(found, endedBy: endedBy)
    }
}

extension StoredRow {
    /// Parses a row of the view `traced_stories`.
    init(_ row: Row) throws(PostgresError) {
        let key = DeliveryKey(event: try row.int64(0), position: Int64(try row.int32(1)))
        let delivery = try Delivery(row, trace: 31)
        let place = DeliveryTransaction.Place(
            key: key, notifier: delivery.notifier, app: try row.int32(28), order: try row.optionalInt64(29), leads: try row.bool(30),
            isPending: delivery.state == .pending, attempts: delivery.attempts)
        self.init(place: place, delivery: delivery, needsDevice: try row.bool(20))
    }
}

private enum ReadingStatements {
    static let forgotten: StaticString = """
        SELECT max(at) FROM past_comments WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND comment_id = $2
        """
    static let byID: StaticString = "SELECT * FROM traced_stories WHERE id = $1 AND position = $2"
    static let byComment: StaticString = """
        SELECT * FROM traced_stories WHERE app_id = $1 AND comment_id = $2 ORDER BY event DESC, position DESC
        """
    // Each query scans one table in the order of its index, and looks up the rest of each match. The view alone does not suffice: the
    // planner does not apply a range of `deliveries.event` to `events.number`, and does not use the index of dead deliveries behind
    // `state::integer`.
    static let walk: StaticString = """
        SELECT traced_stories.* FROM events AS walked JOIN traced_stories ON event = walked.number
        WHERE walked.number > $1 AND walked.number <= $2 AND (walked.number, position) < ($2, $3)
            AND ($7::text IS NULL OR walked.app = (SELECT number FROM apps WHERE app_id = $7))
            AND ($8::text IS NULL OR walked.user_id = $8) AND ($9::text IS NULL OR walked.ticket_id = $9)
            AND ($10::text IS NULL OR walked.comment_id = $10) AND ($11::bigint IS NULL OR walked.received_at >= $11)
            AND ($12::bigint IS NULL OR walked.received_at < $12) AND ($5::text IS NULL OR notifier = $5)
            AND ($6::text IS NULL OR reason = $6) AND ($13::text IS NULL OR walked.kind = $13) AND ($14::integer IS NULL OR state = $14)
        ORDER BY walked.number DESC, position DESC LIMIT $4
        """
    static let byState: StaticString = """
        SELECT traced_stories.* FROM deliveries AS walked JOIN traced_stories ON traced_stories.event = walked.event AND traced_stories.position = walked.position
        WHERE walked.event > $1 AND (walked.event, walked.position) < ($2, $3) AND ($5::text IS NULL OR walked.notifier = $5)
            AND ($6::text IS NULL OR walked.reason = $6) AND ($7::integer IS NULL OR walked.state = $7)
        ORDER BY walked.event DESC, walked.position DESC LIMIT $4
        """
    static let dead: StaticString = """
        SELECT traced_stories.* FROM deliveries AS walked JOIN traced_stories ON traced_stories.event = walked.event AND traced_stories.position = walked.position
        WHERE walked.state = 2 AND walked.event > $1 AND (walked.event, walked.position) < ($2, $3)
            AND ($5::text IS NULL OR walked.notifier = $5) AND ($6::text IS NULL OR walked.reason = $6)
            AND ($7::text IS NULL OR app_id = $7) AND ($8::text IS NULL OR user_id = $8) AND ($9::text IS NULL OR ticket_id = $9)
            AND ($10::text IS NULL OR comment_id = $10) AND ($11::bigint IS NULL OR received_at >= $11)
            AND ($12::bigint IS NULL OR received_at < $12) AND ($13::text IS NULL OR kind = $13)
            AND ($14::bigint IS NULL OR walked.ended_at <= $14)
        ORDER BY walked.event DESC, walked.position DESC LIMIT $4
        """
    static let attempts: StaticString = """
        SELECT attempts.number, started_at, ended_at, outcome, reason FROM attempts JOIN events ON events.number = event
        WHERE id = $1 AND position = $2 ORDER BY attempts.number
        """
    static let devices: StaticString = """
        SELECT app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at, key_id, salt
        FROM devices
        WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND ($2::text IS NULL OR user_id = $2)
            AND ($3::text IS NULL OR device_id = $3)
            AND (user_id, device_id) > ($4, $5) AND token IS NOT NULL
        ORDER BY user_id, device_id LIMIT $6
        """
    // One statement sees the counts and the deliveries in one snapshot.
    static let deadCounts: StaticString = """
        WITH last_dead AS MATERIALIZED (
            SELECT notifier, app, reason, ended_at FROM deliveries WHERE state = 2 AND ended_at IS NOT NULL
            ORDER BY ended_at DESC LIMIT 1000)
        SELECT notifier, app_id, reason, counted.count,
            (SELECT received_at FROM events WHERE number = (
                SELECT event FROM deliveries
                WHERE state = 2 AND notifier = counted.notifier AND app = counted.app AND reason = counted.reason
                ORDER BY event, position LIMIT 1)),
            (SELECT received_at FROM events WHERE number = (
                SELECT event FROM deliveries
                WHERE state = 2 AND notifier = counted.notifier AND app = counted.app AND reason = counted.reason
                ORDER BY event DESC, position DESC LIMIT 1)),
            (SELECT max(ended_at) FROM last_dead
                WHERE notifier = counted.notifier AND app = counted.app AND reason = counted.reason),
            (SELECT max(ended_at) FROM last_dead)
        FROM (
            SELECT notifier, app, reason, sum(count)::bigint AS count FROM dead_counts GROUP BY notifier, app, reason HAVING sum(count) > 0
        ) AS counted JOIN apps ON apps.number = counted.app
        """
    static let oldest: StaticString = """
        SELECT received_at FROM events WHERE number = (
            SELECT event FROM deliveries WHERE state = 0 AND notifier = $1 ORDER BY expires_at, event, position LIMIT 1)
        """
}
