package import Glibc

/// Calls `body` with the socket address of a port of 127.0.0.1.
package func withLoopbackAddress<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}

/// A socket that listens on a port of 127.0.0.1, which the caller closes; nil when the port is taken.
package func listeningSocket(_ port: UInt16) -> Int32? {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if unsafe withLoopbackAddress(port, { unsafe bind(listening, $0, $1) == 0 && listen(listening, 64) == 0 }) { return listening }
    close(listening)
    return nil
}

/// A socket that is connected to a port of 127.0.0.1, which the caller closes; nil when no process listens there.
package func connectedSocket(_ port: UInt16) -> Int32? {
    let connected = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if unsafe withLoopbackAddress(port, { unsafe Glibc.connect(connected, $0, $1) == 0 }) { return connected }
    close(connected)
    return nil
}

/// Waits for the next connection to a listening socket that this thread alone accepts from.
/// - Returns: nil once the listening socket is shut down.
package func acceptConnection(_ listening: Int32) -> Int32? {
    while true {
        var request = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, -1) > 0 else {
            if errno == EINTR { continue }
            return nil
        }
        // Swift does not import accept4(2), so no program may start before the flag is set: it would hold the connection open.
        let (descriptor, code) = ChildProcess.withoutStarts { () -> (Int32, Int32) in
            let descriptor = accept(listening, nil, nil)
            guard descriptor >= 0 else { return (-1, errno) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return (descriptor, 0)
        }
        if descriptor >= 0 { return descriptor }
        guard code == EINTR || code == ECONNABORTED else { return nil }
    }
}

/// Waits for the next bytes from a socket; nil at the end or after an error.
package func receive(_ socket: Int32) -> [UInt8]? {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(socket, &part, part.count, 0)
    return count > 0 ? Array(part.prefix(count)) : nil
}

/// Sends bytes, and stops without an error when the connection fails.
package func sendAll(_ bytes: [UInt8], to socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
