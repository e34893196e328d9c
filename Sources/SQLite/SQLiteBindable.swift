/// A value that can be a statement's parameter.
package protocol SQLiteBindable {
    /// Binds the value to the parameter with this number, counted from 1.
    func bind(to statement: Statement, at index: Int)
}

extension Int64: SQLiteBindable {
    /// Binds an INTEGER.
    package func bind(to statement: Statement, at index: Int) { statement.bind(self, at: index) }
}

extension Int: SQLiteBindable {
    /// Binds an INTEGER.
    package func bind(to statement: Statement, at index: Int) { statement.bind(Int64(self), at: index) }
}

extension String: SQLiteBindable {
    /// Binds TEXT.
    package func bind(to statement: Statement, at index: Int) { statement.bind(self, at: index) }
}

extension [UInt8]: SQLiteBindable {
    /// Binds a BLOB.
    package func bind(to statement: Statement, at index: Int) { statement.bind(span, at: index) }
}

extension Optional: SQLiteBindable where Wrapped: SQLiteBindable {
    /// Binds the value, or NULL.
    package func bind(to statement: Statement, at index: Int) {
        if let self { self.bind(to: statement, at: index) } else { statement.bindNull(at: index) }
    }
}
