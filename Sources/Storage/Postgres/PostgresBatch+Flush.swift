internal import Core
internal import Postgres
internal import Time

extension PostgresBatch {
    /// Writes all changes now, so that the transaction's next statements see them.
    func write() throws(PostgresError) {
        let queries = try flush()
        if !queries.isEmpty { _ = try unit.session.run(queries) }
        unit.wrote()
        depth.wrote()
        (newEvents, remembered, changedConversations, endedCalls) = ([], [], [:], [])
    }

    /// The statements that write all changes, in the required order.
    func flush() throws(PostgresError) -> [Query] {
        try unit.flush() + events() + deliveries() + recognitions() + conversationRows() + callRows() + depthRows()
    }

    private func events() -> [Query] {
        guard !newEvents.isEmpty else { return [] }
        let events = newEvents.map(\.event)
        return [
            Query(
                EventStatements.insertEvents,
                [
                    .int4Array(newEvents.map(\.app)), .storedArray(events.map { $0.identity.commentID?.text }),
                    .storedArray(events.map { $0.identity.ticketID?.text }), .storedArray(events.map(\.identity.deviceID)),
                    .storedArray(events.map(\.deviceType)), .uuidArray(events.map(\.id.bytes)), .storedArray(events.map(\.kind.rawValue)),
                    .storedArray(events.map(\.userID)), .int8Array(events.map(\.occurredAtByDatabase.stored)),
                    .int8Array(events.map(\.receivedAt.stored)),
                    .byteaArray(newEvents.map(\.data)), .boolArray(newEvents.map(\.isErased)),
                    .byteaArray(events.map { $0.trace?.bytes }),
                ])
        ]
    }

    private func deliveries() -> [Query] {
        guard !newEvents.isEmpty else { return [] }
        var rows = DeliveryRows()
        for new in newEvents {
            for (position, row) in new.rows.enumerated() { rows.add(row, position, of: new) }
        }
        return [Query(EventStatements.insertDeliveries, rows.parameters)]
    }

    private func recognitions() -> [Query] {
        guard !remembered.isEmpty else { return [] }
        return [
            Query(
                EventStatements.remember, .int4Array(remembered.map(\.app)), .storedArray(remembered.map(\.comment.text)),
                .int8Array(remembered.map(\.mark)), .int8Array(remembered.map(\.receivedAt.stored)), .uuidArray(remembered.map(\.id.bytes)))
        ]
    }

    private func depthRows() -> [Query] { depth.query }
}

extension Event {
    /// The time of the event. Only a help desk's time is not by the database's clock.
    fileprivate var occurredAtByDatabase: UnixMilliseconds { kind.isReported ? occurredAt : receivedAt }
}

extension QueueDepth {
    /// Adds rows with the changes. A row that every transaction updates would get a long chain of versions while a transaction stays open.
    var query: [Query] {
        let changed = unwritten.counts.flatMap { notifier, apps in
            apps.compactMap { app, count in app.map { (notifier: notifier, app: $0, count: count) } }
        }
        guard !changed.isEmpty else { return [] }
        return [
            Query(
                EventStatements.addDepth,
                [
                    .storedArray(changed.map(\.notifier.text)), .int4Array(changed.map(\.app)), .int8Array(changed.map { Int64($0.count) }),
                ])
        ]
    }
}

/// Rows of `deliveries` by columns, in the form of `unnest`.
private struct DeliveryRows {
    private var events: [[UInt8]] = []
    private var positions: [Int32] = []
    private var notifiers: [String] = []
    private var apps: [Int32] = []
    private var orders: [Int64?] = []
    private var devices: [String?] = []
    private var needsDevice: [Bool] = []
    private var states: [Int32] = []
    private var due: [Int64] = []
    private var expiries: [Int64] = []
    private var ended: [Int64?] = []
    private var reasons: [String] = []

    var parameters: [Parameter] {
        [
            .uuidArray(events), .int4Array(positions), .storedArray(notifiers), .int4Array(apps), .int8Array(orders), .storedArray(devices),
            .boolArray(needsDevice), .int4Array(states), .int8Array(due), .int8Array(expiries), .int8Array(ended), .storedArray(reasons),
        ]
    }

    mutating func add(_ row: DeliveryPlan.Row, _ position: Int, of new: PostgresBatch.NewEvent) {
        events.append(new.event.id.bytes)
        positions.append(Int32(position))
        notifiers.append(row.subscription.notifier)
        apps.append(new.app)
        orders.append(row.subscription.keepsOrder ? StoreRules.orderNumber(new.event) : nil)
        devices.append(row.deviceID)
        needsDevice.append(row.subscription.requiresDevice)
        states.append(Int32((row.ending?.state ?? .pending).number))
        due.append(row.dueAt(of: new.event).stored)
        expiries.append(row.expiresAt(of: new.event).stored)
        ended.append(row.ending == nil ? nil : new.event.receivedAt.stored)
        reasons.append(row.ending?.reason ?? "")
    }
}

private enum EventStatements {
    // Identity values are assigned after sorting, so that numbers ascend in the order of acceptance.
    static let insertEvents: StaticString = """
        INSERT INTO events (app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, erased,
            trace)
        SELECT app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, erased, trace
        FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::bigint[],
            $10::bigint[], $11::bytea[], $12::boolean[], $13::bytea[]) WITH ORDINALITY
            AS new (app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, erased, trace,
                place)
        ORDER BY place
        """
    // The first delivery of an order key leads, unless others wait already.
    static let insertDeliveries: StaticString = """
        WITH new AS (
            SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[], $5::bigint[], $6::text[], $7::boolean[],
                $8::integer[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[]) WITH ORDINALITY
                AS new (id, position, notifier, app, order_key, device_id, needs_device, state, due_at, expires_at, ended_at, reason, place)
        ), wanted AS (
            SELECT notifier COLLATE "C" AS notifier, app, order_key, count(*) AS count, min(place) AS first FROM new
            WHERE state = 0 AND order_key IS NOT NULL GROUP BY 1, 2, 3
        ), heads AS (
            INSERT INTO order_heads (notifier, app, order_key, waiting) SELECT notifier, app, order_key, count FROM wanted
            ORDER BY notifier, app, order_key
            ON CONFLICT (notifier, app, order_key) DO UPDATE SET waiting = order_heads.waiting + excluded.waiting
            RETURNING notifier, app, order_key, waiting
        ), leaders AS (
            SELECT first FROM wanted JOIN heads USING (notifier, app, order_key) WHERE waiting = count
        )
        INSERT INTO deliveries (event, position, notifier, app, order_key, device_id, needs_device, state, leads, attempts, due_at,
            expires_at, ended_at, reason)
        SELECT number, position, notifier, new.app, order_key, new.device_id, needs_device, state,
            state = 0 AND (order_key IS NULL OR place IN (SELECT first FROM leaders)), 0, due_at, expires_at, ended_at, reason
        FROM new JOIN events ON events.id = new.id
        ORDER BY place
        """
    static let remember: StaticString = """
        INSERT INTO past_comments (app, comment_id, mark, at, id)
        SELECT * FROM unnest($1::integer[], $2::text[], $3::bigint[], $4::bigint[], $5::uuid[]) ON CONFLICT DO NOTHING
        """
    static let addDepth: StaticString = """
        INSERT INTO depth (notifier, app, pending)
        SELECT notifier, app, count FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS new (notifier, app, count)
        """
}
