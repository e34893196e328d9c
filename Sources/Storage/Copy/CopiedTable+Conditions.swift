// Conditions that were reported to operators.
extension CopiedTable {
    /// Omits the processes that detect a condition, because no process runs during a copy.
    static let conditions = CopiedTable(
        name: "conditions", columns: [.text, .text, .moment, .bytes], keyCount: 2,
        sqlite: Statements(
            read: "SELECT kind, subject, since, data FROM conditions WHERE (kind, subject) > (?1, ?2) ORDER BY kind, subject LIMIT ?3",
            lastKey: "SELECT kind, subject FROM conditions ORDER BY kind DESC, subject DESC LIMIT 1",
            count: "SELECT count(*) FROM conditions",
            write: "INSERT INTO conditions VALUES (?1, ?2, ?3, ?4)"),
        postgres: Statements(
            read: "SELECT kind, subject, since, data FROM conditions WHERE (kind, subject) > ($1, $2) ORDER BY kind, subject LIMIT $3",
            lastKey: "SELECT kind, subject FROM conditions ORDER BY kind DESC, subject DESC LIMIT 1",
            count: "SELECT count(*) FROM conditions",
            write: """
                INSERT INTO conditions (kind, subject, since, data) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
                """))
}
