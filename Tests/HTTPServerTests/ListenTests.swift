import Glibc
import HTTPServer
import TestSupport
import Testing

@Suite struct ListenTests {
    @Test func `the system chooses a free port`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        guard case .tcp("127.0.0.1", let port) = fixture.server.address else { throw SocketClient.Failure.malformed("address") }
        #expect(port > 0)
    }

    @Test func `reports a port in use`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let error = #expect(throws: ServerError.self) { try ServerFixture(fixture.server.address) }
        #expect(error?.kind == .addressInUse)
        guard case .tcp(_, let port) = fixture.server.address else { throw SocketClient.Failure.malformed("address") }
        #expect(
            error?.description
                == "cannot listen on \(fixture.server.address): it is already in use; stop the process that \"ss -ltnp sport = :\(port)\" "
                + "shows, or choose another port")
    }

    @Test func `reuses a port at once`() throws {
        // No other test uses this address, so the port stays free between the two servers.
        let fixture = try ServerFixture(.tcp(host: "127.0.0.4", port: 0))
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        #expect(try client.readResponse().status == 200)
        fixture.stop()
        let again = try ServerFixture(fixture.server.address)
        defer { again.stop() }
        #expect(again.server.address == fixture.server.address)
    }

    @Test(arguments: [
        ("256.0.0.1", "give an address of this machine"), ("not a host", "give an address of this machine"),
        ("192.0.2.1", "Cannot assign requested address; give an address of this machine"),
    ])
    func `reports a host that is not local`(host: String, expected: String) throws {
        let error = #expect(throws: ServerError.self) { try ServerFixture(.tcp(host: host, port: 0)) }
        #expect(error?.kind == .cannotListen)
        #expect(error?.description.hasPrefix("cannot listen on \(host):0: ") == true)
        #expect(error?.description.hasSuffix(expected) == true)
    }

    @Test func `serves a Unix socket of owner and group`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        let fixture = try ServerFixture(.unix(path: path))
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        #expect(try client.readResponse().text == "hello")
        #expect(mode(of: path) == 0o660)
        fixture.stop()
        #expect(mode(of: path) == nil)
    }

    @Test func `replaces a stale Unix socket`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        try bindAndForget(path)
        #expect(mode(of: path) != nil)
        let fixture = try ServerFixture(.unix(path: path))
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `keeps a live Unix socket`() throws {
        let directory = try TemporaryDirectory()
        let fixture = try ServerFixture(.unix(path: directory.path("socket")))
        defer { fixture.stop() }
        let error = #expect(throws: ServerError.self) { try ServerFixture(fixture.server.address) }
        #expect(error?.kind == .addressInUse)
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `keeps a file that is not a socket`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("file")
        try directory.write("file", "")
        let error = #expect(throws: ServerError.self) { try ServerFixture(.unix(path: path)) }
        #expect(error?.kind == .addressInUse)
        #expect(mode(of: path) == 0o600)
    }

    @Test func `reports the length limit of a Unix path`() throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let error = #expect(throws: ServerError.self) { try ServerFixture(.unix(path: path)) }
        #expect(error?.description == "cannot listen on unix:\(path): the path of a Unix socket has at most 107 bytes")
    }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func bindAndForget(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafeBytes(of: &name) { bytes in
            unsafe bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard result == 0 else { throw SocketClient.Failure.cannotConnect(errno) }
    }
}
