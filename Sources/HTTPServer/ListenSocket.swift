internal import CMicrohttpd
internal import Glibc

/// A listening socket, opened here and not by libmicrohttpd, to distinguish its errors and to support Unix sockets.
@safe
struct ListenSocket: ~Copyable {
    /// The file descriptor; the caller must close it.
    let descriptor: Int32
    /// The address with the port that the system chose.
    let address: ListenAddress

    init(_ address: ListenAddress) throws(ServerError) {
        switch address {
        case .tcp(let host, let port): (descriptor, self.address) = try Self.listenTCP(address, host: host, port: port)
        case .unix(let path): (descriptor, self.address) = (try Self.listenUnix(address, path: path), address)
        }
    }

    /// Binds a TCP address without listening, and closes the socket again.
    static func probe(_ address: ListenAddress) throws(ServerError) {
        guard case .tcp(let host, let port) = address else { return }
        let (descriptor, _) = try bindTCP(address, host: host, port: port)
        close(descriptor)
    }

    /// Stops listening, and refuses the connections in the backlog. The descriptor stays open; the library closes it.
    ///
    /// MHD_quiesce_daemon would do it, but it races with the library's threads: both remove the socket from the epoll sets, and the loser
    /// aborts the process. Instead a silent socket replaces the listening one with dup2, and the kernel removes the old one from every
    /// epoll set (epoll(7), question 6).
    static func stopListening(_ descriptor: Int32) {
        let silent = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        // Without a free descriptor the listening socket stays in the epoll sets, where it costs CPU time until the server has stopped.
        guard silent >= 0 else { return _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        dup2(silent, descriptor)
        close(silent)
    }

    enum Acceptance {
        case accepted, nobodyWaits, noDescriptor
    }

    /// Accepts one waiting connection, and passes it to a running daemon.
    static func accept(from descriptor: Int32, for daemon: OpaquePointer) -> Acceptance {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &peer) { bytes in
            let name = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            let client = unsafe Glibc.accept(descriptor, name, &length)
            guard client >= 0, let name = unsafe name else { return isShortage(errno) ? .noDescriptor : .nobodyWaits }
            // The daemon makes the socket non-blocking, and closes it when it cannot serve it.
            unsafe MHD_add_connection(daemon, client, name, length)
            return .accepted
        }
    }

    /// Whether accept(2) has failed because of a temporary lack of resources of the process or the system.
    static func isShortage(_ code: Int32) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    private static func listenTCP(
        _ address: ListenAddress, host: String, port: UInt16
    ) throws(ServerError) -> (Int32, ListenAddress) {
        let (descriptor, bound) = try bindTCP(address, host: host, port: port)
        try listenOrClose(descriptor, address)
        return (descriptor, bound)
    }

    private static func bindTCP(
        _ address: ListenAddress, host: String, port: UInt16
    ) throws(ServerError) -> (Int32, ListenAddress) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &found)
        guard result == 0, let info = unsafe found else {
            throw ServerError(
                kind: .cannotListen,
                description: "cannot listen on \(address): \(unsafe String(cString: gai_strerror(result))); give an address of this machine"
            )
        }
        defer { unsafe freeaddrinfo(found) }
        let descriptor = try open(address, family: unsafe info.pointee.ai_family)
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        try unsafe bindOrClose(descriptor, address: address, name: unsafe info.pointee.ai_addr, length: unsafe info.pointee.ai_addrlen)
        return (descriptor, .tcp(host: host, port: boundPort(of: descriptor)))
    }

    private static func listenUnix(_ address: ListenAddress, path: String) throws(ServerError) -> Int32 {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count <= ListenAddress.longestSocketPath, !path.utf8.contains(0) else {
            throw ServerError(
                kind: .cannotListen,
                description: "cannot listen on \(address): the path of a Unix socket has at most \(ListenAddress.longestSocketPath) bytes")
        }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        try removeStaleSocket(address, path: path, name: name)
        let descriptor = try open(address, family: AF_UNIX)
        try unsafe withUnsafeBytes(of: &name) { bytes throws(ServerError) in
            try unsafe bindOrClose(
                descriptor, address: address, name: unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                length: socklen_t(bytes.count))
        }
        // Only the owner and group may connect; before listen(2) no process can. If another user may write into the directory, that user
        // may have replaced the socket by a symbolic link.
        try closing(descriptor, address, unless: unsafe fchmodat(AT_FDCWD, path, 0o660, AT_SYMLINK_NOFOLLOW) == 0)
        try listenOrClose(descriptor, address)
        return descriptor
    }

    /// Removes the socket that a killed process left behind; one with a listener is kept.
    private static func removeStaleSocket(_ address: ListenAddress, path: String, name: sockaddr_un) throws(ServerError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = try open(address, family: AF_UNIX)
        defer { close(probe) }
        let connected = unsafe withUnsafeBytes(of: name) { bytes in
            unsafe connect(probe, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if connected != 0, errno == ECONNREFUSED { unsafe unlink(path) }
    }

    private static func open(_ address: ListenAddress, family: Int32) throws(ServerError) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw failure(address, errno) }
        return descriptor
    }

    private static func bindOrClose(
        _ descriptor: Int32, address: ListenAddress, name: UnsafePointer<sockaddr>?, length: socklen_t
    ) throws(ServerError) {
        try closing(descriptor, address, unless: unsafe bind(descriptor, name, length) == 0)
    }

    private static func listenOrClose(_ descriptor: Int32, _ address: ListenAddress) throws(ServerError) {
        try closing(descriptor, address, unless: listen(descriptor, 4096) == 0)
    }

    /// If the last call has failed, closes the socket and throws the reason.
    private static func closing(_ descriptor: Int32, _ address: ListenAddress, unless hasSucceeded: Bool) throws(ServerError) {
        guard !hasSucceeded else { return }
        let reason = errno
        close(descriptor)
        throw failure(address, reason)
    }

    private static func failure(_ address: ListenAddress, _ reason: Int32) -> ServerError {
        if reason == EADDRINUSE {
            return ServerError(kind: .addressInUse, description: "cannot listen on \(address): it is already in use; \(remedy(address))")
        }
        let remedy =
            switch (reason, address) {
            case (EADDRNOTAVAIL, _): "; give an address of this machine"
            case (EACCES, .tcp(_, 1..<1024)): "; ports below 1024 need AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit, or root"
            default: ""
            }
        return ServerError(
            kind: .cannotListen, description: "cannot listen on \(address): \(unsafe String(cString: strerror(reason)))\(remedy)")
    }

    private static func remedy(_ address: ListenAddress) -> String {
        switch address {
        case .tcp(_, let port): "stop the process that \"ss -ltnp sport = :\(port)\" shows, or choose another port"
        case .unix: "stop the process that listens there or choose another path"
        }
    }

    private static func boundPort(of descriptor: Int32) -> UInt16 {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &name) { bytes in
            unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            // The port is at the same offset for IPv4 and IPv6.
            return unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
