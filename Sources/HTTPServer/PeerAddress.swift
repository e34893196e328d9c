package import Bytes
internal import CMicrohttpd
internal import Glibc

package enum PeerHost: Sendable, Equatable, CustomStringConvertible {
    case address(IPAddress)
    case unixSocket
    case unknown

    package var description: String {
        switch self {
        case .address(let address): address.description
        case .unixSocket: "unix"
        case .unknown: "unknown"
        }
    }
}

func peerHost(of connection: OpaquePointer) -> PeerHost {
    guard let address = unsafe shim_MHD_get_client_address(connection) else { return .unknown }
    let family = Int32(unsafe address.pointee.sa_family)
    let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    switch family {
    case AF_INET, AF_INET6:
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: length)
        return unsafe IPAddress(socketAddress: bytes).map { .address($0) } ?? .unknown
    case AF_UNIX: return .unixSocket
    default: return .unknown
    }
}

/// The peer's address of a connection as text; `unix` for a Unix socket.
func peerAddress(of connection: OpaquePointer) -> String {
    guard let address = unsafe shim_MHD_get_client_address(connection) else { return "unknown" }
    return unsafe socketName(address) ?? "unknown"
}

/// The address of this machine to which a connected socket's peer has connected, with the host as in `ListenAddress.onThisMachine`; `unix`
/// for a Unix socket, nil if it is unknown.
func localAddress(of descriptor: Int32) -> String? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutableBytes(of: &name) { bytes in
        guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
            unsafe getsockname(descriptor, address, &length) == 0
        else { return nil }
        return unsafe socketName(address)
    }
}

/// A socket's address as `IP:PORT`, or `unix`; nil for another family.
private func socketName(_ address: UnsafePointer<sockaddr>) -> String? {
    let length: Int
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    case AF_UNIX: return "unix"
    default: return nil
    }
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = unsafe getnameinfo(address, socklen_t(length), nil, 0, &port, socklen_t(port.count), NI_NUMERICSERV)
    guard result == 0, let number = UInt16(text(port)), let host = unsafe numericHost(address, socklen_t(length)) else { return nil }
    return ListenAddress.tcp(host: host, port: number).description
}

/// The IP address of a socket's address, with its zone if it has one. An IPv4-mapped address is the IPv4 address, as in `IPAddress`.
func numericHost(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard unsafe getnameinfo(address, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
    return IPAddress(text(host))?.description ?? text(host)
}

private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
