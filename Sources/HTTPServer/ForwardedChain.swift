internal import Bytes

/// The addresses that proxies have recorded in a header, from the client on; nil for a hop without an address.
///
/// Only the part of a trusted proxy is reliable; the caller wrote the rest, so nothing here may trap or take long.
enum ForwardedChain {
    /// The hops of all `X-Forwarded-For` lines: addresses separated by commas, each with a port or without.
    static func forwardedFor(_ lines: [[UInt8]]) -> [IPAddress?] {
        lines.flatMap { line in
            line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                forwardedNode(trimmed($0), isBareIPv6Allowed: true)
            }
        }
    }

    /// The hops of all `Forwarded` lines (RFC 7239); a line that breaks the grammar is one unknown hop.
    static func forwarded(_ lines: [[UInt8]]) -> [IPAddress?] {
        lines.flatMap { ForwardedLine.hops(of: $0) ?? [nil] }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return bytes[first...last]
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// The address of a node (RFC 7239 section 6): `192.0.2.7`, `192.0.2.7:80`, `[2001:db8::7]` or `[2001:db8::7]:80`; nil for anything else,
/// such as `unknown`.
/// - Parameter isBareIPv6Allowed: whether an IPv6 address without brackets is allowed.
func forwardedNode(_ node: ArraySlice<UInt8>, isBareIPv6Allowed: Bool) -> IPAddress? {
    let colon = UInt8(ascii: ":")
    if node.first == UInt8(ascii: "[") {
        guard let end = node.firstIndex(of: UInt8(ascii: "]")), isPortOrNothing(node[(end + 1)...]) else { return nil }
        let inner = node[(node.startIndex + 1)..<end]
        return inner.contains(colon) ? address(inner) : nil
    }
    let firstColon = node.firstIndex(of: colon)
    if isBareIPv6Allowed, let firstColon, node[(firstColon + 1)...].contains(colon) { return address(node) }
    let end = firstColon ?? node.endIndex
    return isPortOrNothing(node[end...]) ? address(node[..<end]) : nil
}

private func address(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
    // A mapped address has the longest text.
    bytes.count <= 45 ? IPAddress(String(decoding: bytes, as: UTF8.self)) : nil
}

private func isPortOrNothing(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let colon = bytes.first else { return true }
    let digits = bytes.dropFirst()
    return colon == UInt8(ascii: ":") && (1...5).contains(digits.count)
        && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}
