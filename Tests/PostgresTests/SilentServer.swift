import Glibc
import TestSupport

/// A port of 127.0.0.1 on which the system takes connections, and nobody ever says anything.
final class SilentServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        guard listen(descriptor, 10) == 0 else { throw PostgresServer.Failure.noFreePort }
        // Listening without an address chose a free port.
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) == 0 }
        }
        guard isNamed else { throw PostgresServer.Failure.noFreePort }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
