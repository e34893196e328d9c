package import Bytes

/// The reason why an address is not one of the public Internet.
///
/// The blocks are those that the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) call not globally reachable, and those
/// that RFC 5771 and RFC 1112 reserve. Of IPv6 only 2000::/3 is global unicast (IANA, "Internet Protocol Version 6 Address Space"), so all
/// other addresses are rejected without being listed. Within it every special-purpose block is rejected, reachable or not, because it
/// contains no pages.
package enum SpecialAddress: String, Sendable, CaseIterable {
    /// 0.0.0.0/8 and ::, which mean this host.
    case unspecified
    /// 127.0.0.0/8 and ::1.
    case loopback
    /// RFC 1918, and fc00::/7 (RFC 4193).
    case privateUse = "private"
    /// 100.64.0.0/10, behind a carrier's address translation (RFC 6598).
    case shared
    /// 169.254.0.0/16 and fe80::/10, which include the metadata services of clouds.
    case linkLocal = "link_local"
    /// fec0::/10 (RFC 3879).
    case siteLocal = "site_local"
    /// 224.0.0.0/4 and ff00::/8.
    case multicast
    /// 255.255.255.255.
    case broadcast
    /// For examples in texts (RFC 5737, RFC 3849, RFC 9637).
    case documentation
    /// 198.18.0.0/15 (RFC 2544).
    case benchmarking
    /// For protocols or future use: 192.0.0.0/24, 2001::/23, 240.0.0.0/4, and IPv6 outside 2000::/3.
    case reserved
    /// IPv6 that embeds another address, to which packets are forwarded: IPv4-compatible, 6to4 with its relays, Teredo, local NAT64.
    case translated

    /// Returns nil for an address of the public Internet.
    ///
    /// An IPv4-mapped address is checked as its IPv4 address, which `IPAddress` stores, and so is one behind NAT64's well-known prefix (RFC
    /// 6052): with DNS64 (RFC 6147) every IPv4 host has such an address.
    package init?(_ address: IPAddress) {
        let evaluated = Self.embedded(in: address) ?? address
        guard let kind = Self.blocks.first(where: { $0.block.contains(evaluated) })?.kind else {
            guard !evaluated.isIPv4, !Self.global.contains(evaluated) else { return nil }
            self = .reserved
            return
        }
        self = kind
    }

    private static func embedded(in address: IPAddress) -> IPAddress? {
        wellKnownNAT64.contains(address) ? IPAddress(ipv4: UInt32(truncatingIfNeeded: address.bits)) : nil
    }

    private static let wellKnownNAT64 = block("64:ff9b::/96")
    private static let global = block("2000::/3")

    // The first block that contains the address decides.
    private static let blocks = listed.map { (block: block($0.text), kind: $0.kind) }

    private static let listed: [(text: String, kind: SpecialAddress)] = [
        ("0.0.0.0/8", .unspecified), ("10.0.0.0/8", .privateUse), ("100.64.0.0/10", .shared), ("127.0.0.0/8", .loopback),
        ("169.254.0.0/16", .linkLocal), ("172.16.0.0/12", .privateUse), ("192.0.0.0/24", .reserved), ("192.0.2.0/24", .documentation),
        ("192.88.99.0/24", .translated), ("192.168.0.0/16", .privateUse), ("198.18.0.0/15", .benchmarking),
        ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation), ("224.0.0.0/4", .multicast),
        ("255.255.255.255/32", .broadcast), ("240.0.0.0/4", .reserved),
        ("::/128", .unspecified), ("::1/128", .loopback), ("::/96", .translated), ("64:ff9b:1::/48", .translated),
        ("2001::/32", .translated), ("2001:2::/48", .benchmarking), ("2001::/23", .reserved), ("2001:db8::/32", .documentation),
        ("2002::/16", .translated), ("3fff::/20", .documentation), ("fc00::/7", .privateUse), ("fe80::/10", .linkLocal),
        ("fec0::/10", .siteLocal), ("ff00::/8", .multicast),
    ]

    private static func block(_ text: String) -> IPNetwork {
        guard let block = try? IPNetwork(text) else { preconditionFailure("\(text) is a block") }
        return block
    }
}
