// Bot calls.
extension CopiedTable {
    static let botCalls = CopiedTable(
        name: "bot_calls",
        columns: [
            .integer, .id, .bytes, .integer, .text, .text, .text, .text, .text, .text, .integer, .text, .moment, .moment,
        ], keyCount: 1,
        sqlite: Statements(
            read: """
                SELECT number, id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at FROM bot_calls
                WHERE number > ?1 ORDER BY number LIMIT ?2
                """,
            lastKey: "SELECT number FROM bot_calls ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM bot_calls",
            write: "INSERT INTO bot_calls VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
        postgres: Statements(
            read: """
                SELECT number, id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at FROM bot_calls
                WHERE number > $1 ORDER BY number LIMIT $2
                """,
            lastKey: "SELECT number FROM bot_calls ORDER BY number DESC LIMIT 1",
            count: "SELECT count(*) FROM bot_calls",
            write: """
                INSERT INTO bot_calls (
                    number, id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at)
                OVERRIDING SYSTEM VALUE
                SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bytea[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
                    $9::text[], $10::text[], $11::bigint[], $12::text[], $13::bigint[], $14::bigint[])
                """))
}
