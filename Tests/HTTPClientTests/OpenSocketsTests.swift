import Glibc
import Testing

@testable import HTTPClient

@Suite struct OpenSocketsTests {
    /// A socket's option; -1 when the socket does not have it.
    private func option(_ name: Int32, of descriptor: Int32) -> Int32 {
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), name, &value, &size)
        return value
    }

    @Test func `delays sending only on verified sockets`() {
        let sockets = OpenSockets()
        let stream = Int32(SOCK_STREAM.rawValue)
        let first = sockets.open(family: AF_INET, type: stream, protocol: 0)
        let second = sockets.open(family: AF_INET, type: stream, protocol: 0)
        sockets.prove(first)
        sockets.gathering {
            #expect(option(TCP_CORK, of: first) == 1)
            #expect(option(TCP_CORK, of: second) == 0)
        }
        #expect(option(TCP_CORK, of: first) == 0)
        #expect(option(TCP_CORK, of: second) == 0)
        #expect(sockets.close(first) == 0)
        #expect(sockets.close(second) == 0)
    }

    @Test func `opens sockets that started programs do not inherit`() {
        let sockets = OpenSockets()
        let descriptor = sockets.open(family: AF_INET, type: Int32(SOCK_STREAM.rawValue), protocol: 0)
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(sockets.close(descriptor) == 0)
    }

    @Test func `ignores closed sockets`() {
        let sockets = OpenSockets()
        let descriptor = sockets.open(family: AF_INET, type: Int32(SOCK_STREAM.rawValue), protocol: 0)
        let copy = dup(descriptor)
        sockets.prove(descriptor)
        #expect(sockets.close(descriptor) == 0)
        sockets.gathering {
            #expect(option(TCP_CORK, of: copy) == 0)
        }
        #expect(close(copy) == 0)
    }

    @Test func `reports a socket that cannot be opened`() {
        #expect(OpenSockets().open(family: -1, type: -1, protocol: -1) < 0)
    }
}
