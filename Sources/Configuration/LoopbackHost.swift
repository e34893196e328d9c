/// Which hosts are this machine, told by their text alone.
enum LoopbackHost {
    /// Whether what is sent to a host stays on this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
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
