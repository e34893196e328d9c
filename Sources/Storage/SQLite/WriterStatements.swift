internal import SQLite

/// The statements of the connection that writes, prepared once.
struct WriterStatements {
    let findApp, insertApp: Statement
    let findComment, findPast, isNotified, insertEvent, insertDelivery: Statement
    let pullIn, due, nextDue, overdue, findRead, claim, beginAttempt: Statement
    let beginPart, keepPart, undoPart: Statement
    let findDelivery, findPlace, endAttempt, reschedule, end: Statement
    let lead, follow, findDead, revive: Statement
    let findEnded, deleteAttempts, deleteDelivery, releaseEvent, findReleased, deleteEvent, emptyEvent: Statement
    let deliveriesOf, dropPerson, dropDevice: Statement
    let remember, findOldPast, deletePast: Statement
    let rateLimitedCalls, putPacedCalls, findOldPacedCalls, deletePacedCalls: Statement
    let leased, interrupt: Statement
    let findLate, expire: Statement
    let clock, putClock, jumps, putJump, clearJumps: Statement
    let recordKeyUse: Statement
    let raiseCondition, clearCondition: Statement
    let findTopic, putTopic, forgetConversations, findOldTopics, deleteTopic: Statement
    let markRun: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        findApp = try prepare("SELECT number FROM apps WHERE app_id = ?1")
        insertApp = try prepare("INSERT INTO apps (app_id) VALUES (?1)")
        findComment = try prepare("SELECT id, device_id FROM events WHERE app = ?1 AND comment_id = ?2 AND ticket_id = ?3")
        findPast = try prepare("SELECT id FROM past_comments WHERE app = ?1 AND comment_id = ?2 AND mark = ?3")
        isNotified = try prepare(
            """
            SELECT 1 FROM events JOIN deliveries ON event = number
            WHERE events.app = ?1 AND comment_id = ?2 AND ticket_id = ?3 AND notifier = ?4 AND deliveries.device_id = ?5 LIMIT 1
            """)
        insertEvent = try prepare(
            """
            INSERT INTO events (app, comment_id, ticket_id, device_id, device_type, id, kind, user_id, occurred_at, received_at, deliveries, data,
                erased, trace)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """)
        insertDelivery = try prepare(
            """
            INSERT INTO deliveries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
                ?8 = 0 AND (?5 IS NULL OR NOT EXISTS (
                    SELECT 1 FROM deliveries WHERE state = 0 AND notifier = ?3 AND app = ?4 AND order_key = ?5)),
                0, ?9, ?10, ?11, ?12)
            """)
        pullIn = try prepare(
            """
            UPDATE deliveries SET due_at = ?2 WHERE (event, position) IN (
                SELECT event, position FROM deliveries
                WHERE state = 0 AND notifier = ?1 AND app = ?5 AND leads IN (0, 1) AND due_at > ?3 LIMIT ?4)
            """)
        due = try prepare(
            """
            SELECT * FROM stories WHERE state = 0 AND notifier = ?1 AND app = ?4 AND leads = 1 AND due_at <= ?2
            ORDER BY due_at, event, position LIMIT ?3
            """)
        nextDue = try prepare("SELECT min(due_at) FROM deliveries WHERE state = 0 AND notifier = ?1 AND app = ?2 AND leads = 1")
        beginPart = try prepare("SAVEPOINT part")
        keepPart = try prepare("RELEASE part")
        undoPart = try prepare("ROLLBACK TO part")
        // Sorted by expiry, so that pending deliveries that have not expired cost nothing. An expired delivery is due unless it has a
        // running attempt.
        overdue = try prepare(
            """
            SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND expires_at <= ?2 AND due_at <= ?4
            ORDER BY expires_at, event, position LIMIT ?3
            """)
        // Only deliveries of push providers match: they have no order key, so each of them leads. Events have no index on persons.
        findRead = try prepare(
            """
            SELECT deliveries.event, deliveries.position,
                user_id = ?4 AND received_at <= ?5 AND occurred_at <= ?6 AND (?7 IS NULL OR ticket_id IS ?7)
            FROM deliveries CROSS JOIN events ON number = deliveries.event
            WHERE state = 0 AND notifier = ?1 AND deliveries.app = ?2 AND leads = 1 ORDER BY due_at LIMIT ?3
            """)
        claim = try prepare("UPDATE deliveries SET attempts = ?3, due_at = ?4 WHERE event = ?1 AND position = ?2")
        beginAttempt = try prepare("INSERT INTO attempts VALUES (?1, ?2, ?3, ?4, NULL, '', '')")
        findDelivery = try prepare(
            """
            SELECT event, position, notifier, app, order_key, state, leads, attempts FROM deliveries
            WHERE event = (SELECT number FROM events WHERE id = ?1) AND position = ?2
            """)
        findPlace = try prepare(
            "SELECT event, position, notifier, app, order_key, state, leads FROM deliveries WHERE event = ?1 AND position = ?2")
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
                SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND app = ?2 AND order_key = ?3
                ORDER BY event, position LIMIT 1)
            """)
        follow = try prepare(
            """
            UPDATE deliveries SET leads = 0 WHERE (event, position) = (
                SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND app = ?2 AND order_key = ?3
                ORDER BY event, position LIMIT 1)
            """)
        // An event whose user was forgotten has lost the user and cannot be sent again.
        findDead = try prepare(
            """
            SELECT notifier, app, order_key, EXISTS (SELECT 1 FROM events WHERE number = ?1 AND erased = 1),
                needs_device = 1 AND NOT EXISTS (SELECT 1 FROM events JOIN devices USING (app, user_id)
                    WHERE number = ?1 AND devices.device_id = deliveries.device_id AND token IS NOT NULL)
            FROM deliveries WHERE event = ?1 AND position = ?2 AND state = 2
            """)
        revive = try prepare(
            """
            UPDATE deliveries SET state = 0, leads = order_key IS NULL, due_at = ?3, expires_at = ?4, ended_at = NULL
            WHERE event = ?1 AND position = ?2
            """)
        findEnded = try prepare("SELECT event, position FROM deliveries WHERE state = ?1 AND ended_at < ?2 LIMIT ?3")
        deleteAttempts = try prepare("DELETE FROM attempts WHERE event = ?1 AND position = ?2")
        deleteDelivery = try prepare("DELETE FROM deliveries WHERE event = ?1 AND position = ?2")
        releaseEvent = try prepare("UPDATE events SET deliveries = deliveries - 1 WHERE number = ?1")
        findReleased = try prepare(
            "SELECT app, comment_id, ticket_id, device_id, id, received_at FROM events WHERE number = ?1 AND deliveries = 0")
        deleteEvent = try prepare("DELETE FROM events WHERE number = ?1")
        emptyEvent = try prepare(
            """
            UPDATE events SET data = ?2 WHERE number = ?1 AND data <> ?2
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = ?1 AND state IN (0, 2))
            """)
        deliveriesOf = try prepare("SELECT event, position, notifier, state FROM deliveries WHERE event = ?1")
        dropPerson = try prepare(
            """
            UPDATE events SET user_id = '', device_id = '', data = ?2, trace = NULL WHERE number = ?1 AND erased = 1 AND user_id <> ''
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = ?1 AND state = 0)
            """)
        dropDevice = try prepare("UPDATE deliveries SET device_id = NULL WHERE event = ?1")
        remember = try prepare("INSERT OR REPLACE INTO past_comments VALUES (?1, ?2, ?3, ?4, ?5)")
        findOldPast = try prepare("SELECT app, comment_id, mark FROM past_comments WHERE at < ?1 ORDER BY at LIMIT ?2")
        deletePast = try prepare("DELETE FROM past_comments WHERE app = ?1 AND comment_id = ?2 AND mark = ?3")
        rateLimitedCalls = try prepare("SELECT times, until FROM paced_calls WHERE notifier = ?1 AND number = ?2")
        putPacedCalls = try prepare("INSERT OR REPLACE INTO paced_calls VALUES (?1, ?2, ?3, ?4)")
        findOldPacedCalls = try prepare("SELECT notifier, number FROM paced_calls WHERE until < ?1 ORDER BY until LIMIT ?2")
        deletePacedCalls = try prepare("DELETE FROM paced_calls WHERE notifier = ?1 AND number = ?2")
        // Begins with the pending deliveries, which are fewer than the stored attempts.
        leased = try prepare(
            """
            SELECT deliveries.event, deliveries.position, number, started_at FROM deliveries CROSS JOIN attempts
            WHERE state = 0 AND notifier = ?1 AND deliveries.attempts > 0 AND attempts.event = deliveries.event
                AND attempts.position = deliveries.position AND number = deliveries.attempts AND outcome = ''
            """)
        interrupt = try prepare(
            "UPDATE attempts SET outcome = ?4, reason = ?4 WHERE event = ?1 AND position = ?2 AND number = ?3")
        findLate = try prepare(
            "SELECT event, position FROM deliveries WHERE state = 0 AND notifier = ?1 AND expires_at > ?2 LIMIT ?3")
        expire = try prepare("UPDATE deliveries SET expires_at = ?3 WHERE event = ?1 AND position = ?2")
        clock = try prepare("SELECT boot, wall, since_boot, age FROM clock")
        putClock = try prepare("INSERT OR REPLACE INTO clock VALUES (1, ?1, ?2, ?3, ?4)")
        jumps = try prepare("SELECT at, by, is_gap FROM clock_jumps ORDER BY rowid")
        putJump = try prepare("INSERT INTO clock_jumps VALUES (?1, ?2, ?3)")
        clearJumps = try prepare("DELETE FROM clock_jumps")
        recordKeyUse = try prepare(
            """
            INSERT INTO key_uses VALUES (?1, ?2, ?3, ?4) ON CONFLICT (app_id, key_id) DO UPDATE SET
                since = min(since, excluded.since),
                used_at = max(coalesce(used_at, excluded.used_at), coalesce(excluded.used_at, used_at))
            """)
        raiseCondition = try prepare("INSERT INTO conditions VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING RETURNING 1")
        clearCondition = try prepare("DELETE FROM conditions WHERE kind = ?1 AND subject = ?2 RETURNING 1")
        findTopic = try prepare("SELECT user_id, data FROM topics WHERE app = ?1 AND kind = ?2 AND name = ?3")
        putTopic = try prepare("INSERT OR REPLACE INTO topics VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        forgetConversations = try prepare("UPDATE topics SET user_id = '', data = ?3 WHERE app = ?1 AND user_id = ?2")
        findOldTopics = try prepare("SELECT app, kind, name FROM topics WHERE at < ?1 ORDER BY at LIMIT ?2")
        deleteTopic = try prepare("DELETE FROM topics WHERE app = ?1 AND kind = ?2 AND name = ?3")
        markRun = try prepare("UPDATE runs SET closed = ?1")
    }
}
