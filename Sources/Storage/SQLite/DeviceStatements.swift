internal import SQLite

/// The writer's statements for devices and limits, prepared once.
struct DeviceStatements {
    let find, ofUser, ofToken, put, touch, signOut, setEnvironment, remove: Statement
    let idle: Statement
    let putCalls, findIdleCalls: Statement
    let deviceCalls, putDeviceCalls, forgetDeviceCalls, nextDeviceCalls, forgetIdleDeviceCalls: Statement
    let lastCall, call, insertCall, forgetCalls: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement { try Statement(connection, sql) }
        find = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt
            FROM devices WHERE app = ?1 AND user_id = ?2 AND device_id = ?3
            """)
        ofUser = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt, calls
            FROM devices WHERE app = ?1 AND user_id = ?2 ORDER BY device_id
            """)
        ofToken = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt
            FROM devices WHERE app = ?1 AND digest = ?2 AND token IS NOT NULL
            """)
        put = try prepare("INSERT OR REPLACE INTO devices VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?11, ?12, ?13)")
        touch = try prepare(
            """
            UPDATE devices SET seen_at = ?4, from_app = 1, issued_at = ?5, key_id = ?6, salt = ?7
            WHERE app = ?1 AND user_id = ?2 AND device_id = ?3
            """)
        signOut = try prepare(
            "UPDATE devices SET token = NULL, seen_at = ?4, from_app = ?5 WHERE app = ?1 AND user_id = ?2 AND device_id = ?3")
        setEnvironment = try prepare("UPDATE devices SET environment = ?4 WHERE app = ?1 AND user_id = ?2 AND device_id = ?3")
        remove = try prepare("DELETE FROM devices WHERE app = ?1 AND user_id = ?2 AND device_id = ?3")
        idle = try prepare(
            """
            SELECT device_id, type, token, digest, environment, registered_at, seen_at, user_id, from_app, issued_at, key_id, salt, app_id
            FROM devices CROSS JOIN apps ON number = app WHERE seen_at < ?1 AND device_id <> ''
            ORDER BY seen_at, app, user_id, device_id LIMIT ?2
            """)
        putCalls = try prepare(
            """
            INSERT INTO devices (app, user_id, device_id, type, registered_at, seen_at, from_app, calls) VALUES (?1, ?2, '', '', ?3, ?3, 1, ?4)
            ON CONFLICT DO UPDATE SET seen_at = ?3, calls = ?4
            """)
        findIdleCalls = try prepare(
            "SELECT app, user_id FROM devices WHERE seen_at < ?1 AND device_id = '' ORDER BY seen_at, app, user_id LIMIT ?2")
        deviceCalls = try prepare("SELECT times FROM device_calls WHERE device = ?1")
        putDeviceCalls = try prepare("INSERT OR REPLACE INTO device_calls VALUES (?1, ?2, ?3)")
        forgetDeviceCalls = try prepare("DELETE FROM device_calls WHERE device = ?1")
        nextDeviceCalls = try prepare("SELECT device FROM device_calls WHERE device >= ?1 ORDER BY device LIMIT 1 OFFSET ?2")
        forgetIdleDeviceCalls = try prepare("DELETE FROM device_calls WHERE device >= ?1 AND device < ?2 AND at < ?3")
        lastCall = try prepare("SELECT number FROM windows WHERE app = ?1 ORDER BY number DESC LIMIT 1")
        call = try prepare("SELECT at FROM windows WHERE app = ?1 AND number = ?2")
        insertCall = try prepare("INSERT INTO windows VALUES (?1, ?2, ?3)")
        forgetCalls = try prepare("DELETE FROM windows WHERE app = ?1 AND number <= ?2")
    }
}
