internal import Core
internal import SQLite

/// A SQLite store as the source or target of a copy. The creator must hold the file's lock.
final class SQLiteCopyEnd: CopyEnd {
    /// The value of `runs.closed` in a new store, and in a store that was closed.
    private static let closed: Int64 = 1
    /// The number of bytes of text and data after which a step ends.
    private static let maximumBytes = 4_000_000

    private let path: String
    private let connection: Connection
    private var statements: [String: Statement] = [:]

    /// Opens a store whose schema is up to date.
    init(_ path: String) throws(StoreError) {
        self.path = path
        connection = try DatabaseFile.explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .readWriteCreate)
            connection.setBusyTimeout(milliseconds: StoreSettings().busyTimeoutMilliseconds)
            try connection.useWriteAheadLog()
            // If a power failure loses rows, the next run copies them again.
            try connection.setSynchronous(.normal)
            try connection.setCacheSize(kibibytes: 65_536)
            return connection
        }
    }

    /// Returns the number of the copy whose source or draft a store is; nil when there is none, or a service has opened the store since.
    ///
    /// The number is stored in `runs.closed`. A service that opens the store interprets any value except 0 as a closed run, and writes 0.
    static func mark(_ connection: Connection) throws(SQLiteError) -> Int64? {
        let statement = try Statement(connection, "SELECT closed FROM runs")
        defer { statement.reset() }
        let value = try statement.step() ? try statement.int64(0) : 0
        return value > closed ? value : nil
    }

    /// Makes this store the source or the draft of a copy.
    func setMark(_ copy: Int64) throws(StoreError) {
        try use { connection throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in try Statement(connection, "UPDATE runs SET closed = ?1").run(copy) }
            // Makes the mark durable before the other store records this store as its source.
            try connection.checkpoint(truncate: false)
        }
    }

    /// Closes a finished draft and truncates its write-ahead log.
    /// - Throws: an error of the file, or an error when the integrity check finds damage.
    func finish() throws(StoreError) {
        statements = [:]
        let findings = try use { connection throws(SQLiteError) in
            let findings = try connection.integrityCheck()
            try connection.checkpoint(truncate: true)
            try connection.close()
            return findings
        }
        guard findings.isEmpty else { throw .damaged(path, findings) }
    }

    func count(_ table: CopiedTable) throws(StoreError) -> Int {
        try use { connection throws(SQLiteError) in
            let statement = try Statement(connection, table.sqlite.count)
            defer { statement.reset() }
            return try statement.step() ? Int(try statement.int64(0)) : 0
        }
    }

    func lastKey(of table: CopiedTable) throws(StoreError) -> [CopiedValue]? {
        try use { connection throws(SQLiteError) in
            let statement = try Statement(connection, table.sqlite.lastKey)
            defer { statement.reset() }
            return try statement.step() ? try statement.values(table.columns.prefix(table.keyCount)) : nil
        }
    }

    func rows(of table: CopiedTable, after key: [CopiedValue], limit: Int) throws(StoreError) -> [[CopiedValue]] {
        let statement = try prepared("read \(table.name)", table.sqlite.read)
        return try use { _ throws(SQLiteError) in
            statement.bind(key)
            statement.bind(Int64(limit), at: key.count + 1)
            defer { statement.reset() }
            var (rows, bytes) = ([[CopiedValue]](), 0)
            while bytes < Self.maximumBytes, try statement.step() {
                let row = try statement.values(table.columns[...])
                bytes += row.reduce(0) { $0 + $1.size }
                rows.append(row)
            }
            return rows
        }
    }

    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws(StoreError) {
        let statement = try prepared("write \(table.name)", table.sqlite.write)
        try use { connection throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                for row in rows {
                    statement.bind(row)
                    try statement.runBound()
                }
            }
        }
    }

    private func prepared(_ use: String, _ sql: StaticString) throws(StoreError) -> Statement {
        if let statement = statements[use] { return statement }
        let statement = try self.use { connection throws(SQLiteError) in try Statement(connection, sql) }
        statements[use] = statement
        return statement
    }

    private func use<Value>(_ body: (Connection) throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        try DatabaseFile.explained(path) { () throws(SQLiteError) in try body(connection) }
    }
}

extension CopiedValue {
    /// The approximate size in bytes.
    fileprivate var size: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}

extension Statement {
    /// Binds values to the first parameters.
    fileprivate func bind(_ values: [CopiedValue]) {
        for (index, value) in values.enumerated() {
            switch value {
            case .null: bindNull(at: index + 1)
            case .integer(let integer): bind(integer, at: index + 1)
            case .text(let text): bind(text, at: index + 1)
            case .bytes(let bytes): bind(bytes.span, at: index + 1)
            }
        }
    }

    fileprivate func values(_ columns: ArraySlice<CopiedTable.Column>) throws(SQLiteError) -> [CopiedValue] {
        var values: [CopiedValue] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() { values.append(isNull(index) ? .null : try value(index, column)) }
        return values
    }

    private func value(_ index: Int, _ column: CopiedTable.Column) throws(SQLiteError) -> CopiedValue {
        switch column {
        case .integer, .moment: .integer(try int64(index))
        case .text: .text(try string(index))
        case .bytes, .times: .bytes(try bytes(index))
        case .id: .bytes(try uuidv7(index).bytes)
        }
    }
}
