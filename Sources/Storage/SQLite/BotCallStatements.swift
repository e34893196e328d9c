internal import SQLite

/// The writer's statements for calls of bots, prepared once.
struct BotCallStatements {
    let find, insert, end, lost, old, ofPerson, delete: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        find = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
            FROM bot_calls CROSS JOIN apps ON apps.number = app WHERE key = ?1
            """)
        insert = try prepare(
            """
            INSERT INTO bot_calls (id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """)
        end = try prepare(
            """
            UPDATE bot_calls SET outcome = ?2, status = ?3, reason = ?4, ended_at = ?5, key = CASE WHEN ?6 THEN NULL ELSE key END
            WHERE id = ?1 AND outcome IN ('started', 'unknown')
            """)
        lost = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
            FROM bot_calls CROSS JOIN apps ON apps.number = app WHERE outcome = 'started' AND at < ?1 ORDER BY at LIMIT ?2
            """)
        old = try prepare("SELECT number FROM bot_calls WHERE outcome = ?1 AND at < ?2 LIMIT ?3")
        ofPerson = try prepare("SELECT number FROM bot_calls WHERE app = ?1 AND user_id = ?2 LIMIT ?3")
        delete = try prepare("DELETE FROM bot_calls WHERE number = ?1")
    }
}

/// A reader's statements for calls of bots, prepared once. Calls that do not match are read too, so that one scan finds the end of the
/// step; the last column marks the matches.
struct BotCallQueries {
    let byID, all, ofOutcome, ofPerson, count: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        byID = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
            FROM bot_calls CROSS JOIN apps ON apps.number = app WHERE id = ?1
            """)
        all = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at,
                (?5 IS NULL OR app_id = ?5) AND (?6 IS NULL OR user_id = ?6) AND (?7 IS NULL OR bot = ?7)
                    AND (?8 IS NULL OR function = ?8) AND (?9 IS NULL OR outcome = ?9)
            FROM bot_calls CROSS JOIN apps ON apps.number = app
            WHERE at >= ?1 AND (at, bot_calls.number) < (?2, ?3) ORDER BY at DESC, bot_calls.number DESC LIMIT ?4
            """)
        ofOutcome = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at,
                (?5 IS NULL OR app_id = ?5) AND (?6 IS NULL OR user_id = ?6) AND (?7 IS NULL OR bot = ?7)
                    AND (?8 IS NULL OR function = ?8)
            FROM bot_calls CROSS JOIN apps ON apps.number = app
            WHERE outcome = ?9 AND at >= ?1 AND (at, bot_calls.number) < (?2, ?3) ORDER BY at DESC, bot_calls.number DESC LIMIT ?4
            """)
        ofPerson = try prepare(
            """
            SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at,
                (?7 IS NULL OR bot = ?7) AND (?8 IS NULL OR function = ?8) AND (?9 IS NULL OR outcome = ?9)
            FROM bot_calls CROSS JOIN apps ON apps.number = app
            WHERE app = (SELECT number FROM apps WHERE app_id = ?5) AND user_id = ?6 AND at >= ?1 AND (at, bot_calls.number) < (?2, ?3)
            ORDER BY at DESC, bot_calls.number DESC LIMIT ?4
            """)
        count = try prepare("SELECT count(*) FROM bot_calls WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND user_id = ?2")
    }
}
