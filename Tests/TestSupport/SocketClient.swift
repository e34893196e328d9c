internal import Glibc
package import HTTPServer

/// A client on a real socket that sends exactly the given bytes, so that tests can send malformed requests.
///
/// Blocking, for tests; every wait ends after `WaitLimit.milliseconds`, which only a failing test reaches.
@safe
package final class SocketClient {
    package enum Failure: Error {
        case cannotConnect(Int32), closed, reset, timedOut, malformed(String)
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to a server.
    /// - Parameter source: the client's own address in 127.0.0.0/8; by default the system chooses one.
    package init(_ address: ListenAddress, from source: String? = nil) throws {
        descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // The timeout for sending also applies to connect, which waits while the backlog of a server that accepts no connection is full
        // (socket(7)).
        var patience = timeval(tv_sec: Int(WaitLimit.milliseconds / 1000), tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if let source {
            try unsafe Self.withAddress(host: source, port: 0) { name, length in
                guard unsafe bind(descriptor, name, socklen_t(length)) == 0 else { throw Failure.cannotConnect(errno) }
            }
        }
        switch address {
        case .tcp(let host, let port):
            try unsafe Self.withAddress(host: host, port: port) { try unsafe connect($0, $1) }
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            try unsafe withUnsafeBytes(of: &name) { try unsafe connect($0.assumingMemoryBound(to: sockaddr.self).baseAddress, $0.count) }
        }
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends these bytes.
    package func send(_ bytes: some Sequence<UInt8>) throws {
        var rest = Array(bytes)
        while !rest.isEmpty {
            let sent = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard sent > 0 else { throw Failure.reset }
            rest.removeFirst(sent)
        }
    }

    package func send(_ text: String) throws {
        try send(text.utf8)
    }

    /// Tells the server that nothing more will be sent.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads the next response, which has a Content-Length; informational ones (1xx) are returned like any other.
    /// - Parameter hasBody: false for the response to HEAD.
    package func readResponse(hasBody: Bool = true) throws -> ReceivedResponse {
        while true {
            if let (response, consumed) = try ReceivedResponse.parse(received, hasBody: hasBody) {
                received.removeFirst(consumed)
                return response
            }
            guard try receive() else { throw Failure.closed }
        }
    }

    /// Reads until the server closes the connection, and returns the received bytes.
    package func readToEnd() throws -> [UInt8] {
        while try receive() {}
        defer { received = [] }
        return received
    }

    /// Whether the server closes the connection (or resets it) without sending anything more.
    package func isClosedByServer() throws -> Bool {
        do {
            return try readToEnd().isEmpty
        } catch Failure.reset {
            return true
        }
    }

    /// Reads until the server closes or resets the connection, and returns the bytes received before.
    package func readUntilGone() throws -> [UInt8] {
        do {
            while try receive() {}
        } catch Failure.reset {}
        defer { received = [] }
        return received
    }

    /// Sends this text byte by byte, with a pause after each, until all is sent or the server responds or closes.
    package func trickle(_ text: String, pauseMilliseconds: Int32 = 20) throws {
        for byte in text.utf8 {
            guard (try? send(CollectionOfOne(byte))) != nil else { return }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&request, 1, pauseMilliseconds) == 0 else { return }
        }
    }

    private func receive() throws -> Bool {
        let capacity = 64 * 1024
        var count = 0
        let part = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            count = unsafe recv(descriptor, buffer.baseAddress, capacity, 0)
            initialized = max(count, 0)
        }
        if count < 0 { throw errno == EAGAIN ? Failure.timedOut : Failure.reset }
        received += part
        return count > 0
    }

    private func connect(_ name: UnsafePointer<sockaddr>?, _ length: Int) throws {
        guard unsafe Glibc.connect(descriptor, name, socklen_t(length)) == 0 else { throw Failure.cannotConnect(errno) }
    }

    private static func withAddress(host: String, port: UInt16, _ body: (UnsafePointer<sockaddr>?, Int) throws -> Void) throws {
        if host.contains(":") {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, host, &name.sin6_addr)
            try unsafe withUnsafeBytes(of: &name) { try unsafe body($0.assumingMemoryBound(to: sockaddr.self).baseAddress, $0.count) }
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, host, &name.sin_addr)
            try unsafe withUnsafeBytes(of: &name) { try unsafe body($0.assumingMemoryBound(to: sockaddr.self).baseAddress, $0.count) }
        }
    }
}

extension ListenAddress {
    /// The address family of the socket.
    fileprivate var family: Int32 {
        switch self {
        case .tcp(let host, _): host.contains(":") ? AF_INET6 : AF_INET
        case .unix: AF_UNIX
        }
    }
}
