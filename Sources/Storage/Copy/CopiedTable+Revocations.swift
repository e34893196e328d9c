extension CopiedTable {
    static let revocations = CopiedTable(
        name: "revocations",
        columns: [.integer, .id, .integer, .text, .bytes, .integer, .integer, .text, .text, .moment, .bytes, .integer, .integer],
        keyCount: 1,
        sqlite: Statements(
            read: """
                SELECT version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed, swept
                FROM revocations
                WHERE version > ?1 ORDER BY version LIMIT ?2
                """,
            lastKey: "SELECT version FROM revocations ORDER BY version DESC LIMIT 1",
            count: "SELECT count(*) FROM revocations",
            write: "INSERT INTO revocations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"),
        postgres: Statements(
            read: """
                SELECT version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed,
                    swept::integer
                FROM revocations
                WHERE version > $1 ORDER BY version LIMIT $2
                """,
            lastKey: "SELECT version FROM revocations ORDER BY version DESC LIMIT 1",
            count: "SELECT count(*) FROM revocations",
            write: """
                INSERT INTO revocations (version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former,
                    devices_removed, swept)
                SELECT version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed,
                    swept <> 0
                FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::bytea[], $6::bigint[], $7::bigint[],
                    $8::text[], $9::text[], $10::bigint[], $11::bytea[], $12::bigint[], $13::bigint[])
                    AS new (version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed,
                        swept)
                """))

    /// The version counter, so that changes of the target continue after the copied versions.
    static let revocationVersions = CopiedTable(
        name: "revocation_versions", columns: [.integer, .integer, .integer], keyCount: 1,
        sqlite: Statements(
            read: "SELECT id, last, forgotten FROM revocation_versions WHERE id > ?1 ORDER BY id LIMIT ?2",
            lastKey: "SELECT id FROM revocation_versions ORDER BY id DESC LIMIT 1",
            count: "SELECT count(*) FROM revocation_versions",
            write: "INSERT INTO revocation_versions VALUES (?1, ?2, ?3)"),
        postgres: Statements(
            read: "SELECT id, last, forgotten FROM revocation_versions WHERE id > $1 ORDER BY id LIMIT $2",
            lastKey: "SELECT id FROM revocation_versions ORDER BY id DESC LIMIT 1",
            count: "SELECT count(*) FROM revocation_versions",
            write: """
                INSERT INTO revocation_versions (id, last, forgotten) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
                """))
}
