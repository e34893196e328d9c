internal import Glibc
internal import Threading

/// A port of 127.0.0.1 that refuses every connection while this value exists: it is bound, so no other process can listen on it.
package final class ClosedPort: Sendable {
    package let port: UInt16
    private let descriptor: Int32

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard unsafe withLoopbackAddress(0, { unsafe bind(descriptor, $0, $1) == 0 }) else {
            close(descriptor)
            throw PostgresServer.Failure.noFreePort
        }
        (self.descriptor, port) = (descriptor, localPort(of: descriptor))
    }

    deinit {
        close(descriptor)
    }
}

/// The port that an IPv4 socket is bound to; 0 when it is not bound.
package func localPort(of descriptor: Int32) -> UInt16 {
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutableBytes(of: &name) { bytes in
        _ = unsafe getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
    }
    return UInt16(bigEndian: name.sin_port)
}

/// Returns a port of 127.0.0.1 without a listener, for a program that needs a number. No other process of these tests gets it, and this one
/// gets it again only after a thousand others.
package func freePort() throws -> UInt16 {
    try freePorts(1)
}

/// Returns the first of `count` consecutive ports like those of `freePort`.
package func freePorts(_ count: UInt16) throws -> UInt16 {
    try PortBlock.own.get().take(count)
}

/// Whether no process listens on a port of 127.0.0.1.
package func isFree(_ port: UInt16) -> Bool {
    guard let socket = listeningSocket(port) else { return false }
    close(socket)
    return true
}

/// The ports that only this process may use, by a lock on a file that is held as long as the process.
private final class PortBlock: Sendable {
    static let own = Result { try PortBlock() }

    // Below the ports of `deskgate demo` and of outgoing connections (ip_local_port_range of ip(7)).
    private static let range: Range<UInt16> = 10_240..<29_696
    private static let size: UInt16 = 1024

    private let first: UInt16
    private let used = Monitor(UInt16(0))

    private init() throws {
        for first in stride(from: Self.range.lowerBound, to: Self.range.upperBound, by: Int(Self.size)) {
            let descriptor = unsafe open("/tmp/deskgate-test-ports-\(first)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                self.first = first
                return
            }
            close(descriptor)
        }
        throw PostgresServer.Failure.noFreePort
    }

    func take(_ count: UInt16) throws -> UInt16 {
        for _ in 0..<Self.size {
            let port = used.withLock { used in
                if used + count > Self.size { used = 0 }
                defer { used += count }
                return first + used
            }
            if (port..<port + count).allSatisfy(isFree) { return port }
        }
        throw PostgresServer.Failure.noFreePort
    }
}
