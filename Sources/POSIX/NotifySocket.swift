internal import CPOSIX
internal import Glibc

/// The socket on which a service manager receives the state of a service (sd_notify(3)).
///
/// A message is one datagram. systemd promises to keep this protocol, and recommends that programs implement it themselves. libsystemd
/// would do no more, and would load compression libraries into every process.
package final class NotifySocket: Sendable {
    // Opened once and not connected: it needs no further descriptor, and reaches a manager that has created its socket again.
    private let descriptor: Int32
    private let path: String

    /// - Parameter path: the manager's socket, from NOTIFY_SOCKET: a path, or `@` and an abstract name.
    /// - Throws: when the address is malformed, or the process has no descriptor left.
    package init(_ path: String) throws(SystemError) {
        _ = try UnixSocketName(path)
        guard path.hasPrefix("/") || path.hasPrefix("@") else { throw SystemError(code: EAFNOSUPPORT) }
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last }
        // A manager that no longer reads must not block a thread forever.
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Blocks for at most five seconds while the manager's queue is full.
    /// - Parameter message: `NAME=VALUE` lines.
    package func send(_ message: String) throws(SystemError) {
        let bytes = Array(message.utf8)
        let sent = try unsafe UnixSocketName(path).withAddress { name, length in
            unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), name, length)
        }
        guard sent == bytes.count else { throw SystemError.last }
    }
}
