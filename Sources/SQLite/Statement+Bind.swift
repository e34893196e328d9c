internal import CSQLite

// Parameters are numbered from 1, as in `?1`. What is bound is copied, and stays bound until `reset()` or the end of `run`. A number that the
// statement does not have, or binding between two rows, is a mistake in the program and traps.
extension Statement {
    /// Binds a value of any type that can be stored.
    package func bind(_ value: some SQLiteBindable, at index: Int) {
        value.bind(to: self, at: index)
    }

    /// Binds an integer.
    package func bind(_ value: Int64, at index: Int) {
        unsafe check(sqlite3_bind_int64(statement, number(index), value))
    }

    /// Binds text, as UTF-8; it may hold U+0000.
    package func bind(_ value: String, at index: Int) {
        var value = value
        value.withUTF8 { bytes in
            unsafe check(deskgate_sqlite_bind_text(statement, number(index), bytes.baseAddress, UInt64(bytes.count)))
        }
    }

    /// Binds bytes, as a BLOB; none are an empty BLOB, not NULL.
    package func bind(_ value: Span<UInt8>, at index: Int) {
        unsafe value.withUnsafeBufferPointer { bytes in
            unsafe check(deskgate_sqlite_bind_blob(statement, number(index), bytes.baseAddress, UInt64(bytes.count)))
        }
    }

    /// Binds NULL.
    package func bindNull(at index: Int) {
        unsafe check(sqlite3_bind_null(statement, number(index)))
    }

    /// How many parameters the statement has.
    package var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(statement)) }

    private func number(_ index: Int) -> Int32 {
        precondition(1...parameterCount ~= index, "the statement has no such parameter")
        return Int32(index)
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "binding failed: the statement is between two rows, or the value too large")
    }
}
