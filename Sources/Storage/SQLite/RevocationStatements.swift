internal import SQLite

struct RevocationStatements {
    let nextVersion, insert, countRemoved, finishSweep, find, all, delete, remember, lastForgotten, noteForgotten, forget: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        nextVersion = try prepare(
            """
            INSERT INTO revocation_versions VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET last = last + 1 RETURNING last
            """)
        insert = try prepare("INSERT INTO revocations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, ?12)")
        countRemoved = try prepare("UPDATE revocations SET devices_removed = devices_removed + ?2 WHERE id = ?1")
        finishSweep = try prepare("UPDATE revocations SET swept = 1 WHERE id = ?1")
        find = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app WHERE revocations.id = ?1 AND former IS NULL
            """)
        all = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app
            """)
        delete = try prepare("DELETE FROM revocations WHERE id = ?1")
        remember = try prepare("INSERT INTO removed_revocations VALUES (?1, ?2, ?3)")
        lastForgotten = try prepare("SELECT max(version) FROM removed_revocations INDEXED BY removed_revocations_at WHERE at < ?1")
        noteForgotten = try prepare("UPDATE revocation_versions SET forgotten = ?1 WHERE id = 1 AND forgotten < ?1")
        forget = try prepare("DELETE FROM removed_revocations WHERE version <= ?1")
    }
}

struct RevocationQueries {
    let versions, all, ofApp, ofPerson, added, removed, salt, unswept, covered: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        versions = try prepare("SELECT last, forgotten FROM revocation_versions WHERE id = 1")
        all = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app WHERE revocations.id < ?1 ORDER BY revocations.id DESC LIMIT ?2
            """)
        ofApp = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app
            WHERE app = (SELECT number FROM apps WHERE app_id = ?3) AND revocations.id < ?1 ORDER BY revocations.id DESC LIMIT ?2
            """)
        ofPerson = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app
            WHERE app = (SELECT number FROM apps WHERE app_id = ?3) AND user_id = ?4 AND revocations.id < ?1
            ORDER BY revocations.id DESC LIMIT ?2
            """)
        added = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app WHERE version > ?1 ORDER BY version LIMIT ?2
            """)
        unswept = try prepare(
            """
            SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                devices_removed
            FROM revocations CROSS JOIN apps ON number = app WHERE version = (
                SELECT min(version) FROM revocations INDEXED BY revocations_unswept WHERE swept = 0)
            """)
        // Reads also the rows that do not match, to find the end of the step.
        covered = try prepare(
            """
            SELECT user_id, device_id, token IS NOT NULL AND (?4 IS NULL OR salt IS ?4) AND (?5 IS NULL OR key_id IS ?5 OR issued_at = 0)
                AND (?6 IS NULL OR issued_at < ?6)
            FROM devices WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND (user_id, device_id) > (?2, ?3)
                AND EXISTS (SELECT 1 FROM revocations WHERE id = ?8)
            ORDER BY user_id, device_id LIMIT ?7
            """)
        salt = try prepare("SELECT min(former) FROM revocations WHERE former IS NOT NULL")
        removed = try prepare("SELECT version, id FROM removed_revocations WHERE version > ?1 ORDER BY version LIMIT ?2")
    }
}
