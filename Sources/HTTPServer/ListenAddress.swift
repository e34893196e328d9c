/// Where a server listens.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or address (IPv4 or IPv6 without brackets) and a port; port 0 lets the system choose.
    case tcp(host: String, port: UInt16)
    /// A Unix socket at this path, at most 107 bytes.
    case unix(path: String)

    /// The address as a person writes it.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
