internal import CPostgres
internal import Glibc

/// Resolves the addresses of a host with a deadline, because libpq resolves names without a timeout.
enum HostResolver {
    /// Returns the addresses in the resolver's order. For a Unix socket, returns a single nil, because a socket has no address.
    /// - Throws: the reason why no address was found.
    static func addresses(of host: ServerHost, by deadline: Deadline) throws(PostgresError) -> [String?] {
        if host.isSocket { return [nil] }
        if let literal = host.literal { return [literal] }
        guard let found = try callBounded(by: deadline, { [name = host.name] in resolve(name) }) else {
            throw PostgresError(.notResolved, "the name \(host.name) could not be resolved in time")
        }
        switch found {
        case .success(let addresses): return addresses
        case .failure(let error): throw error
        }
    }

    private static func resolve(_ name: String) -> Result<[String?], PostgresError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0, let first = unsafe list else {
            return .failure(PostgresError(.notResolved, "cannot resolve \(name): \(unsafe String(cString: gai_strerror(code)))"))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [String?] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe text(of: entry.pointee), !addresses.contains(address) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return .success(addresses)
    }

    private static func text(of entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let code = unsafe getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        return code == 0 ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
