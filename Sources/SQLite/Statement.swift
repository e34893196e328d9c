internal import CSQLite

/// One SQL statement, prepared once and run as often as needed.
///
/// It belongs to its connection's thread and keeps the connection alive. Bind values, then `step` through the rows or `run` it. A statement
/// that has ended, after its last row or by a failure, can be bound and run again.
@safe
package final class Statement {
    let connection: Connection
    private let handle: OpaquePointer
    /// The number of active borrows of this statement's rows or bytes, which the next step would invalidate.
    private var lendings = 0

    /// Prepares a statement.
    /// - Parameter sql: one statement, as a literal, so that values cannot become part of it; traps on none and on several.
    /// - Throws: when SQLite cannot parse it, or a table or column does not exist.
    package init(_ connection: Connection, _ sql: StaticString) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let text = unsafe UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        var rest: UnsafePointer<CChar>?
        let count = Int32(sql.utf8CodeUnitCount)
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard unsafe sqlite3_prepare_v3(connection.database, text, count, flags, &prepared, &rest) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: connection.database)
        }
        guard let prepared = unsafe prepared else { preconditionFailure("no SQL") }
        unsafe precondition(rest == text + Int(count), "more than one SQL statement, or text after it")
        unsafe handle = prepared
        self.connection = connection
    }

    deinit {
        // Closing the connection has finalized its statements.
        if connection.isOpen { unsafe sqlite3_finalize(handle) }
    }

    /// SQLite's handle, valid during one call. Traps if the connection is closed.
    var statement: OpaquePointer {
        precondition(connection.isOpen, "the statement's connection is closed")
        return unsafe handle
    }

    /// Steps to the next row.
    /// - Returns: true when there is one; its columns can be read until the next step or reset. False when the statement has ended.
    /// - Throws: when the statement failed; it has ended then, and its changes are undone.
    package func step() throws(SQLiteError) -> Bool {
        precondition(lendings == 0, "rows or bytes of the statement are still borrowed")
        return try advance()
    }

    /// Ends the statement before its last row, which releases its locks, and unbinds every parameter, which frees the copies.
    package func reset() {
        precondition(lendings == 0, "rows or bytes of the statement are still borrowed")
        clear()
    }

    /// Steps to the next row during a borrow of rows.
    func advance() throws(SQLiteError) -> Bool {
        try connection.checkTransactionIsOpen()
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            unsafe sqlite3_reset(statement)
            return false
        default: throw failure()
        }
    }

    /// Ends the statement and unbinds its parameters; an error was thrown before.
    func clear() {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }

    /// Calls `body`; stepping, resetting and closing trap inside it.
    func lending<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        lendings += 1
        connection.lendings += 1
        defer {
            lendings -= 1
            connection.lendings -= 1
        }
        return try body()
    }

    private func failure() -> SQLiteError {
        let error = unsafe SQLiteError(lastOf: connection.database)
        unsafe sqlite3_reset(statement)
        // For some errors with this code SQLite's functions quote an argument, which may be a bound value.
        let mayQuote = unsafe error.primaryCode == SQLITE_ERROR && sqlite3_bind_parameter_count(statement) > 0
        return mayQuote ? error.withoutDetail : error
    }
}

// Parameters are numbered from 1, as in `?1`. A bound value is copied, and stays bound until `reset()` or the end of `run`. Traps on a
// number that the statement does not have, and on binding between two rows.
extension Statement {
    /// Binds a value of any type that can be stored.
    package func bind(_ value: some SQLiteBindable, at index: Int) {
        value.bind(to: self, at: index)
    }

    package func bind(_ value: Int64, at index: Int) {
        unsafe check(sqlite3_bind_int64(statement, number(index), value))
    }

    /// Binds text as UTF-8; it may contain U+0000.
    package func bind(_ value: String, at index: Int) {
        var value = value
        value.withUTF8 { bytes in
            unsafe check(deskgate_sqlite_bind_text(statement, number(index), bytes.baseAddress, UInt64(bytes.count)))
        }
    }

    /// Binds bytes as a BLOB; zero bytes are an empty BLOB, not NULL.
    package func bind(_ value: Span<UInt8>, at index: Int) {
        unsafe value.withUnsafeBufferPointer { bytes in
            unsafe check(deskgate_sqlite_bind_blob(statement, number(index), bytes.baseAddress, UInt64(bytes.count)))
        }
    }

    package func bindNull(at index: Int) {
        unsafe check(sqlite3_bind_null(statement, number(index)))
    }

    package var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(statement)) }

    private func number(_ index: Int) -> Int32 {
        precondition(1...parameterCount ~= index, "the statement has no such parameter")
        return Int32(index)
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "binding failed: the statement is between two rows, or the value too large")
    }
}

extension Statement {
    /// Binds the values in order, runs the statement to its end, ignores its rows, and unbinds the values.
    /// - Parameter values: one for each parameter, or none to keep the values bound before; traps on any other number.
    /// - Throws: when the statement failed.
    package func run<each Value: SQLiteBindable>(_ values: repeat each Value) throws(SQLiteError) {
        bindAll(repeat each values)
        defer { clear() }
        while try step() {}
    }

    /// Runs the statement with the values bound before to its end, ignores its rows, and unbinds the values. For statements that run so
    /// often that generic binding would cost more than running them.
    /// - Throws: when the statement failed.
    package func runBound() throws(SQLiteError) {
        defer { clear() }
        while try step() {}
    }

    /// Runs the statement with the values bound before, and calls `body` at its only row if there is one.
    /// - Throws: when the statement failed, or the errors of `body`.
    package func readBound(_ body: (Statement) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { clear() }
        if try step() { try body(self) }
    }

    /// Binds the values in order, calls `body` at each row, and unbinds the values.
    ///
    /// `body` reads the columns. Stepping or resetting this statement, or closing the connection, traps inside it.
    /// - Parameter values: one for each parameter, or none to keep the values bound before; traps on any other number.
    /// - Throws: when the statement failed, or the errors of `body`, which end the iteration.
    package func forEachRow<each Value: SQLiteBindable>(
        _ values: repeat each Value, body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        bindAll(repeat each values)
        defer { clear() }
        while try step() {
            try lending { () throws(SQLiteError) in try body(self) }
        }
    }

    private func bindAll<each Value: SQLiteBindable>(_ values: repeat each Value) {
        var count = 0
        for value in repeat each values {
            count += 1
            value.bind(to: self, at: count)
        }
        precondition(count == 0 || count == parameterCount, "the statement has another number of parameters")
    }
}

/// A value that can be a statement's parameter.
package protocol SQLiteBindable {
    /// Binds the value to the parameter with this number, counted from 1.
    func bind(to statement: Statement, at index: Int)
}

extension Int64: SQLiteBindable {
    package func bind(to statement: Statement, at index: Int) { statement.bind(self, at: index) }
}

extension Int: SQLiteBindable {
    package func bind(to statement: Statement, at index: Int) { statement.bind(Int64(self), at: index) }
}

extension String: SQLiteBindable {
    package func bind(to statement: Statement, at index: Int) { statement.bind(self, at: index) }
}

extension [UInt8]: SQLiteBindable {
    package func bind(to statement: Statement, at index: Int) { statement.bind(span, at: index) }
}

extension Optional: SQLiteBindable where Wrapped: SQLiteBindable {
    package func bind(to statement: Statement, at index: Int) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(at: index) }
    }
}
