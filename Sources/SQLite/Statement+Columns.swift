internal import CSQLite

// Columns are numbered from 0. Traps on a number that the row does not have, and on reading without a row. The file may have any origin, so
// a value of an unexpected type throws SQLITE_MISMATCH.
extension Statement {
    package func isNull(_ column: Int) -> Bool {
        type(of: column) == SQLITE_NULL
    }

    package func int64(_ column: Int) throws(SQLiteError) -> Int64 {
        try expect(SQLITE_INTEGER, at: column)
        return unsafe sqlite3_column_int64(statement, Int32(column))
    }

    /// Reads TEXT, which may contain U+0000; invalid UTF-8 throws SQLITE_MISMATCH.
    package func string(_ column: Int) throws(SQLiteError) -> String {
        try expect(SQLITE_TEXT, at: column)
        let text = try withBytes(column) { bytes throws(SQLiteError) -> String? in
            guard let text = try? UTF8Span(validating: bytes) else { return nil }
            return String(copying: text)
        }
        guard let text else { throw mismatch(column, "contains text that is not UTF-8") }
        return text
    }

    /// Copies a BLOB, or the UTF-8 of TEXT.
    package func bytes(_ column: Int) throws(SQLiteError) -> [UInt8] {
        try withBytes(column) { bytes throws(SQLiteError) in
            unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }

    /// Calls a closure with a BLOB, or the UTF-8 of TEXT, without copying it. The bytes are valid only in the closure.
    ///
    /// Stepping or resetting this statement, or closing the connection, traps in `body`.
    /// - Throws: the errors of `body`, too.
    package func withBytes<Result>(
        _ column: Int, _ body: (Span<UInt8>) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try expect(SQLITE_BLOB, or: SQLITE_TEXT, at: column)
        let bytes = unsafe try stored(column)
        return try lending { () throws(SQLiteError) in try body(unsafe bytes.span) }
    }

    private func stored(_ column: Int) throws(SQLiteError) -> UnsafeBufferPointer<UInt8> {
        let column = Int32(column)
        let isText = unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT
        // The pointer first: reading it may convert the value, and the length must be read after that (sqlite3_column_blob).
        let start = unsafe isText ? UnsafeRawPointer(sqlite3_column_text(statement, column)) : sqlite3_column_blob(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        // The pointer is nil for an empty BLOB, and also when memory ran out.
        let hasFailed = unsafe start == nil && sqlite3_errcode(connection.database) == SQLITE_NOMEM
        guard !hasFailed else { throw SQLiteError(code: SQLITE_NOMEM) }
        return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
    }

    private func type(of column: Int) -> Int32 {
        unsafe precondition(0..<sqlite3_data_count(statement) ~= Int32(column), "there is no row, or it has no such column")
        return unsafe sqlite3_column_type(statement, Int32(column))
    }

    private func expect(_ type: Int32, or other: Int32? = nil, at column: Int) throws(SQLiteError) {
        let actual = self.type(of: column)
        guard actual == type || actual == other else { throw mismatch(column, "contains a value of another type") }
    }

    /// The error for a column with an unexpected value.
    package func mismatch(_ column: Int, _ problem: String) -> SQLiteError {
        SQLiteError(code: SQLITE_MISMATCH, message: "column \(column) \(problem)")
    }
}

extension Statement {
    /// Reads an INTEGER; nil for NULL.
    package func optionalInt64(_ column: Int) throws(SQLiteError) -> Int64? {
        isNull(column) ? nil : try int64(column)
    }

    /// Reads TEXT; nil for NULL.
    package func optionalString(_ column: Int) throws(SQLiteError) -> String? {
        isNull(column) ? nil : try string(column)
    }

    /// Copies a BLOB, or the UTF-8 of TEXT; nil for NULL.
    package func optionalBytes(_ column: Int) throws(SQLiteError) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }
}
