internal import Glibc

/// The listening socket, which all threads of a server accept from. Closed when it is let go.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    init(host: String, port: UInt16) throws(HTTP2Error) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &name.sin_addr) == 1 else {
            throw HTTP2Error(description: "cannot listen on \(host): give an IPv4 address, such as 127.0.0.1")
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        var on: Int32 = 1
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let isListening = unsafe withUnsafeMutableBytes(of: &name) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 1024) == 0
                && getsockname(descriptor, pointer, &length) == 0
        }
        guard isListening else {
            let reason = unsafe String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw HTTP2Error(description: "cannot listen on \(host):\(port): \(reason); choose another port, or 0 for any")
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: name.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// Listens no more: whoever connects from now on is refused. From any thread.
    func refuse() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Takes the next connection, ready for use; nil when there is none, or another thread was faster.
    func accept() -> Int32? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        unsafe setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return accepted
    }
}
