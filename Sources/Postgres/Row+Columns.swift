extension Row {
    /// Reads an `int8`, `int4` or `int2`.
    package func int64(_ column: Int) throws(PostgresError) -> Int64 {
        switch type(of: column) {
        case .int2: Int64(try integer(Int16.self, column: column, type: .int2))
        case .int4: Int64(try integer(Int32.self, column: column, type: .int4))
        default: try integer(Int64.self, column: column, type: .int8)
        }
    }

    /// Reads an `int4` or `int2`.
    package func int32(_ column: Int) throws(PostgresError) -> Int32 {
        if type(of: column) == .int2 { return Int32(try integer(Int16.self, column: column, type: .int2)) }
        return try integer(Int32.self, column: column, type: .int4)
    }

    /// Reads a `bool`.
    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        try integer(UInt8.self, column: column, type: .bool) != 0
    }

    /// Reads a `text`, `varchar`, `char` or `name`.
    package func string(_ column: Int) throws(PostgresError) -> String {
        let text = try withValue(column, expected: .text) { bytes throws(PostgresError) -> String? in copyText(bytes) }
        guard let text else { throw mismatch(column, "is text that is not UTF-8") }
        return text
    }

    /// Copies a `bytea`, or the UTF-8 of text.
    package func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        try withBytes(column) { bytes throws(PostgresError) in copyBytes(bytes) }
    }

    /// Calls `body` with a `bytea`, or the UTF-8 of text, without copying it; rethrows the errors of `body`.
    package func withBytes<Result>(
        _ column: Int, _ body: (Span<UInt8>) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        try withValue(column, expected: .bytea, body: body)
    }

    /// Reads a `uuid`, as 16 bytes.
    package func uuid(_ column: Int) throws(PostgresError) -> [UInt8] {
        try withValue(column, expected: .uuid) { bytes throws(PostgresError) in copyBytes(bytes) }
    }

    /// Reads a `timestamptz`, in microseconds since 1970; `infinity` and `-infinity` are the maximum and the minimum number.
    package func unixMicroseconds(_ column: Int) throws(PostgresError) -> Int64 {
        let value = try integer(Int64.self, column: column, type: .timestamptz)
        if value == .max || value == .min { return value }
        let (sum, overflows) = value.addingReportingOverflow(microsecondsBefore2000)
        guard !overflows else { throw mismatch(column, "is too late for 64 bits of microseconds") }
        return sum
    }

    private func integer<Value: FixedWidthInteger>(_: Value.Type, column: Int, type: TypeID) throws(PostgresError) -> Value {
        let value = try withValue(column, expected: type) { bytes throws(PostgresError) -> Value? in BinaryReader.whole(bytes) }
        guard let value else { throw mismatch(column, "has another length than \(type.sqlName)") }
        return value
    }
}

extension Row {
    /// Reads an integer as `int64` does; nil for NULL.
    package func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? { isNull(column) ? nil : try int64(column) }

    /// Reads an integer as `int32` does; nil for NULL.
    package func optionalInt32(_ column: Int) throws(PostgresError) -> Int32? { isNull(column) ? nil : try int32(column) }

    /// Reads a `bool`; nil for NULL.
    package func optionalBool(_ column: Int) throws(PostgresError) -> Bool? { isNull(column) ? nil : try bool(column) }

    /// Reads text as `string` does; nil for NULL.
    package func optionalString(_ column: Int) throws(PostgresError) -> String? { isNull(column) ? nil : try string(column) }

    /// Copies bytes as `bytes` does; nil for NULL.
    package func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? { isNull(column) ? nil : try bytes(column) }

    /// Reads a `uuid`, as 16 bytes; nil for NULL.
    package func optionalUUID(_ column: Int) throws(PostgresError) -> [UInt8]? { isNull(column) ? nil : try uuid(column) }

    /// Reads a `timestamptz` as `unixMicroseconds` does; nil for NULL.
    package func optionalUnixMicroseconds(_ column: Int) throws(PostgresError) -> Int64? {
        isNull(column) ? nil : try unixMicroseconds(column)
    }
}

func copyBytes(_ bytes: Span<UInt8>) -> [UInt8] {
    unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
}

/// The text of UTF-8 bytes; nil for invalid UTF-8.
func copyText(_ bytes: Span<UInt8>) -> String? {
    guard let text = try? UTF8Span(validating: bytes) else { return nil }
    return String(copying: text)
}
