/// A value of a row between two stores: as SQLite holds it, with UUIDs as 16 bytes and truths as 0 and 1.
enum CopiedValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A table as `StoreCopy` reads and writes it, a step of rows at a time, in the order of its key.
///
/// Numbers of apps and events are the same in both stores. So the last key that the target has says how far the copy has come, and a row
/// that is written twice breaks a key.
struct CopiedTable: Sendable {
    enum Column: Sendable {
        case integer, text, bytes
        /// 16 bytes in SQLite, a `uuid` in PostgreSQL.
        case id
        /// Unix milliseconds by the store's clock.
        case moment
        /// `CallTimes`: moments by the store's clock, eight bytes each.
        case times
    }

    struct Statements: Sendable {
        /// The rows after a key, which is given by its columns, and at most so many: all columns, in the order of the key.
        let read: StaticString
        /// The key of the last row.
        let lastKey: StaticString
        let count: StaticString
        /// Inserts a row (SQLite), or rows by columns (PostgreSQL), from all columns.
        let write: StaticString
    }

    let name: String
    let columns: [Column]
    /// The number of columns of its key, which come first.
    let keyCount: Int
    let sqlite: Statements
    let postgres: Statements

    /// A key before all others.
    var firstKey: [CopiedValue] {
        columns.prefix(keyCount).map { column in
            if case .text = column { .text("") } else { .integer(.min) }
        }
    }

    /// All tables, in the order of copying: what refers to something comes after it.
    static let all: [CopiedTable] = [
        .apps, .events, .deliveries, .attempts, .pastComments, .devices, .persons, .deviceCalls, .windows, .rateLimitedCalls, .revocations,
        .revocationVersions, .conditions, .conversations, .botCalls,
    ]

    /// The tables of SQLite that are not copied: `clock` and `clock_jumps` describe one machine's clock, `runs` the last run. The rows of
    /// persons are in `devices`. `removed_revocations` is not needed, because services read all revocations of the target. Triggers of the
    /// target fill `dead_counts`. `key_uses` starts empty in the other store: a target that has served has rows of its own, and "not used
    /// since the move" errs on the safe side.
    static let onlyInSQLite = ["runs", "clock", "clock_jumps", "removed_revocations", "key_uses", "dead_counts"]

    /// The tables of PostgreSQL that are not copied: `PostgresCopyEnd.finish` computes `windows`, `order_heads`, `depth` and
    /// `dead_counts`, and the others are about processes and transactions under way.
    static let onlyInPostgres = [
        "windows", "order_heads", "depth", "replicas", "pauses", "marks", "copies", "deskgate_versions", "removed_revocations", "key_uses",
        "dead_counts", "user_questions",
    ]
}
