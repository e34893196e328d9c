import HTTPServer
import TestSupport
import Testing

/// The bound on connections.
@Suite struct LimitTests {
    @Test(arguments: [1, 2])
    func refusesOneConnectionTooMany(threads: Int) throws {
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 3, threads: threads))
        defer { fixture.stop() }
        var clients = try (0..<3).map { _ in try fixture.client() }
        for client in clients {
            try client.send(request("GET", "/hello"))
            #expect(try client.readResponse().status == 200)
        }
        let refused = try fixture.client()
        try refused.send(request("GET", "/hello"))
        let response = try refused.readResponse()
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(response.headers["connection"] == "close")
        #expect(try refused.isClosedByServer())

        clients.removeLast()
        #expect(eventually { fixture.server.connectionCount == 2 })
        let welcome = try fixture.client()
        try welcome.send(request("GET", "/hello"))
        #expect(try welcome.readResponse().status == 200)
        withExtendedLifetime(clients) {}
    }
}
