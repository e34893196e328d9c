internal import Time

/// When the last allowed registrations of a person or of a device came, oldest first, in the form that stores keep.
package struct CallTimes: Sendable, Equatable {
    private static let width = 8

    /// Unix milliseconds, eight bytes each, the highest byte first.
    package private(set) var bytes: [UInt8]

    /// Takes what a store has kept; nothing by default.
    package init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// When the first of the last `count` calls came; nil when there were fewer.
    func earliest(ofLast count: Int) -> UnixMilliseconds? {
        let start = bytes.count - count * Self.width
        guard start >= 0 else { return nil }
        return UnixMilliseconds(rawValue: bytes[start..<start + Self.width].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// These and one more, of which the last `most` are kept.
    func adding(_ time: UnixMilliseconds, keeping most: Int) -> CallTimes {
        var added = CallTimes(bytes: Array(bytes.suffix((most - 1) * Self.width)))
        for shift in stride(from: 56, through: 0, by: -8) { added.bytes.append(UInt8(truncatingIfNeeded: time.rawValue >> UInt64(shift))) }
        return added
    }
}

/// Whose allowed registrations are numbered one by one, because there may be a million of them.
package enum CallSeries: Sendable, Hashable {
    /// Those of one app.
    case app(ByteKey)
    /// All.
    case service
}
