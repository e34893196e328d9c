import Glibc
import TestSupport

/// A port of 127.0.0.1 on which the kernel accepts connections, and no server responds.
final class SilentServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        guard let descriptor = listeningSocket(0) else { throw PostgresServer.Failure.noFreePort }
        self.descriptor = descriptor
        port = localPort(of: descriptor)
    }

    deinit {
        close(descriptor)
    }
}
