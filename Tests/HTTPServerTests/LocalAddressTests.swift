import HTTPServer
import TestSupport
import Testing

/// The local address of a connection, as both of its sides report it.
@Suite struct LocalAddressTests {
    /// The host of the listener, the host of the connection, and the host that the server reports.
    private static let connections = [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.2", "127.0.0.2"), ("0", "127.0.0.3", "127.0.0.3"), ("::1", "::1", "[::1]"), ("::", "::1", "[::1]"),
        ("::", "127.0.0.1", "127.0.0.1"), ("::", "127.0.0.2", "127.0.0.2"), ("::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1"),
    ]

    /// A label has at most 63 characters, so the resolver rejects this name without a query.
    private static let impossible = String(repeating: "a", count: 64)

    /// A server that returns the address of the request's connection.
    private func serve(_ address: ListenAddress) throws -> Server {
        let router = Router([
            Route("/", [(.get, { request, responder in responder.respond(ServerFixture.text(200, request.localAddress() ?? "none")) })])
        ])
        return try Server(address, router: router, settings: ServerSettings(threads: 1), observer: { _, _ in })
    }

    private func ask(_ address: ListenAddress) throws -> String {
        let client = try SocketClient(address)
        try client.send(request("GET", path: "/"))
        return try client.readResponse().text
    }

    @Test(arguments: connections) func `a server reports the connection's address`(
        _ listening: String, connected: String, named: String
    ) throws {
        let server = try serve(.tcp(host: listening, port: 0))
        defer { server.stop(drainMilliseconds: 5000) }
        guard case .tcp(_, let port) = server.address else {
            Issue.record("no TCP address")
            return
        }
        #expect(try ask(.tcp(host: connected, port: port)) == "\(named):\(port)")
    }

    @Test func `a Unix socket's name contains no path`() throws {
        let directory = try TemporaryDirectory()
        let server = try serve(.unix(path: directory.path("socket")))
        defer { server.stop(drainMilliseconds: 5000) }
        #expect(try ask(server.address) == "unix")
    }

    @Test(arguments: ["127.0.0.1", "127.1", "localhost", "0.0.0.0", "0", "::", "0:0::0", "::1", "::ffff:127.0.0.1"])
    func `a caller on this machine uses the same address as the server`(_ listening: String) throws {
        let server = try serve(.tcp(host: listening, port: 0))
        defer { server.stop(drainMilliseconds: 5000) }
        #expect(try ask(server.address.onThisMachine) == server.address.onThisMachine.description)
    }

    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1"), ("0", "127.0.0.1"), ("::ffff:0.0.0.0", "127.0.0.1"), ("::", "::1"), ("0:0::0", "::1"),
        ("127.0.0.2", "127.0.0.2"), ("127.1", "127.0.0.1"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::FFFF:C000:0207", "192.0.2.7"),
        ("2001:DB8:0::7", "2001:db8::7"), (impossible, impossible),
    ])
    func `a host has one form for local callers`(_ host: String, _ expected: String) {
        #expect(ListenAddress.tcp(host: host, port: 8081).onThisMachine == .tcp(host: expected, port: 8081))
    }

    @Test func `a Unix socket has the same form for local callers`() {
        #expect(ListenAddress.unix(path: "/run/admin.sock").onThisMachine == .unix(path: "/run/admin.sock"))
    }
}
