internal import Glibc

/// An IP address. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) becomes the IPv4 address, because a listener on `::` reports IPv4
/// callers in that form.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    package let isIPv4: Bool
    /// The address bits, most significant first. An IPv4 address has 32 bits, followed by zeros.
    package let bits: UInt128

    /// Parses an address as `inet_pton` does: no port, brackets, zone or octal numbers. Returns nil for anything else.
    package init?(_ text: String) {
        // The C function would ignore everything after a NUL in the text.
        guard !text.utf8.contains(0) else { return nil }
        var address = in_addr()
        if unsafe inet_pton(AF_INET, text, &address) == 1 {
            self.init(ipv4: UInt32(bigEndian: address.s_addr))
            return
        }
        var longAddress = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &longAddress) == 1 else { return nil }
        let bits = unsafe withUnsafeBytes(of: longAddress) { unsafe $0.loadUnaligned(as: UInt128.self) }
        self.init(ipv6: UInt128(bigEndian: bits))
    }

    package init(ipv4 bits: UInt32) {
        self.init(isIPv4: true, bits: UInt128(bits) << 96)
    }

    /// Creates an IPv4 address when the bits are an IPv4-mapped address.
    package init(ipv6 bits: UInt128) {
        let isMapped = bits >> 32 == 0xFFFF
        self.init(isIPv4: isMapped, bits: isMapped ? bits << 96 : bits)
    }

    /// Reads a `sockaddr_in` or `sockaddr_in6`; nil for another family or too few bytes.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(unsafe bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self.init(ipv4: UInt32(bigEndian: unsafe bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let name = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
            let bits = unsafe withUnsafeBytes(of: name.sin6_addr) { unsafe $0.loadUnaligned(as: UInt128.self) }
            self.init(ipv6: UInt128(bigEndian: bits))
        default: return nil
        }
    }

    fileprivate init(isIPv4: Bool, bits: UInt128) {
        self.isIPv4 = isIPv4
        self.bits = bits
    }

    package var width: Int { isIPv4 ? 32 : 128 }

    /// The address that represents a site: for IPv6 the first address of its /48 (RFC 6177), for IPv4 the address itself.
    package var site: IPAddress { isIPv4 ? self : IPAddress(isIPv4: false, bits: (bits >> 80) << 80) }

    package var description: String {
        var bytes = (0..<width / 8).map { UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * $0)) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe inet_ntop(isIPv4 ? AF_INET : AF_INET6, &bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A block of IP addresses (RFC 4632): all addresses with the same prefix.
package struct IPNetwork: Sendable, Equatable, CustomStringConvertible {
    package enum Problem: Error, Equatable {
        /// The text is not an address, a slash and a prefix length that is valid for the family.
        case malformed
        /// The address has bits beyond the prefix. The associated value is the network without them.
        case hostBits(IPNetwork)
    }

    private let first: IPAddress
    private let prefixLength: Int

    /// Parses a block such as `192.0.2.0/24` or `2001:db8::/32`. A block of IPv4-mapped addresses, `::ffff:192.0.2.0/120`, becomes the IPv4
    /// block.
    package init(_ text: String) throws(Problem) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(decoding: parts[0], as: UTF8.self)), let length = Self.number(parts[1])
        else {
            throw .malformed
        }
        let isMapped = address.isIPv4 && parts[0].contains(UInt8(ascii: ":"))
        let prefixLength = isMapped ? length - 96 : length
        guard (0...address.width).contains(prefixLength) else { throw .malformed }
        self.init(address, prefixLength)
        guard first == address else { throw .hostBits(self) }
    }

    private init(_ address: IPAddress, _ prefixLength: Int) {
        self.prefixLength = prefixLength
        first = IPAddress(isIPv4: address.isIPv4, bits: address.bits & Self.mask(prefixLength))
    }

    private static func mask(_ prefixLength: Int) -> UInt128 { prefixLength == 0 ? 0 : UInt128.max << UInt128(128 - prefixLength) }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...3).contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Whether the block contains an address. IPv4 and IPv6 do not overlap: `::/0` contains no IPv4 address.
    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == first.isIPv4 && (address.bits ^ first.bits) & Self.mask(prefixLength) == 0
    }

    package var isEverything: Bool { prefixLength == 0 }

    package var description: String { "\(first)/\(prefixLength)" }
}
