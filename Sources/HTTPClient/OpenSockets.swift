internal import Bytes
internal import CCurl
internal import Glibc

/// The sockets of one client's connections, which libcurl opens and closes through this object.
///
/// Only the client's thread may use it. libcurl keeps a pointer to it, so it must outlive the multi handle.
final class OpenSockets {
    private var descriptors: Set<Int32> = []
    // The sockets that have carried a response of HTTP/2.
    private var proven: Set<Int32> = []
    // The sockets that have carried a response of HTTP/1.1, with their local ports: for a connection that libcurl is about to use, it
    // reports this port instead of the socket. Connections to two servers may share a port.
    private var localPorts: [Int32: Int32] = [:]
    private var isClosed = false
    /// The number of requests that have started on a connection.
    private(set) var requestCount = 0
    private let isAdmitted: (@Sendable (IPAddress) -> Bool)?

    /// - Parameter admits: as `ClientSettings.admits`.
    init(admits: (@Sendable (IPAddress) -> Bool)? = nil) {
        isAdmitted = admits
    }

    /// Whether the client may connect to an address. Without a rule any address is allowed; with one, only IP addresses are.
    func admits(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard let isAdmitted, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return isAdmitted == nil }
        // The member is the beginning of a socket address whose length depends on its family (CURLOPT_OPENSOCKETFUNCTION(3)).
        let length = Int(unsafe address.pointee.addrlen)
        let start = unsafe UnsafeRawPointer(address) + offset
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return unsafe IPAddress(socketAddress: bytes).map(isAdmitted) ?? false
    }

    /// Refuses further sockets; libcurl reports the host as unreachable then.
    func openNoMore() {
        isClosed = true
    }

    /// Opens a socket with SOCK_CLOEXEC, which libcurl does not set, so that child processes do not inherit it.
    /// - Returns: its descriptor; negative when there is none.
    func open(family: Int32, type: Int32, protocol: Int32) -> Int32 {
        guard !isClosed else { return -1 }
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), `protocol`)
        if descriptor >= 0 { descriptors.insert(descriptor) }
        return descriptor
    }

    /// Closes a socket that was opened here.
    /// - Returns: 0 on success.
    func close(_ descriptor: Int32) -> Int32 {
        descriptors.remove(descriptor)
        proven.remove(descriptor)
        localPorts[descriptor] = nil
        return Glibc.close(descriptor)
    }

    /// Records that a response, and with it the peer's stream limit, has arrived on this socket. A socket that was closed in the meantime
    /// is ignored, because its number may have been reused.
    func prove(_ descriptor: Int32) {
        if descriptors.contains(descriptor) { proven.insert(descriptor) }
    }

    func countRequest() {
        requestCount += 1
    }

    /// Records that a response of HTTP/1.1 has started on the connection with this local port, so that nothing may arrive there between
    /// requests.
    func noteHTTP1(localPort: Int32) {
        guard !hasCarriedHTTP1(localPort: localPort) else { return }
        for descriptor in descriptors where Self.localPort(of: descriptor) == localPort { localPorts[descriptor] = localPort }
    }

    /// Whether the connection with this local port has carried a response of HTTP/1.1.
    func hasCarriedHTTP1(localPort: Int32) -> Bool {
        localPorts.values.contains(localPort)
    }

    /// Whether such a connection has no pending input, end or error.
    func isQuiet(localPort: Int32) -> Bool {
        localPorts.allSatisfy { descriptor, port in
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe port != localPort || poll(&entry, 1, 0) == 0
        }
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            guard unsafe getsockname(descriptor, start, &length) == 0 else { return nil }
            // Both families of IP addresses have the port in the same place.
            let family = unsafe Int32(bytes.load(as: sa_family_t.self))
            guard family == AF_INET || family == AF_INET6 else { return nil }
            return unsafe Int32(UInt16(bigEndian: bytes.load(fromByteOffset: MemoryLayout<in_port_t>.size, as: UInt16.self)))
        }
    }

    /// Makes the kernel combine the writes of `body` to verified sockets, and send them afterwards in as few packets as possible (tcp(7),
    /// TCP_CORK).
    ///
    /// libcurl writes each frame of HTTP/2 separately, and sending a packet costs more than encrypting its content. New connections are
    /// excluded: if the end of their handshake were held back, it would reach the server together with more requests than the server may
    /// accept.
    func gathering(_ body: () -> Void) {
        setCork(1)
        body()
        setCork(0)
    }

    private func setCork(_ value: Int32) {
        var value = value
        for descriptor in proven {
            // Fails for a socket that is not TCP or is broken, which can be ignored here.
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

// The functions that libcurl calls, on the client's thread.

func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>
) -> curl_socket_t {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<OpenSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { sockets in
        guard unsafe sockets.admits(address) else { return -1 }
        let address = unsafe address.pointee
        return sockets.open(family: address.family, type: address.socktype, protocol: address.`protocol`)
    }
}

func closeSocket(context: UnsafeMutableRawPointer?, socket: curl_socket_t) -> Int32 {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<OpenSockets>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.close(socket) }
}
