// Apps, events, deliveries and attempts.
extension CopiedTable {
    static let apps = CopiedTable(
        name: "apps", columns: [.integer, .text], keyCount: 1,
        sqlite: Statements(
            read: "SELECT number, app_id FROM apps WHERE number > ?1 ORDER BY number LIMIT ?2",
            lastKey: "SELECT number FROM apps ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM apps",
            write: "INSERT INTO apps (number, app_id) VALUES (?1, ?2)"),
        postgres: Statements(
            read: "SELECT number, app_id FROM apps WHERE number > $1 ORDER BY number LIMIT $2",
            lastKey: "SELECT number FROM apps ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM apps",
            write: """
                INSERT INTO apps (number, app_id) OVERRIDING SYSTEM VALUE SELECT * FROM unnest($1::bigint[], $2::text[])
                """))

    /// `occurred_at` is the time that receivers get, so it is copied without conversion. The third column from the end is the number of an
    /// event's deliveries, which PostgreSQL counts instead of storing it. A step that reads from PostgreSQL ends after 4 MB of `data`.
    static let events = CopiedTable(
        name: "events",
        columns: [
            .integer, .integer, .text, .text, .text, .text, .id, .text, .text, .integer, .moment, .bytes, .integer, .integer, .bytes,
        ], keyCount: 1,
        sqlite: Statements(
            read: """
                SELECT number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, deliveries,
                    erased, trace
                FROM events WHERE number > ?1 ORDER BY number LIMIT ?2
                """,
            lastKey: "SELECT number FROM events ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM events",
            write: """
                INSERT INTO events (
                    number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, deliveries,
                    erased, trace)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                """),
        postgres: Statements(
            read: """
                WITH step AS MATERIALIZED (
                    SELECT number, octet_length(data) AS size FROM events WHERE number > $1 ORDER BY number LIMIT $2
                ), sized AS MATERIALIZED (
                    SELECT number, sum(size) OVER (ORDER BY number) - size AS before FROM step
                )
                SELECT events.number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data,
                    (SELECT count(*) FROM deliveries WHERE event = events.number), erased::integer, trace
                FROM sized JOIN events ON events.number = sized.number AND events.number > $1
                WHERE before < 4000000 ORDER BY events.number
                """,
            lastKey: "SELECT number FROM events ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM events",
            write: """
                INSERT INTO events (
                    number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data, erased,
                    trace)
                OVERRIDING SYSTEM VALUE
                SELECT number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data,
                    erased <> 0, trace
                FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[],
                    $10::bigint[], $11::bigint[], $12::bytea[], $13::bigint[], $14::bigint[], $15::bytea[])
                    AS new (number, app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, data,
                        deliveries, erased, trace)
                """))

    static let deliveries = CopiedTable(
        name: "deliveries",
        columns: [
            .integer, .integer, .text, .integer, .integer, .text, .integer, .integer, .integer, .integer, .moment, .moment, .moment, .text,
        ], keyCount: 2,
        sqlite: Statements(
            read: """
                SELECT event, position, notifier, app, order_key, device_id, needs_device, state, leads, attempts, due_at, expires_at,
                    ended_at, reason
                FROM deliveries WHERE (event, position) > (?1, ?2) ORDER BY event, position LIMIT ?3
                """,
            lastKey: "SELECT event, position FROM deliveries ORDER BY event DESC, position DESC LIMIT 1",
            count: "SELECT count(*) FROM deliveries",
            write: "INSERT INTO deliveries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
        postgres: Statements(
            read: """
                SELECT event, position, notifier, app, order_key, device_id, needs_device::integer, state, leads::integer, attempts, due_at,
                    expires_at, ended_at, reason
                FROM deliveries WHERE (event, position) > ($1, $2) ORDER BY event, position LIMIT $3
                """,
            lastKey: "SELECT event, position FROM deliveries ORDER BY event DESC, position DESC LIMIT 1",
            count: "SELECT count(*) FROM deliveries",
            write: """
                INSERT INTO deliveries (event, position, notifier, app, order_key, device_id, needs_device, state, leads, attempts, due_at,
                    expires_at, ended_at, reason)
                SELECT event, position, notifier, app, order_key, device_id, needs_device <> 0, state, leads <> 0, attempts, due_at,
                    expires_at, ended_at, reason
                FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::text[])
                    AS new (event, position, notifier, app, order_key, device_id, needs_device, state, leads, attempts, due_at, expires_at,
                        ended_at, reason)
                """))

    static let attempts = CopiedTable(
        name: "attempts", columns: [.integer, .integer, .integer, .moment, .moment, .text, .text], keyCount: 3,
        sqlite: Statements(
            read: """
                SELECT event, position, number, started_at, ended_at, outcome, reason FROM attempts
                WHERE (event, position, number) > (?1, ?2, ?3) ORDER BY event, position, number LIMIT ?4
                """,
            lastKey: "SELECT event, position, number FROM attempts ORDER BY event DESC, position DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM attempts",
            write: "INSERT INTO attempts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
        postgres: Statements(
            read: """
                SELECT event, position, number, started_at, ended_at, outcome, reason FROM attempts
                WHERE (event, position, number) > ($1, $2, $3) ORDER BY event, position, number LIMIT $4
                """,
            lastKey: "SELECT event, position, number FROM attempts ORDER BY event DESC, position DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM attempts",
            write: """
                INSERT INTO attempts (event, position, number, started_at, ended_at, outcome, reason)
                SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
                """))

    static let pastComments = CopiedTable(
        name: "past_comments", columns: [.integer, .text, .integer, .moment, .id], keyCount: 3,
        sqlite: Statements(
            read: """
                SELECT app, comment_id, mark, at, id FROM past_comments
                WHERE (app, comment_id, mark) > (?1, ?2, ?3) ORDER BY app, comment_id, mark LIMIT ?4
                """,
            lastKey: "SELECT app, comment_id, mark FROM past_comments ORDER BY app DESC, comment_id DESC, mark DESC LIMIT 1",
            count: "SELECT count(*) FROM past_comments",
            write: "INSERT INTO past_comments VALUES (?1, ?2, ?3, ?4, ?5)"),
        postgres: Statements(
            read: """
                SELECT app, comment_id, mark, at, id FROM past_comments
                WHERE (app, comment_id, mark) > ($1, $2, $3) ORDER BY app, comment_id, mark LIMIT $4
                """,
            lastKey: "SELECT app, comment_id, mark FROM past_comments ORDER BY app DESC, comment_id DESC, mark DESC LIMIT 1",
            count: "SELECT count(*) FROM past_comments",
            write: """
                INSERT INTO past_comments (app, comment_id, mark, at, id)
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::uuid[])
                """))
}
