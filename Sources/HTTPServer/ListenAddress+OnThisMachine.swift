internal import Bytes
internal import CMicrohttpd
internal import Glibc

extension ListenAddress {
    /// The address to connect to from this machine. A host name is replaced by its first IP address, which is the one that a server listens
    /// on; a name that cannot be resolved stays. A wildcard address is replaced by the loopback address.
    package var onThisMachine: ListenAddress {
        guard case .tcp(let name, let port) = self, let host = Self.resolve(name) else { return self }
        guard let address = IPAddress(host), address.bits == 0 else { return .tcp(host: host, port: port) }
        return .tcp(host: address.isIPv4 ? "127.0.0.1" : "::1", port: port)
    }

    private static func resolve(_ name: String) -> String? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &found) == 0, let info = unsafe found else { return nil }
        defer { unsafe freeaddrinfo(found) }
        return unsafe info.pointee.ai_addr.flatMap { unsafe numericHost($0, info.pointee.ai_addrlen) }
    }
}
