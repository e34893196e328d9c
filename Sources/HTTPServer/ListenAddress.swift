package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or address (IPv4 or IPv6 without brackets) and a port; port 0 lets the system choose.
    case tcp(host: String, port: UInt16)
    /// A Unix socket at this path, at most `longestSocketPath` bytes.
    case unix(path: String)

    /// The longest path of a Unix socket in bytes: `sun_path` without its NUL (unix(7)).
    package static let longestSocketPath = 107

    private static let anyIPv4 = "0.0.0.0"
    private static let anyIPv6 = "::"

    /// Whether two listeners could not use these addresses at the same time, as far as that is known without resolving names. A port chosen
    /// by the system never overlaps.
    package func overlaps(_ other: ListenAddress) -> Bool {
        switch (self, other) {
        case (.unix(let path), .unix(let otherPath)): path.utf8.elementsEqual(otherPath.utf8)
        case (.tcp(let host, let port), .tcp(let otherHost, let otherPort)):
            port != 0 && port == otherPort && (Self.includes(host, otherHost) || Self.includes(otherHost, host))
        default: false
        }
    }

    /// Whether a host equals another one or is a wildcard address that includes it: `::` includes IPv4.
    private static func includes(_ host: String, _ other: String) -> Bool {
        switch host {
        case anyIPv6: true
        case anyIPv4: other == anyIPv6 || !other.utf8.contains(UInt8(ascii: ":"))
        default: host.utf8.elementsEqual(other.utf8)
        }
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
