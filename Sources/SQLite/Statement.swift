internal import CSQLite

/// One SQL statement, prepared once and run as often as needed.
///
/// It belongs to its connection's thread and keeps the connection alive. Bind, then `step` through the rows or `run`; what ended, by its last
/// row or by a failure, can be bound and run again.
@safe
package final class Statement {
    let connection: Connection
    private let handle: OpaquePointer
    /// How many calls are under way that lend this statement's rows or bytes, which the next step would take away.
    private var lendings = 0

    /// Prepares a statement.
    /// - Parameter sql: one statement, as a literal, so that values cannot become part of it; more than one, or none, traps.
    /// - Throws: when SQLite does not understand it, or what it names does not exist.
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

    /// SQLite's handle, for the length of one call. It traps once the connection is closed.
    var statement: OpaquePointer {
        precondition(connection.isOpen, "the statement's connection is closed")
        return unsafe handle
    }

    /// Goes to the next row.
    /// - Returns: true when there is one, whose columns can be read until the next step or reset; false when the statement has ended.
    /// - Throws: why the statement failed; it has ended then, and what it did is undone.
    package func step() throws(SQLiteError) -> Bool {
        precondition(lendings == 0, "rows or bytes of the statement are still lent")
        return try advance()
    }

    /// Ends the statement before its last row, which gives up its locks, and unbinds every parameter, which frees the copies.
    package func reset() {
        precondition(lendings == 0, "rows or bytes of the statement are still lent")
        clear()
    }

    /// Goes to the next row for whom lends rows.
    func advance() throws(SQLiteError) -> Bool {
        try connection.checkTransactionStands()
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            unsafe sqlite3_reset(statement)
            return false
        default: throw failure()
        }
    }

    /// Ends the statement and unbinds its parameters; what went wrong has been thrown by then.
    func clear() {
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }

    /// Calls `body` while stepping, resetting and closing trap.
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
        // SQLite's functions quote an argument in some errors of this code, and the argument may have been bound.
        let mayQuote = unsafe error.primaryCode == SQLITE_ERROR && sqlite3_bind_parameter_count(statement) > 0
        return mayQuote ? error.withoutDetail : error
    }
}
