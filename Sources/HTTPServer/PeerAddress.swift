package import Bytes
internal import CMicrohttpd
internal import Glibc

/// Where a request comes from.
package enum PeerHost: Sendable, Equatable {
    /// A machine.
    case address(IPAddress)
    /// This machine, through a Unix socket.
    case unixSocket
    /// Nobody can tell.
    case unknown
}

/// The peer's host of a connection.
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
    let length: Int
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    case AF_UNIX: return "unix"
    default: return "unknown"
    }
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = unsafe getnameinfo(
        address, socklen_t(length), &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
    guard result == 0, let number = UInt16(text(port)) else { return "unknown" }
    return ListenAddress.tcp(host: text(host), port: number).description
}

/// Converts a NUL-terminated C text.
private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
