/// Writes values in PostgreSQL's binary format: integers are big-endian, and arrays begin with their dimensions.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends an integer, the most significant byte first.
    mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a length and the bytes of a field; nil is NULL.
    mutating func append(field: (some Collection<UInt8>)?) {
        guard let field else { return append(Int32(-1)) }
        append(Int32(field.count))
        bytes.append(contentsOf: field)
    }

    /// Writes an array of one dimension, or of zero dimensions when it is empty (array_recv of PostgreSQL's arrayfuncs.c).
    static func array<Element>(
        of type: TypeID, _ elements: [Element], hasNull: Bool = false, each: (inout BinaryWriter, Element) -> Void
    ) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(Int32(elements.isEmpty ? 0 : 1))
        writer.append(Int32(hasNull ? 1 : 0))
        writer.append(type.oid)
        guard !elements.isEmpty else { return writer.bytes }
        writer.append(Int32(elements.count))
        // The lower bound of the array's index.
        writer.append(Int32(1))
        for element in elements { each(&writer, element) }
        return writer.bytes
    }
}

/// Reads values in PostgreSQL's binary format, and keeps the current position. A read beyond the end returns nil.
struct BinaryReader {
    private(set) var position = 0

    mutating func integer<Value: FixedWidthInteger>(_ bytes: Span<UInt8>, as _: Value.Type = Value.self) -> Value? {
        let size = Value.bitWidth / 8
        guard bytes.count - position >= size else { return nil }
        var value: Value = 0
        for index in position..<position + size { value = value << 8 | Value(truncatingIfNeeded: bytes[index]) }
        position += size
        return value
    }

    /// Returns the range of the next `count` bytes, and moves past them.
    mutating func range(_ count: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard count >= 0, bytes.count - position >= count else { return nil }
        defer { position += count }
        return position..<position + count
    }

    /// Reads an integer; nil when the number of bytes differs from its size.
    static func whole<Value: FixedWidthInteger>(_ bytes: Span<UInt8>, as _: Value.Type = Value.self) -> Value? {
        var reader = BinaryReader()
        return bytes.count == Value.bitWidth / 8 ? reader.integer(bytes) : nil
    }

    /// Reads an empty or one-dimensional array in the format of array_send in PostgreSQL's arrayfuncs.c; NULL elements are nil.
    /// - Returns: nil for anything else, or when `read` returns nil.
    static func array<Element>(_ bytes: Span<UInt8>, _ read: (Span<UInt8>) -> Element?) -> [Element?]? {
        var reader = BinaryReader()
        guard let dimensions: Int32 = reader.integer(bytes), reader.integer(bytes, as: Int32.self) != nil,
            reader.integer(bytes, as: UInt32.self) != nil
        else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count: Int32 = reader.integer(bytes), reader.integer(bytes, as: Int32.self) != nil else { return nil }
        var elements: [Element?] = []
        elements.reserveCapacity(min(Int(count), bytes.count / 4))
        for _ in 0..<max(count, 0) {
            guard let length: Int32 = reader.integer(bytes) else { return nil }
            if length == -1 {
                elements.append(nil)
                continue
            }
            guard let range = reader.range(Int(length), bytes), let element = read(bytes.extracting(range)) else { return nil }
            elements.append(element)
        }
        return reader.position == bytes.count ? elements : nil
    }
}
