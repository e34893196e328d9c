internal import Core
internal import Postgres
internal import Time

/// Changes of deliveries by operators and by time. Each call is one transaction of limited size.
extension DeliveryTransaction {
    /// Makes dead deliveries pending and due now, if the queue has room. Later deliveries in the same order wait for them.
    func revive(_ keys: [DeliveryKey], now: UnixMilliseconds, expiresAt: UnixMilliseconds) throws(PostgresError) -> RetryStep {
        var (step, places) = (RetryStep(), [Place]())
        // Processes the newest deliveries first, until the queue is full.
        for (place, own) in try lockDead(keys).reversed() {
            let obstacle = try own == nil ? obstacle(to: place) : own
            step.count(obstacle)
            guard obstacle == nil else { continue }
            places.append(place)
            depth.add(1, to: place.notifier, of: place.app)
        }
        guard !places.isEmpty else { return step }
        let found = places.map(\.key)
        let ordered = places.filter { $0.order != nil }
        let heads: [Parameter] = [
            .storedArray(ordered.map(\.notifier)), .int4Array(ordered.map(\.app)), .int8Array(ordered.compactMap(\.order)),
        ]
        _ = try session.run(
            (ordered.isEmpty ? [] : [Query(UpkeepStatements.raiseHeads, heads), Query(UpkeepStatements.follow, heads)]) + [
                Query(
                    UpkeepStatements.revive,
                    [
                        .int8Array(found.map(\.event)), .int4Array(found.map { Int32($0.position) }), .int8(now.stored),
                        .int8(expiresAt.stored),
                    ])
            ] + (ordered.isEmpty ? [] : [Query(WorkStatements.lead, heads)]))
        return step
    }

    /// Returns the reason why the queue has no room for another delivery; nil when it has room.
    private func obstacle(to place: Place) throws(PostgresError) -> RetryObstacle? {
        if depth.isUnread { depth.take(try session.depth()) }
        return batch.unit.settings.bounds.obstacle(total: depth.total) { depth.queue(place.notifier, of: place.app) }
    }

    /// Ends expired deliveries that are not being attempted as dead.
    func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) throws(PostgresError) -> [ExpiredDeliveries] {
        var expired: [ExpiredDeliveries] = []
        var left = limit
        for notifier in try notifiers() where left > 0 {
            let places = try overdue(notifier, expiredBy: expiredBy, dueBy: now, limit: left)
            try end(places.map { Ending(place: $0, state: .dead, reason: StoreRules.expired, at: now) })
            if !places.isEmpty { expired.append(ExpiredDeliveries(notifier: notifier, count: places.count)) }
            left -= places.count
        }
        return expired
    }

    /// Ends pending deliveries of a notifier as dead, including deliveries that are being attempted.
    func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        let places = try overdue(notifier, expiredBy: .max, dueBy: .max, limit: limit)
        try end(places.map { Ending(place: $0, state: .dead, reason: StoreRules.purged, at: now) })
        return places.count
    }

    /// Locks the notifier's pending deliveries that the person has read, except rows that another transaction has locked, for example to
    /// claim them.
    func read(_ receipt: ReadReceipt, notifier: String, app: Int32) throws(PostgresError) -> [Place] {
        let parameters: [Parameter] = [
            .stored(notifier), .int4(app), .int8(Int64(ReadReceipt.maximumExaminedDeliveries)), .stored(receipt.person.userID),
            .int8(receipt.receivedAt.stored), .int8((receipt.readAt ?? .max).stored), .stored(receipt.conversation?.text),
        ]
        var (events, positions) = ([Int64](), [Int32]())
        for row in try session.run([Query(UpkeepStatements.read, parameters)])[0] {
            events.append(try row.int64(0))
            positions.append(try row.int32(1))
        }
        guard !events.isEmpty else { return [] }
        return try places(Query(UpkeepStatements.lockPending, [.int8Array(events), .int4Array(positions)]))
    }

    /// Lowers the expiry of pending deliveries to `latest`, if it is later.
    func expireBy(_ latest: UnixMilliseconds, limit: Int) throws(PostgresError) {
        _ = try session.run([Query(UpkeepStatements.expireBy, [.int8(latest.stored), .int8(Int64(limit))])])
    }

    /// Deletes deliveries that ended in `state` before `time`, and events that have no deliveries left. Comments of deleted events are
    /// still recognised as duplicates.
    /// - Returns: the number of deleted deliveries.
    func forget(_ state: Delivery.State, before time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        guard limit > 0 else { return 0 }
        let rows = try session.run([
            Query(UpkeepStatements.forget, [.int4(Int32(state.number)), .int8(time.stored), .int8(Int64(limit))])
        ])[0]
        var keys: [DeliveryKey] = []
        for row in rows { keys.append(DeliveryKey(event: try row.int64(0), position: Int64(try row.int32(1)))) }
        guard !keys.isEmpty else { return 0 }
        let events = Parameter.int8Array(Array(Set(keys.map(\.event))).sorted())
        let released = try session.run([
            Query(UpkeepStatements.forgetAttempts, [.int8Array(keys.map(\.event)), .int4Array(keys.map { Int32($0.position) })]),
            Query(WorkStatements.dropData, [events]), Query(UpkeepStatements.releaseEvents, [events]),
        ])[2]
        try remember(released)
        // Writes the batch now, because the next step deletes comments that no longer need to be recognised.
        try batch.write()
        return keys.count
    }

    /// Deletes the identities of comments that no longer need to be recognised as duplicates.
    func forgetPast(receivedBefore time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        guard limit > 0 else { return 0 }
        return try session.run([Query(UpkeepStatements.forgetPast, [.int8(time.stored), .int8(Int64(limit))])])[0].count
    }

    private func notifiers() throws(PostgresError) -> [String] {
        try session.depth().byNotifier.filter { $0.value > 0 }.keys.sorted().map(\.text)
    }

    private func overdue(
        _ notifier: String, expiredBy: UnixMilliseconds, dueBy: UnixMilliseconds, limit: Int
    ) throws(PostgresError) -> [Place] {
        try places(
            Query(UpkeepStatements.overdue, [.stored(notifier), .int8(expiredBy.stored), .int8(dueBy.stored), .int8(Int64(limit))]))
    }

    /// Locks the dead deliveries among `keys`.
    /// - Returns: the deliveries in the order of their keys, each with the reason why it cannot be retried even if the queue has room.
    private func lockDead(_ keys: [DeliveryKey]) throws(PostgresError) -> [(place: Place, obstacle: RetryObstacle?)] {
        let query = Query(UpkeepStatements.lockDead, [.int8Array(keys.map(\.event)), .int4Array(keys.map { Int32($0.position) })])
        var found: [(place: Place, obstacle: RetryObstacle?)] = []
        for row in try session.run([query])[0] {
            found.append((try Place(row), StoreRules.obstacle(isErased: try row.bool(8), lacksDevice: try row.bool(9))))
        }
        return found
    }

    /// Deletes events with their deliveries and attempts. Their comments are still recognised as duplicates.
    func erase(_ events: [Int64], now: UnixMilliseconds) throws(PostgresError) -> Erasure {
        let events = Parameter.int8Array(events.sorted())
        let found = try places(Query(UpkeepStatements.lockOfEvents, [events]))
        var erasure = Erasure()
        (erasure.events, erasure.deliveries) = (Set(found.map(\.key.event)).count, found.count)
        for place in found where place.isPending { erasure.pending[ByteKey(place.notifier), default: 0] += 1 }
        try end(found.filter(\.isPending).map { Ending(place: $0, state: .dead, reason: StoreRules.forgotten, at: now) })
        let released = try session.run([
            Query(UpkeepStatements.eraseAttempts, [events]), Query(UpkeepStatements.eraseDeliveries, [events]),
            Query(UpkeepStatements.releaseEvents, [events]),
        ])[2]
        try remember(released)
        return erasure
    }

    /// Deletes the row of a person who has no devices left.
    func erase(_ person: AppUser) throws(PostgresError) {
        _ = try session.run([Query(UpkeepStatements.erasePerson, [.stored(person.appID), .stored(person.userID)])])
    }

    private func remember(_ released: Rows) throws(PostgresError) {
        for row in released {
            let identity = Event.Identity(
                appID: "", ticketID: try row.helpDeskID(2), commentID: try row.helpDeskID(1), deviceID: try row.stored(3))
            batch.remember(identity, app: try row.int32(0), id: try row.uuidv7(4), receivedAt: try row.time(5))
        }
    }

    private func places(_ query: Query) throws(PostgresError) -> [Place] {
        var places: [Place] = []
        for row in try session.run([query])[0] { places.append(try Place(row)) }
        return places
    }
}

// Limited queries are materialised. Otherwise the planner may run such a query in a join once for each row, and the statement changes more
// rows than the limit.
private enum UpkeepStatements {
    static let lockOfEvents: StaticString = """
        SELECT event, position, notifier, app, order_key, leads, state::integer, attempts FROM deliveries
        WHERE event = ANY ($1::bigint[]) ORDER BY event, position FOR UPDATE
        """
    static let eraseAttempts: StaticString = "DELETE FROM attempts WHERE event = ANY ($1::bigint[])"
    static let eraseDeliveries: StaticString = "DELETE FROM deliveries WHERE event = ANY ($1::bigint[])"
    static let erasePerson: StaticString = """
        DELETE FROM persons WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND user_id = $2
        """
    static let lockDead: StaticString = """
        SELECT deliveries.event, deliveries.position, notifier, app, order_key, leads, state::integer, attempts,
            EXISTS (SELECT 1 FROM events WHERE number = wanted.event AND erased),
            needs_device AND NOT EXISTS (SELECT 1 FROM events JOIN devices USING (app, user_id)
                WHERE number = wanted.event AND devices.device_id = deliveries.device_id AND token IS NOT NULL)
        FROM unnest($1::bigint[], $2::integer[]) AS wanted (event, position)
            JOIN deliveries ON deliveries.event = wanted.event AND deliveries.position = wanted.position AND state = 2
        ORDER BY deliveries.event, deliveries.position FOR NO KEY UPDATE OF deliveries
        """
    static let overdue: StaticString = """
        SELECT event, position, notifier, app, order_key, leads, state::integer, attempts FROM deliveries
        WHERE state = 0 AND notifier = $1 AND expires_at <= $2 AND due_at <= $3
        ORDER BY expires_at, event, position LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
        """
    // Reads in the order of `deliveries_turns`. The notifiers are push providers, whose deliveries are not ordered, so each delivery leads.
    // OFFSET makes the planner look up the events one by one; it would otherwise scan the table, because events have no index by person.
    static let read: StaticString = """
        WITH waiting AS MATERIALIZED (
            SELECT event, position FROM deliveries WHERE state < 1 AND leads IS NOT FALSE AND notifier = $1 AND app = $2
            ORDER BY due_at, event, position LIMIT $3
        )
        SELECT event, position FROM waiting
            CROSS JOIN LATERAL (
                SELECT 1 FROM events
                WHERE number = waiting.event AND user_id = $4 AND received_at <= $5 AND occurred_at <= $6
                    AND ($7::text IS NULL OR ticket_id = $7)
                OFFSET 0
            ) AS read
        """
    static let lockPending: StaticString = """
        SELECT deliveries.event, deliveries.position, notifier, app, order_key, leads, state::integer, attempts
        FROM unnest($1::bigint[], $2::integer[]) AS wanted (event, position)
            JOIN deliveries ON deliveries.event = wanted.event AND deliveries.position = wanted.position AND state = 0
        ORDER BY deliveries.event, deliveries.position FOR NO KEY UPDATE OF deliveries SKIP LOCKED
        """
    static let raiseHeads: StaticString = """
        INSERT INTO order_heads (notifier, app, order_key, waiting)
        SELECT notifier, app, order_key, count(*) FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS new (notifier, app, order_key)
        GROUP BY 1, 2, 3 ORDER BY notifier COLLATE "C", 2, 3
        ON CONFLICT (notifier, app, order_key) DO UPDATE SET waiting = order_heads.waiting + excluded.waiting
        """
    static let follow: StaticString = """
        UPDATE deliveries SET leads = false FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::integer[], $3::bigint[])) AS head (notifier, app, order_key)
        WHERE state = 0 AND deliveries.order_key IS NOT NULL AND leads AND deliveries.notifier = head.notifier AND deliveries.app = head.app
            AND deliveries.order_key = head.order_key
        """
    static let revive: StaticString = """
        UPDATE deliveries SET state = 0, leads = order_key IS NULL, due_at = $3, expires_at = $4, ended_at = NULL
        FROM unnest($1::bigint[], $2::integer[]) AS revived (event, position)
        WHERE deliveries.event = revived.event AND deliveries.position = revived.position
        """
    static let expireBy: StaticString = """
        WITH late AS MATERIALIZED (
            SELECT event, position FROM deliveries WHERE state = 0 AND expires_at > $1 LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE deliveries SET expires_at = $1 FROM late
        WHERE deliveries.event = late.event AND deliveries.position = late.position
        """
    static let forget: StaticString = """
        WITH old AS MATERIALIZED (
            SELECT event, position FROM deliveries WHERE state = $1 AND ended_at < $2 ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM deliveries USING old
        WHERE deliveries.event = old.event AND deliveries.position = old.position
        RETURNING deliveries.event, deliveries.position
        """
    static let forgetAttempts: StaticString = """
        DELETE FROM attempts USING unnest($1::bigint[], $2::integer[]) AS old (event, position)
        WHERE attempts.event = old.event AND attempts.position = old.position
        """
    static let releaseEvents: StaticString = """
        DELETE FROM events WHERE number = ANY ($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = number)
        RETURNING app, comment_id, ticket_id, device_id, id, received_at
        """
    static let forgetPast: StaticString = """
        WITH old AS MATERIALIZED (SELECT app, comment_id, mark FROM past_comments WHERE at < $1 ORDER BY at LIMIT $2)
        DELETE FROM past_comments USING old
        WHERE past_comments.app = old.app AND past_comments.comment_id = old.comment_id AND past_comments.mark = old.mark
        RETURNING past_comments.app
        """
}
