internal import Bytes
package import Crypto
package import Time

/// The id of an event or a delivery: a unique number that begins with the time of its creation, RFC 9562 section 5.7.
///
/// Bits from the top: 48 of Unix milliseconds, 4 of version (7), 12 random, 2 of variant (binary 10), 62 random.
package struct UUIDv7: Hashable, Sendable {
    /// The latest time that an id can represent, in the year 10889.
    package static let latestMilliseconds = UnixMilliseconds(rawValue: 1 << 48 - 1)

    private static let versionAndVariant: UInt128 = 0x7 << 76 | 0b10 << 62
    private static let versionAndVariantMask: UInt128 = 0xF << 76 | 0b11 << 62
    private let value: UInt128

    /// Uses 74 of the 80 random bits. Limits the time to `latestMilliseconds`.
    package init(milliseconds: UnixMilliseconds, random: InlineArray<10, UInt8>) {
        var tail: UInt128 = 0
        for index in random.indices { tail = tail << 8 | UInt128(random[index]) }
        // 12 bits above the variant, 62 below it.
        let placed = (tail >> 62 & 0xFFF) << 64 | tail & (1 << 62 - 1)
        value = UInt128(min(milliseconds, Self.latestMilliseconds).rawValue) << 80 | Self.versionAndVariant | placed
    }

    package init(milliseconds: UnixMilliseconds, from pool: RandomPool) throws(CryptoError) {
        self.init(milliseconds: milliseconds, random: try pool.tenBytes())
    }

    /// Creates an id with two random words from the generator.
    package init(milliseconds: UnixMilliseconds, using generator: inout some RandomNumberGenerator) {
        let (low, high) = (generator.next() as UInt64, generator.next() as UInt64)
        self.init(
            milliseconds: milliseconds,
            random: InlineArray { UInt8(truncatingIfNeeded: $0 < 8 ? low >> (8 * $0) : high >> (8 * ($0 - 8))) })
    }

    private init(unchecked value: UInt128) {
        self.value = value
    }

    private init?(value: UInt128) {
        guard value & Self.versionAndVariantMask == Self.versionAndVariant else { return nil }
        self.value = value
    }

    /// Returns nil for a wrong length, version or variant.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var value: UInt128 = 0
        for index in bytes.indices { value = value << 8 | UInt128(bytes[index]) }
        self.init(value: value)
    }

    /// Parses 36 characters, with letters of either case (RFC 9562 section 4). Returns nil for a wrong length, grouping, version or
    /// variant.
    package init?(_ text: String) {
        let text = text.utf8.span
        guard text.count == 36 else { return nil }
        var value: UInt128 = 0
        for index in text.indices {
            if Self.isHyphen(index) {
                guard text[index] == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Hexadecimal.value(text[index]) else { return nil }
                value = value << 4 | UInt128(digit)
            }
        }
        self.init(value: value)
    }

    package static let maximumDeliveries = 0xFFFF

    /// The id of the event. The last 16 bits, which number the event's deliveries, are cleared.
    package var event: UUIDv7 { UUIDv7(unchecked: value & ~0xFFFF) }

    /// The maximum number of events that can be created together.
    package static let maximumEvents = 0x8000

    /// Returns the id of one of several events that are created together. The ids ascend with the positions, because receivers sort by id.
    /// One random bit is cleared, so that the addition of a position cannot overflow into the higher bits.
    package func event(_ position: Int) -> UUIDv7 {
        precondition(0..<Self.maximumEvents ~= position, "the position exceeds the number of events that can be created together")
        return UUIDv7(unchecked: (event.value & ~(1 << 31)) + UInt128(position) << 16)
    }

    /// Returns the id of one of the event's deliveries. `event` and `position` reverse this.
    package func delivery(_ position: Int) -> UUIDv7 {
        precondition(0..<Self.maximumDeliveries ~= position, "the position exceeds the number of an event's deliveries")
        return UUIDv7(unchecked: event.value | UInt128(position + 1))
    }

    /// The position among the event's deliveries; -1 for the event's id.
    package var position: Int { Int(value & 0xFFFF) - 1 }

    /// The time of creation by the creator's clock.
    package var milliseconds: UnixMilliseconds { UnixMilliseconds(rawValue: UInt64(value >> 80)) }

    /// The 16 bytes, most significant byte first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
    }
}

extension UUIDv7: Comparable {
    /// Orders ids by time first. The bytes and the lower-case texts have the same order.
    package static func < (left: UUIDv7, right: UUIDv7) -> Bool { left.value < right.value }
}

extension UUIDv7: CustomStringConvertible {
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        var rest = value
        for index in 0..<36 {
            if Self.isHyphen(index) {
                text.append(UInt8(ascii: "-"))
            } else {
                text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: rest >> 124)))
                rest <<= 4
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UUIDv7 {
    /// Whether a character is a hyphen between the groups of 8, 4, 4, 4 and 12 digits.
    private static func isHyphen(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }
}
