internal import SQLite

/// The statements of the connection that writes, prepared once.
struct WriterStatements {
    let findEvent, insertEvent, insertDelivery: Statement
    let pullIn, due, dueLeading, overdue, claim, beginAttempt: Statement
    let findDelivery, endAttempt, reschedule, end: Statement
    let lead, follow, findDead, revive: Statement
    let findEnded, findAlone, deleteDelivery, releaseEvent, deleteEvent: Statement
    let leased, interrupt: Statement
    let markRun: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        findEvent = try prepare("SELECT id FROM events WHERE app_id = ?1 AND ticket_id = ?2 AND comment_id = ?3 AND device_id = ?4")
        insertEvent = try prepare(
            """
            INSERT INTO events (app_id, ticket_id, comment_id, device_id, id, kind, user_id, occurred_at, received_at, deliveries, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """)
        insertDelivery = try prepare(
            """
            INSERT INTO deliveries
                (event, position, id, notifier, app_id, ticket_id, state, leads, attempts, due_at, expires_at, ended_at, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0,
                NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 0 AND notifier = ?4 AND app_id = ?5 AND ticket_id = ?6),
                0, ?7, ?8, NULL, '')
            """)
        pullIn = try prepare("UPDATE deliveries SET due_at = ?2 WHERE state = 0 AND notifier = ?1 AND leads IN (0, 1) AND due_at > ?3")
        // Both halves come sorted from the index and are merged, so only as many rows are read as are wanted.
        due = try prepare(
            """
            SELECT * FROM stories WHERE state = 0 AND notifier = ?1 AND leads = 0 AND due_at <= ?2
            UNION ALL
            SELECT * FROM stories WHERE state = 0 AND notifier = ?1 AND leads = 1 AND due_at <= ?2
            ORDER BY due_at, event, position LIMIT ?3
            """)
        dueLeading = try prepare(
            """
            SELECT * FROM stories WHERE state = 0 AND notifier = ?1 AND leads = 1 AND due_at <= ?2
            ORDER BY due_at, event, position LIMIT ?3
            """)
        // Only the longest due are looked at, so that a long queue of what has not expired costs nothing.
        overdue = try prepare(
            """
            SELECT id FROM (
                SELECT id, expires_at, due_at, event, position FROM deliveries
                WHERE state = 0 AND notifier = ?1 AND leads = 0 AND due_at <= ?2
                UNION ALL
                SELECT id, expires_at, due_at, event, position FROM deliveries
                WHERE state = 0 AND notifier = ?1 AND leads = 1 AND due_at <= ?2
                ORDER BY due_at, event, position LIMIT ?3)
            WHERE expires_at <= ?2
            """)
        claim = try prepare("UPDATE deliveries SET attempts = ?3, due_at = ?4 WHERE event = ?1 AND position = ?2")
        beginAttempt = try prepare("INSERT INTO attempts VALUES (?1, ?2, ?3, ?4, NULL, '', '')")
        findDelivery = try prepare(
            "SELECT event, position, notifier, app_id, ticket_id, state, leads, attempts FROM deliveries WHERE id = ?1")
        endAttempt = try prepare(
            """
            UPDATE attempts SET ended_at = ?4, outcome = ?5, reason = ?6
            WHERE event = ?1 AND position = ?2 AND number = ?3 AND ended_at IS NULL
            """)
        reschedule = try prepare("UPDATE deliveries SET due_at = ?3, reason = ?4 WHERE event = ?1 AND position = ?2")
        end = try prepare("UPDATE deliveries SET state = ?3, leads = 0, ended_at = ?4, reason = ?5 WHERE event = ?1 AND position = ?2")
        lead = try prepare(
            """
            UPDATE deliveries SET leads = 1 WHERE (event, position) = (
                SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND app_id = ?2 AND ticket_id = ?3
                ORDER BY event, position LIMIT 1)
            """)
        follow = try prepare(
            """
            UPDATE deliveries SET leads = 0 WHERE (event, position) = (
                SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND app_id = ?2 AND ticket_id = ?3
                ORDER BY event, position LIMIT 1)
            """)
        findDead = try prepare(
            "SELECT notifier, app_id, ticket_id FROM deliveries WHERE event = ?1 AND position = ?2 AND state = 2")
        revive = try prepare(
            """
            UPDATE deliveries SET state = 0, leads = 0, due_at = ?3, expires_at = ?4, ended_at = NULL
            WHERE event = ?1 AND position = ?2
            """)
        findEnded = try prepare("SELECT event, position FROM deliveries WHERE state = ?1 AND ended_at < ?2 LIMIT ?3")
        findAlone = try prepare("SELECT number FROM events WHERE deliveries = 0 AND received_at < ?1 LIMIT ?2")
        deleteDelivery = try prepare("DELETE FROM deliveries WHERE event = ?1 AND position = ?2")
        releaseEvent = try prepare("UPDATE events SET deliveries = deliveries - 1 WHERE number = ?1")
        deleteEvent = try prepare("DELETE FROM events WHERE number = ?1 AND deliveries = 0")
        // From the pending ones, which are fewer than all tries that are remembered.
        leased = try prepare(
            """
            SELECT deliveries.event, deliveries.position, number, started_at FROM deliveries CROSS JOIN attempts
            WHERE state = 0 AND notifier = ?1 AND deliveries.attempts > 0 AND attempts.event = deliveries.event
                AND attempts.position = deliveries.position AND number = deliveries.attempts AND outcome = ''
            """)
        interrupt = try prepare(
            "UPDATE attempts SET outcome = ?4, reason = ?4 WHERE event = ?1 AND position = ?2 AND number = ?3")
        markRun = try prepare("UPDATE runs SET closed = ?1")
    }
}
