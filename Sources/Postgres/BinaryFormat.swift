/// Writes values as PostgreSQL's binary format has them: big-endian, arrays with their dimensions first.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends an integer, the most significant byte first.
    mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a length and that many bytes; nil is NULL.
    mutating func append(field: (some Collection<UInt8>)?) {
        guard let field else { return append(Int32(-1)) }
        append(Int32(field.count))
        bytes.append(contentsOf: field)
    }

    /// Writes an array of one dimension, or of none when it is empty (array_recv of PostgreSQL's arrayfuncs.c).
    static func array<Element>(
        of type: TypeID, _ elements: [Element], hasNull: Bool = false, each: (inout BinaryWriter, Element) -> Void
    ) -> [UInt8] {
        var writer = BinaryWriter()
        writer.append(Int32(elements.isEmpty ? 0 : 1))
        writer.append(Int32(hasNull ? 1 : 0))
        writer.append(type.oid)
        guard !elements.isEmpty else { return writer.bytes }
        writer.append(Int32(elements.count))
        // The index of the first element.
        writer.append(Int32(1))
        for element in elements { each(&writer, element) }
        return writer.bytes
    }
}

/// The place in bytes of PostgreSQL's binary format up to which they have been read; what does not fit is nil.
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

    /// The place of the next so many bytes.
    mutating func range(_ count: Int, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard count >= 0, bytes.count - position >= count else { return nil }
        defer { position += count }
        return position..<position + count
    }

    /// The integer that is all of the bytes.
    static func whole<Value: FixedWidthInteger>(_ bytes: Span<UInt8>, as _: Value.Type = Value.self) -> Value? {
        var reader = BinaryReader()
        return bytes.count == Value.bitWidth / 8 ? reader.integer(bytes) : nil
    }

    /// Reads an array of one dimension, or an empty one, as array_send of PostgreSQL's arrayfuncs.c writes it; NULLs are nil.
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
