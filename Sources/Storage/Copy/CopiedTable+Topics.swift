// Help desk topics.
extension CopiedTable {
    static let conversations = CopiedTable(
        name: "topics", columns: [.integer, .text, .text, .text, .moment, .bytes], keyCount: 3,
        sqlite: Statements(
            read: """
                SELECT app, kind, name, user_id, at, data FROM topics WHERE (app, kind, name) > (?1, ?2, ?3)
                ORDER BY app, kind, name LIMIT ?4
                """,
            lastKey: "SELECT app, kind, name FROM topics ORDER BY app DESC, kind DESC, name DESC LIMIT 1",
            count: "SELECT count(*) FROM topics",
            write: "INSERT INTO topics VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
        postgres: Statements(
            read: """
                SELECT app, kind, name, user_id, at, data FROM topics WHERE (app, kind, name) > ($1, $2, $3)
                ORDER BY app, kind, name LIMIT $4
                """,
            lastKey: "SELECT app, kind, name FROM topics ORDER BY app DESC, kind DESC, name DESC LIMIT 1",
            count: "SELECT count(*) FROM topics",
            write: """
                INSERT INTO topics (app, kind, name, user_id, at, data)
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bytea[])
                """))
}
