/// The address of a server that the service calls, parsed as far as the checks require (RFC 3986 section 3).
struct DestinationURL {
    let scheme: String
    /// The host in lower case; an IPv6 address without brackets.
    let host: String
    /// Scheme, host and port as written, without a trailing slash.
    let origin: String

    /// Parses `scheme://host[:port][/path][?query]` in visible ASCII characters.
    ///
    /// Rejects a user name or password, because an address must not contain a secret, and a fragment, because fragments are never sent.
    init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        if text.unicodeScalars.contains(where: { $0.value < 0x21 || $0.value == 0x7F || $0.properties.isWhitespace }) { throw .space }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { throw .noScheme }
        let rest = bytes[(colon + 3)...]
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        if authority.contains(UInt8(ascii: "@")) { throw .user }
        if authority.contains(where: { $0 > 0x7F }) { throw .international }
        if bytes.contains(where: { $0 > 0x7F }) { throw .notASCII }
        if bytes.contains(UInt8(ascii: "#")) { throw .fragment }
        if let byte = bytes.first(where: { "\"<>\\^`{|}".utf8.contains($0) }) { throw .character(byte) }
        scheme = Self.lowercased(bytes[..<colon])
        host = try Self.host(of: authority)
        origin = String(decoding: bytes[..<authority.endIndex], as: UTF8.self)
    }

    /// Whether requests to the address stay on this machine.
    var isLoopback: Bool { LoopbackHost.contains(host) }

    private static func host(of authority: ArraySlice<UInt8>) throws(Problem) -> String {
        let isBracketed = authority.first == UInt8(ascii: "[")
        let end: Int
        if isBracketed {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .noBrackets }
            end = bracket + 1
        } else {
            end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        if !isBracketed, authority.count(where: { $0 == UInt8(ascii: ":") }) > 1 { throw .noBrackets }
        let name = isBracketed ? authority[..<end].dropFirst().dropLast() : authority[..<end]
        if name.isEmpty { throw .noHost }
        guard name.allSatisfy({ isHostByte($0, isBracketed: isBracketed) }) else { throw .host }
        guard isPort(authority[end...]) else { throw .port }
        return lowercased(name)
    }

    private static func isHostByte(_ byte: UInt8, isBracketed: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "."): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
        case UInt8(ascii: ":"): isBracketed
        default: false
        }
    }

    /// Whether a text is empty, or a colon and a port.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.first else { return true }
        let digits = text.dropFirst()
        guard colon == UInt8(ascii: ":"), isDecimal(digits) else { return false }
        return UInt16(String(decoding: digits, as: UTF8.self)).map { $0 > 0 } ?? false
    }

    private static func isDecimal(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

/// Recognizes hosts that refer to this machine, by their text and without DNS.
enum LoopbackHost {
    /// Whether requests to a host stay on this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    /// - Parameter host: in lower case, an IPv6 address without brackets.
    static func contains(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { isDecimal($0.utf8) && UInt8($0) != nil }
    }

    private static func isDecimal(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
