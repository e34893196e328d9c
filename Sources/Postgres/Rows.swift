internal import CPostgres

/// The result of one statement: its rows, which can be read repeatedly, and the number of changed rows.
// Sendable, because a PGresult never changes and libpq lets any thread read it.
@safe
package final class Rows: @unchecked Sendable {
    let result: OpaquePointer

    /// Takes ownership of the result, and frees it in the end.
    init(owning result: OpaquePointer) {
        unsafe self.result = unsafe result
    }

    deinit {
        unsafe PQclear(result)
    }

    package var columnCount: Int { unsafe Int(PQnfields(result)) }

    /// The number of rows that an INSERT, UPDATE, DELETE or SELECT wrote or returned; 0 for other statements.
    package var affectedCount: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The server's tag of the command, such as `INSERT 0 1` or `COMMIT`.
    var tag: String { unsafe String(cString: PQcmdStatus(result)) }
}

extension Rows {
    /// The first row, for a statement that always returns one.
    /// - Throws: a `value` error when it has returned none.
    package func one() throws(PostgresError) -> Row {
        guard let row = first else { throw PostgresError(.value, "a statement returned no row, but must return one") }
        return row
    }
}

extension Rows: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { unsafe Int(PQntuples(result)) }

    /// A row by its number; traps when it does not exist.
    package subscript(position: Int) -> Row {
        precondition(indices.contains(position), "there is no such row")
        return Row(self, Int32(position))
    }
}

/// A row of a result, whose columns are read by number, from 0. It keeps the result alive.
///
/// Traps on a column that does not exist. For NULL or a value of another type it throws an error that names the column and does not contain
/// the value.
package struct Row: Sendable {
    let rows: Rows
    private let number: Int32

    init(_ rows: Rows, _ number: Int32) {
        self.rows = rows
        self.number = number
    }

    package func isNull(_ column: Int) -> Bool {
        check(column)
        return unsafe PQgetisnull(rows.result, number, Int32(column)) == 1
    }

    /// Calls `body` with the bytes of a value of a type, or of a type with the same encoding.
    func withValue<Result>(
        _ column: Int, expected: TypeID, body: (Span<UInt8>) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        if isNull(column) { throw mismatch(column, "is NULL") }
        let type = type(of: column)
        guard expected.reads(type), unsafe PQfformat(rows.result, Int32(column)) == 1 else {
            throw mismatch(column, "is \(type.sqlName) and not \(expected.sqlName)")
        }
        let count = unsafe Int(PQgetlength(rows.result, number, Int32(column)))
        let start = unsafe UnsafeRawPointer(PQgetvalue(rows.result, number, Int32(column)))
        let bytes = unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
        defer { withExtendedLifetime(rows) {} }
        return try body(unsafe bytes.span)
    }

    func type(of column: Int) -> TypeID {
        check(column)
        return unsafe TypeID(oid: PQftype(rows.result, Int32(column)))
    }

    /// The error for a column with another content than expected.
    package func mismatch(_ column: Int, _ problem: String) -> PostgresError {
        let name = unsafe PQfname(rows.result, Int32(column)).map { unsafe String(cString: $0) } ?? ""
        return PostgresError(.value, "column \(column) (\(name)) \(problem)")
    }

    private func check(_ column: Int) {
        precondition(0..<rows.columnCount ~= column, "the rows have no such column")
    }
}
