// Arrays must have one dimension or be empty; others throw, like every other mismatch.
extension Row {
    /// Reads an `int8[]` without NULLs.
    package func int64Array(_ column: Int) throws(PostgresError) -> [Int64] {
        try array(column, type: .int8Array) { BinaryReader.whole($0, as: Int64.self) }
    }

    /// Reads an `int4[]` without NULLs.
    package func int32Array(_ column: Int) throws(PostgresError) -> [Int32] {
        try array(column, type: .int4Array) { BinaryReader.whole($0, as: Int32.self) }
    }

    /// Reads a `bool[]` without NULLs.
    package func boolArray(_ column: Int) throws(PostgresError) -> [Bool] {
        try array(column, type: .boolArray) { $0.count == 1 ? $0[0] != 0 : nil }
    }

    /// Reads a `text[]`; nil for NULL.
    package func stringArray(_ column: Int) throws(PostgresError) -> [String?] {
        try optionalArray(column, type: .textArray) { copyText($0) }
    }

    /// Copies a `bytea[]`, or the UTF-8 of a `text[]`; nil for NULL.
    package func bytesArray(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try optionalArray(column, type: .byteaArray) { copyBytes($0) }
    }

    /// Reads a `uuid[]` without NULLs, each as 16 bytes.
    package func uuidArray(_ column: Int) throws(PostgresError) -> [[UInt8]] {
        try array(column, type: .uuidArray) { copyBytes($0) }
    }

    private func array<Element>(
        _ column: Int, type: TypeID, read: (Span<UInt8>) -> Element?
    ) throws(PostgresError) -> [Element] {
        var elements: [Element] = []
        for element in try optionalArray(column, type: type, read: read) {
            guard let element else { throw mismatch(column, "has a NULL in its array") }
            elements.append(element)
        }
        return elements
    }

    private func optionalArray<Element>(
        _ column: Int, type: TypeID, read: (Span<UInt8>) -> Element?
    ) throws(PostgresError) -> [Element?] {
        let elements = try withValue(column, expected: type) { bytes throws(PostgresError) in BinaryReader.array(bytes, read) }
        guard let elements else { throw mismatch(column, "is not an array of one dimension, or has an element that cannot be read") }
        return elements
    }
}
