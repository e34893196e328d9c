internal import CMicrohttpd
internal import Glibc

extension ListenAddress {
    /// The address with a host name replaced by the first IP address that the system resolves it to, which is the one that a server listens
    /// on. The address itself if the name cannot be resolved.
    package var resolved: ListenAddress {
        guard case .tcp(let host, let port) = self else { return self }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &found) == 0, let info = unsafe found else { return self }
        defer { unsafe freeaddrinfo(found) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = unsafe getnameinfo(
            info.pointee.ai_addr, info.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard result == 0 else { return self }
        return .tcp(host: String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), port: port)
    }
}
