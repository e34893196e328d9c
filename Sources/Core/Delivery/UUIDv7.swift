internal import Bytes
package import Crypto
package import Time

/// A unique number that begins with the time of its making, RFC 9562 section 5.7: what events and deliveries are called everywhere.
///
/// Bits from the top: 48 of Unix milliseconds, 4 of version (7), 12 random, 2 of variant (binary 10), 62 random.
package struct UUIDv7: Hashable, Sendable {
    /// The latest time that it can hold, in the year 10889.
    package static let latestMilliseconds = UnixMilliseconds(rawValue: 1 << 48 - 1)

    private static let versionAndVariant: UInt128 = 0x7 << 76 | 0b10 << 62
    private static let versionAndVariantMask: UInt128 = 0xF << 76 | 0b11 << 62
    private let value: UInt128

    /// Makes one of a time and 74 of the 80 random bits; a later time than `latestMilliseconds` counts as that.
    package init(milliseconds: UnixMilliseconds, random: InlineArray<10, UInt8>) {
        var tail: UInt128 = 0
        for index in random.indices { tail = tail << 8 | UInt128(random[index]) }
        // 12 bits above the variant, 62 below it.
        let placed = (tail >> 62 & 0xFFF) << 64 | tail & (1 << 62 - 1)
        value = UInt128(min(milliseconds, Self.latestMilliseconds).rawValue) << 80 | Self.versionAndVariant | placed
    }

    /// Makes one of a time and of random bytes from a pool; throws when OpenSSL fails.
    package init(milliseconds: UnixMilliseconds, from pool: RandomPool) throws(CryptoError) {
        self.init(milliseconds: milliseconds, random: try pool.tenBytes())
    }

    /// Makes one of a time and of a generator's bits, of which it takes two words.
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

    /// Reads its 16 bytes; nil for another length, version or variant.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var value: UInt128 = 0
        for index in bytes.indices { value = value << 8 | UInt128(bytes[index]) }
        self.init(value: value)
    }

    /// Reads its text of 36 characters, letters of either case (RFC 9562 section 4); nil for another length, grouping, version or variant.
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

    /// The maximum number of an event's deliveries.
    package static let mostDeliveries = 0xFFFF

    /// The same number with its last 16 bits cleared: the id of an event, which leaves room for the ids of its deliveries.
    package var event: UUIDv7 { UUIDv7(unchecked: value & ~0xFFFF) }

    /// The maximum number of events that are made together.
    package static let mostEvents = 0x8000

    /// The id of one of the events that are made together. Their ids rise with their positions, because receivers sort by them. One random
    /// bit is cleared for that, so the sum never carries into the bits above the positions.
    /// - Parameter position: from 0 to below `mostEvents`.
    package func event(_ position: Int) -> UUIDv7 {
        precondition(0..<Self.mostEvents ~= position, "so many events are not made together")
        return UUIDv7(unchecked: (event.value & ~(1 << 31)) + UInt128(position) << 16)
    }

    /// The id of an event's delivery, so that one is found by the other.
    /// - Parameter position: which of its deliveries, from 0 to below `mostDeliveries`.
    package func delivery(_ position: Int) -> UUIDv7 {
        precondition(0..<Self.mostDeliveries ~= position, "an event has no such delivery")
        return UUIDv7(unchecked: event.value | UInt128(position + 1))
    }

    /// The delivery's position within its event; -1 for an event's own id.
    package var position: Int { Int(value & 0xFFFF) - 1 }

    /// When it was made, as its maker says.
    package var milliseconds: UnixMilliseconds { UnixMilliseconds(rawValue: UInt64(value >> 80)) }

    /// The 16 bytes, most significant first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
    }
}

extension UUIDv7: Comparable {
    /// Orders as the bytes do, and the lower-case texts: by time first.
    package static func < (left: UUIDv7, right: UUIDv7) -> Bool { left.value < right.value }
}

extension UUIDv7: CustomStringConvertible {
    /// The 36 characters, lower case.
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
    /// Groups of 8, 4, 4, 4 and 12 digits.
    private static func isHyphen(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }
}
