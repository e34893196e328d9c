/// A value of a row on its way between two stores, in SQLite's form: UUIDs are 16 bytes, and Booleans are 0 or 1.
enum CopiedValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// The statements with which `StoreCopy` reads and writes a table, a step of rows at a time, in the order of the key.
///
/// The numbers of apps and events are the same in both stores. Therefore the target's last key shows how far the copy has progressed, and
/// writing a row twice violates a unique key.
struct CopiedTable: Sendable {
    enum Column: Sendable {
        case integer, text, bytes
        /// 16 bytes in SQLite, a `uuid` in PostgreSQL.
        case id
        /// Unix milliseconds by the store's clock.
        case moment
        /// `CallTimes`: moments by the store's clock, 8 bytes each.
        case times
    }

    struct Statements: Sendable {
        /// Reads all columns of a limited number of rows after a key, in the order of the key. The parameters are the key's columns and the
        /// limit.
        let read: StaticString
        /// Reads the key of the last row.
        let lastKey: StaticString
        let count: StaticString
        /// Inserts one row (SQLite), or several rows given by columns (PostgreSQL), with all columns.
        let write: StaticString
    }

    let name: String
    let columns: [Column]
    /// The number of key columns, which come first.
    let keyCount: Int
    let sqlite: Statements
    let postgres: Statements

    /// A key that sorts before all others.
    var firstKey: [CopiedValue] {
        columns.prefix(keyCount).map { column in
            if case .text = column { .text("") } else { .integer(.min) }
        }
    }

    /// All tables, in the order of copying: a table comes after the tables that it references.
    static let all: [CopiedTable] = [
        .apps, .events, .deliveries, .attempts, .pastComments, .devices, .persons, .deviceCalls, .windows, .rateLimitedCalls, .revocations,
        .revocationVersions, .conditions, .conversations, .botCalls,
    ]

    /// The tables of SQLite that are not copied. `clock` and `clock_jumps` describe the clock of one machine, and `runs` the last run.
    /// `removed_revocations` is not needed, because services read all revocations of the target. Triggers of the target fill `dead_counts`.
    /// `key_uses` is not copied, because a target that has served already has rows; a missing record of a use is safe.
    static let onlyInSQLite = ["runs", "clock", "clock_jumps", "removed_revocations", "key_uses", "dead_counts"]

    /// The tables of PostgreSQL that are not copied. `PostgresCopyEnd.finish` computes `windows`, `order_heads`, `depth` and `dead_counts`.
    /// The other tables describe running processes and transactions, or are excluded for the reasons of `onlyInSQLite`.
    static let onlyInPostgres = [
        "windows", "order_heads", "depth", "replicas", "pauses", "marks", "copies", "deskgate_versions", "removed_revocations", "key_uses",
        "dead_counts", "user_questions",
    ]
}
