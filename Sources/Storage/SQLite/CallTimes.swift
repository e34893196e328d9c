internal import SQLite

/// When the last allowed calls of a person or of a device came, oldest first.
struct CallTimes {
    private static let width = 8

    /// Unix milliseconds, eight bytes each, the highest byte first.
    private(set) var bytes: [UInt8] = []

    /// No calls.
    init() {}

    /// Those of a row.
    init(_ row: Statement, _ column: Int) throws(SQLiteError) {
        bytes = try row.optionalBytes(column) ?? []
    }

    /// When the first of the last `count` calls came; nil when there were fewer.
    func earliest(ofLast count: Int) -> UInt64? {
        let start = bytes.count - count * Self.width
        guard start >= 0 else { return nil }
        return bytes[start..<start + Self.width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// These and one more, of which the last `most` are kept.
    func adding(_ time: UInt64, keeping most: Int) -> CallTimes {
        var added = CallTimes()
        added.bytes = Array(bytes.suffix((most - 1) * Self.width))
        for shift in stride(from: 56, through: 0, by: -8) { added.bytes.append(UInt8(truncatingIfNeeded: time >> UInt64(shift))) }
        return added
    }
}
