// Devices, and the records of calls for rate limits.
extension CopiedTable {
    static let devices = CopiedTable(
        // The issue time is copied without conversion, because it is by the clock of the backend that minted the key. For a device without
        // a key, it is by the source's clock, so later comparisons are inexact by the difference between the clocks.
        name: "devices",
        columns: [.integer, .text, .text, .text, .text, .bytes, .text, .moment, .moment, .integer, .integer, .integer, .bytes], keyCount: 3,
        sqlite: Statements(
            read: """
                SELECT app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at, key_id, salt
                FROM devices
                WHERE (app, user_id, device_id) > (?1, ?2, ?3) AND device_id <> '' ORDER BY app, user_id, device_id LIMIT ?4
                """,
            lastKey: """
                SELECT app, user_id, device_id FROM devices WHERE device_id <> ''
                ORDER BY app DESC, user_id DESC, device_id DESC LIMIT 1
                """,
            count: "SELECT count(*) FROM devices WHERE device_id <> ''",
            write: "INSERT INTO devices VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?11, ?12, ?13)"),
        postgres: Statements(
            read: """
                SELECT app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app::integer,
                    issued_at, key_id, salt
                FROM devices
                WHERE (app, user_id, device_id) > ($1, $2, $3) ORDER BY app, user_id, device_id LIMIT $4
                """,
            lastKey: "SELECT app, user_id, device_id FROM devices ORDER BY app DESC, user_id DESC, device_id DESC LIMIT 1",
            count: "SELECT count(*) FROM devices",
            write: """
                INSERT INTO devices (app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at,
                    key_id, salt)
                SELECT app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app <> 0, issued_at, key_id,
                    salt
                FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[])
                    AS new (app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at, key_id,
                        salt)
                """))

    /// The calls of persons. In SQLite, a person is a row of `devices` without a device. PostgreSQL also has rows of persons without calls,
    /// which are not copied because PostgreSQL creates them when needed.
    static let persons = CopiedTable(
        name: "persons", columns: [.integer, .text, .moment, .times], keyCount: 2,
        sqlite: Statements(
            read: """
                SELECT app, user_id, seen_at, coalesce(calls, x'') FROM devices
                WHERE (app, user_id) > (?1, ?2) AND device_id = '' ORDER BY app, user_id LIMIT ?3
                """,
            lastKey: "SELECT app, user_id FROM devices WHERE device_id = '' ORDER BY app DESC, user_id DESC LIMIT 1",
            count: "SELECT count(*) FROM devices WHERE device_id = ''",
            write: """
                INSERT INTO devices (app, user_id, device_id, type, registered_at, seen_at, from_app, calls)
                VALUES (?1, ?2, '', '', ?3, ?3, 1, ?4)
                """),
        postgres: Statements(
            read: """
                SELECT app, user_id, called_at, calls FROM persons
                WHERE (app, user_id) > ($1, $2) AND called_at IS NOT NULL ORDER BY app, user_id LIMIT $3
                """,
            lastKey: "SELECT app, user_id FROM persons WHERE called_at IS NOT NULL ORDER BY app DESC, user_id DESC LIMIT 1",
            count: "SELECT count(*) FROM persons WHERE called_at IS NOT NULL",
            write: """
                INSERT INTO persons (app, user_id, called_at, calls)
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bytea[])
                """))

    /// The calls of devices. Omits the rows without times in PostgreSQL, which serve only as locks.
    static let deviceCalls = CopiedTable(
        name: "device_calls", columns: [.integer, .moment, .times], keyCount: 1,
        sqlite: Statements(
            read: "SELECT device, at, times FROM device_calls WHERE device > ?1 AND times <> x'' ORDER BY device LIMIT ?2",
            lastKey: "SELECT device FROM device_calls WHERE times <> x'' ORDER BY device DESC LIMIT 1",
            count: "SELECT count(*) FROM device_calls WHERE times <> x''",
            write: "INSERT INTO device_calls VALUES (?1, ?2, ?3)"),
        postgres: Statements(
            read: "SELECT device, at, times FROM device_calls WHERE device > $1 AND times <> '' ORDER BY device LIMIT $2",
            lastKey: "SELECT device FROM device_calls WHERE times <> '' ORDER BY device DESC LIMIT 1",
            count: "SELECT count(*) FROM device_calls WHERE times <> ''",
            write: """
                INSERT INTO device_calls (device, at, times) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
                """))

    /// The numbered calls of apps, and of the service as app 0: `windows` in SQLite, `window_calls` in PostgreSQL.
    static let windows = CopiedTable(
        name: "windows", columns: [.integer, .integer, .moment], keyCount: 2,
        sqlite: Statements(
            read: "SELECT app, number, at FROM windows WHERE (app, number) > (?1, ?2) ORDER BY app, number LIMIT ?3",
            lastKey: "SELECT app, number FROM windows ORDER BY app DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM windows",
            write: "INSERT INTO windows VALUES (?1, ?2, ?3)"),
        postgres: Statements(
            read: "SELECT app, number, at FROM window_calls WHERE (app, number) > ($1, $2) ORDER BY app, number LIMIT $3",
            lastKey: "SELECT app, number FROM window_calls ORDER BY app DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM window_calls",
            write: "INSERT INTO window_calls (app, number, at) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])"))

    /// The calls that are counted for the rate limits of notifiers, including rows whose last call was returned.
    static let rateLimitedCalls = CopiedTable(
        name: "paced_calls", columns: [.text, .integer, .moment, .times], keyCount: 2,
        sqlite: Statements(
            read: """
                SELECT notifier, number, until, times FROM paced_calls
                WHERE (notifier, number) > (?1, ?2) ORDER BY notifier, number LIMIT ?3
                """,
            lastKey: "SELECT notifier, number FROM paced_calls ORDER BY notifier DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM paced_calls",
            write: "INSERT INTO paced_calls VALUES (?1, ?2, ?3, ?4)"),
        postgres: Statements(
            read: """
                SELECT notifier, number, until, times FROM paced_calls
                WHERE (notifier, number) > ($1, $2) ORDER BY notifier, number LIMIT $3
                """,
            lastKey: "SELECT notifier, number FROM paced_calls ORDER BY notifier DESC, number DESC LIMIT 1",
            count: "SELECT count(*) FROM paced_calls",
            write: """
                INSERT INTO paced_calls (notifier, number, until, times)
                SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[])
                """))
}
