internal import Core
internal import Postgres

/// A PostgreSQL store as the source or target of a copy.
final class PostgresCopyEnd: CopyEnd {
    /// The timeout of a step in milliseconds.
    private static let stepMilliseconds: UInt64 = 60_000
    /// The timeout of statements that read whole tables, in milliseconds.
    private static let longMilliseconds: UInt64 = 3_600_000
    /// A placeholder id that belongs to no process.
    static let replica = [UInt8](repeating: 0, count: 16)

    private let session: PostgresSession

    init(_ session: PostgresSession) { self.session = session }

    func count(_ table: CopiedTable) throws(StoreError) -> Int {
        let rows = try run([Query(table.postgres.count)], Self.longMilliseconds)[0]
        return try PostgresDatabase.explained { () throws(PostgresError) in Int(try rows.one().int64(0)) }
    }

    func lastKey(of table: CopiedTable) throws(StoreError) -> [CopiedValue]? {
        guard let row = try run([Query(table.postgres.lastKey)])[0].first else { return nil }
        return try PostgresDatabase.explained { () throws(PostgresError) in try row.values(table.columns.prefix(table.keyCount)) }
    }

    func rows(of table: CopiedTable, after key: [CopiedValue], limit: Int) throws(StoreError) -> [[CopiedValue]] {
        let found = try run([Query(table.postgres.read, key.map(\.parameter) + [.int8(Int64(limit))])])[0]
        return try PostgresDatabase.explained { () throws(PostgresError) in
            var rows: [[CopiedValue]] = []
            rows.reserveCapacity(found.count)
            for row in found { rows.append(try row.values(table.columns[...])) }
            return rows
        }
    }

    /// Writes rows with one statement, which is a separate transaction.
    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws(StoreError) {
        let columns = table.columns.enumerated().map { index, column in column.parameter(rows.lazy.map { $0[index] }) }
        do throws(PostgresError) {
            try session.connection.run(Query(table.postgres.write, columns), by: .after(milliseconds: Self.stepMilliseconds))
        } catch {
            throw error.isUniqueViolation ? .copyOverlaps(table.name) : StoreError(error)
        }
    }

    /// Computes PostgreSQL's derived data, sets sequences to continue after the copied numbers, and permits services to start. All of this
    /// is one transaction.
    /// - Parameter copy: the number of the copy to mark as complete.
    func finish(_ copy: Int64) throws(StoreError) {
        _ = try run(
            [
                Query(FinishStatements.clearHeads), Query(FinishStatements.heads), Query(FinishStatements.clearDepth),
                Query(FinishStatements.depth), Query(FinishStatements.clearDead), Query(FinishStatements.dead),
                Query(FinishStatements.clearWindows), Query(FinishStatements.windows),
                Query(FinishStatements.appNumbers), Query(FinishStatements.eventNumbers), Query(FinishStatements.callNumbers),
                PostgresSession.setCopy(copy, .finished),
            ], Self.longMilliseconds)
    }

    /// Deletes the rows of an unfinished copy, in the same transaction as `query`.
    func empty(and query: Query) throws(StoreError) {
        _ = try run(FinishStatements.clear.map { Query($0) } + [query], Self.longMilliseconds)
    }

    private func run(_ queries: [Query], _ milliseconds: UInt64 = stepMilliseconds) throws(StoreError) -> [Rows] {
        try PostgresDatabase.explained { () throws(PostgresError) in
            try session.connection.pipeline(queries, by: .after(milliseconds: milliseconds))
        }
    }
}

extension CopiedValue {
    fileprivate var parameter: Parameter {
        switch self {
        case .null: .text(nil)
        case .integer(let integer): .int8(integer)
        case .text(let text): .stored(text)
        case .bytes(let bytes): .bytea(bytes)
        }
    }

    fileprivate var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
    fileprivate var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension CopiedTable.Column {
    /// Returns the values of one column as an array for `unnest`.
    fileprivate func parameter(_ values: some Sequence<CopiedValue>) -> Parameter {
        switch self {
        case .integer, .moment: .int8Array(values.map(\.integer))
        case .text: .storedArray(values.map(\.text))
        case .bytes, .times: .byteaArray(values.map(\.bytes))
        case .id: .uuidArray(values.map { $0.bytes ?? [] })
        }
    }
}

extension Row {
    /// Reads the first columns.
    fileprivate func values(_ columns: ArraySlice<CopiedTable.Column>) throws(PostgresError) -> [CopiedValue] {
        var values: [CopiedValue] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() { values.append(isNull(index) ? .null : try value(index, column)) }
        return values
    }

    private func value(_ index: Int, _ column: CopiedTable.Column) throws(PostgresError) -> CopiedValue {
        switch column {
        case .integer, .moment: .integer(try int64(index))
        case .text: .text(try stored(index))
        case .bytes, .times: .bytes(try bytes(index))
        case .id: .bytes(try uuid(index))
        }
    }
}

private enum FinishStatements {
    static let clearHeads: StaticString = "DELETE FROM order_heads"
    static let heads: StaticString = """
        INSERT INTO order_heads (notifier, app, order_key, waiting)
        SELECT notifier, app, order_key, count(*) FROM deliveries WHERE state = 0 AND order_key IS NOT NULL GROUP BY 1, 2, 3
        """
    static let clearDepth: StaticString = "DELETE FROM depth"
    static let depth: StaticString = """
        INSERT INTO depth (notifier, app, pending) SELECT notifier, app, count(*) FROM deliveries WHERE state = 0 GROUP BY notifier, app
        """
    // The triggers have added a row for each dead delivery, which are too many for the first heartbeats of a service to sum up.
    static let clearDead: StaticString = "DELETE FROM dead_counts"
    static let dead: StaticString = """
        INSERT INTO dead_counts (notifier, app, reason, count)
        SELECT notifier, app, reason, count(*) FROM deliveries WHERE state = 2 GROUP BY notifier, app, reason
        """
    static let clearWindows: StaticString = "DELETE FROM windows"
    static let windows: StaticString = "INSERT INTO windows (app, last) SELECT app, max(number) FROM window_calls GROUP BY app"
    static let appNumbers: StaticString = """
        SELECT setval(pg_get_serial_sequence('apps', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL) FROM apps
        """
    static let eventNumbers: StaticString = """
        SELECT setval(pg_get_serial_sequence('events', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL) FROM events
        """
    static let callNumbers: StaticString = """
        SELECT setval(pg_get_serial_sequence('bot_calls', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL) FROM bot_calls
        """
    static let clear: [StaticString] = [
        "DELETE FROM apps", "DELETE FROM events", "DELETE FROM deliveries", "DELETE FROM attempts", "DELETE FROM past_comments",
        "DELETE FROM devices", "DELETE FROM persons", "DELETE FROM device_calls", "DELETE FROM window_calls", "DELETE FROM paced_calls",
        "DELETE FROM revocations", "DELETE FROM revocation_versions", "DELETE FROM conditions", "DELETE FROM topics",
        "DELETE FROM bot_calls",
    ]
}
