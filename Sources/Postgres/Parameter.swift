/// A value for a statement's `$1`, `$2` …, with its type, encoded for the wire at creation. nil is NULL.
package struct Parameter: Sendable {
    let type: TypeID
    /// The value in PostgreSQL's binary format; nil for NULL.
    let bytes: [UInt8]?
    let problem: String?

    private init(_ type: TypeID, _ bytes: [UInt8]?, problem: String? = nil) {
        self.type = type
        self.bytes = bytes
        self.problem = problem
    }

    private static func integer(_ type: TypeID, _ value: (some FixedWidthInteger)?) -> Parameter {
        guard let value else { return Parameter(type, nil) }
        var writer = BinaryWriter()
        writer.append(value)
        return Parameter(type, writer.bytes)
    }

    /// An `int8`.
    package static func int8(_ value: Int64?) -> Parameter { integer(.int8, value) }

    /// An `int4`.
    package static func int4(_ value: Int32?) -> Parameter { integer(.int4, value) }

    /// A `bool`.
    package static func bool(_ value: Bool?) -> Parameter { Parameter(.bool, value.map { [$0 ? 1 : 0] }) }

    /// A `text`. `run` rejects U+0000, which PostgreSQL cannot store.
    package static func text(_ value: String?) -> Parameter { text(utf8: value.map { Array($0.utf8) }) }

    /// A `text` of UTF-8 bytes. `run` rejects bytes that are not UTF-8 or contain a NUL.
    package static func text(utf8 value: [UInt8]?) -> Parameter { Parameter(.text, value, problem: value.flatMap { textProblem($0) }) }

    /// A `bytea`.
    package static func bytea(_ value: [UInt8]?) -> Parameter { Parameter(.bytea, value) }

    /// A `uuid` of exactly 16 bytes; traps on another number.
    package static func uuid(_ value: [UInt8]?) -> Parameter {
        precondition(value.map { $0.count == 16 } ?? true, "a UUID has 16 bytes")
        return Parameter(.uuid, value)
    }

    /// A `timestamptz`, in microseconds since 1970; the maximum and the minimum number are `infinity` and `-infinity`. Traps on a time
    /// before the year 294000 BC.
    package static func timestamptz(unixMicroseconds value: Int64?) -> Parameter {
        integer(.timestamptz, value.map { $0 == .max || $0 == .min ? $0 : $0 - microsecondsBefore2000 })
    }

    private static func textProblem(_ bytes: [UInt8]) -> String? {
        if bytes.contains(0) { return "contains U+0000, which PostgreSQL cannot store in text" }
        let isText = (try? UTF8Span(validating: bytes.span)) != nil
        return isText ? nil : "is not UTF-8"
    }
}

// Arrays, for `unnest($1)`: one statement for many rows
extension Parameter {
    /// An `int8[]`.
    package static func int8Array(_ values: [Int64]) -> Parameter {
        let bytes = BinaryWriter.array(of: .int8, values) { writer, value in
            writer.append(Int32(8))
            writer.append(value)
        }
        return Parameter(.int8Array, bytes)
    }

    /// An `int8[]` with NULLs.
    package static func int8Array(_ values: [Int64?]) -> Parameter {
        let bytes = BinaryWriter.array(of: .int8, values, hasNull: values.contains(nil)) { writer, value in
            guard let value else { return writer.append(Int32(-1)) }
            writer.append(Int32(8))
            writer.append(value)
        }
        return Parameter(.int8Array, bytes)
    }

    /// An `int4[]`.
    package static func int4Array(_ values: [Int32]) -> Parameter {
        let bytes = BinaryWriter.array(of: .int4, values) { writer, value in
            writer.append(Int32(4))
            writer.append(value)
        }
        return Parameter(.int4Array, bytes)
    }

    /// A `bool[]`.
    package static func boolArray(_ values: [Bool]) -> Parameter {
        let bytes = BinaryWriter.array(of: .bool, values) { writer, value in writer.append(field: [value ? 1 : 0] as [UInt8]) }
        return Parameter(.boolArray, bytes)
    }

    /// A `text[]`, with NULLs for nil; the rules of `text` apply to each element.
    package static func textArray(_ values: [String?]) -> Parameter { textArray(utf8: values.map { $0.map { Array($0.utf8) } }) }

    /// A `text[]` of UTF-8 bytes, with NULLs for nil; the rules of `text` apply to each element.
    package static func textArray(utf8 values: [[UInt8]?]) -> Parameter {
        let problem = values.lazy.compactMap { $0.flatMap { textProblem($0) } }.first
        return Parameter(.textArray, fields(.text, values), problem: problem.map { "has an element that \($0)" })
    }

    /// A `bytea[]`, with NULLs for nil.
    package static func byteaArray(_ values: [[UInt8]?]) -> Parameter { Parameter(.byteaArray, fields(.bytea, values)) }

    /// A `uuid[]`, each of exactly 16 bytes; traps on another number.
    package static func uuidArray(_ values: [[UInt8]]) -> Parameter {
        precondition(values.allSatisfy { $0.count == 16 }, "a UUID has 16 bytes")
        return Parameter(.uuidArray, fields(.uuid, values))
    }

    private static func fields(_ type: TypeID, _ values: [[UInt8]?]) -> [UInt8] {
        BinaryWriter.array(of: type, values, hasNull: values.contains(nil)) { writer, value in writer.append(field: value) }
    }
}
