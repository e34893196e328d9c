import Bytes
import TestSupport
import Testing
import Threading

@testable import HTTPServer

/// The limits on connections: of the server, and of each caller.
@Suite struct LimitTests {
    /// The limits that a server has reported as reached.
    private final class ReachedBounds: Sendable {
        private let bounds = Monitor<[ReachedBound]>([])

        var all: [ReachedBound] { bounds.withLock { $0 } }

        /// - Parameter isUnbounded: whether callers have no limit of their own.
        func pressure(isUnbounded: Bool = false) -> ConnectionPressure {
            ConnectionPressure(isUnbounded: { _ in isUnbounded }, onReachedBound: { [bounds] bound in bounds.update { $0.append(bound) } })
        }
    }

    private func loopback(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// Waits until the clock for idle connections has advanced.
    private func waitForAnotherMoment() {
        let now = coarseMilliseconds()
        #expect(eventually { coarseMilliseconds() > now })
    }

    private func status(_ client: SocketClient) throws -> Int {
        try client.send(request("GET", path: "/hello"))
        return try client.readResponse().status
    }

    private func hold(_ client: SocketClient, _ fixture: ServerFixture) throws -> PendingBox {
        try client.send(request("POST", path: "/held"))
        return try fixture.held.next()
    }

    /// Makes the clients' next requests end after those of all others. On one thread, which ends a request before it reads another.
    private func useAgain(_ clients: some Sequence<SocketClient>) throws {
        waitForAnotherMoment()
        for client in clients { #expect(try status(client) == 200) }
    }

    @Test func `closes the connection that has been idle longest`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(
            settings: ServerSettings(connectionLimit: 3, threads: 1), pressure: reached.pressure(isUnbounded: true))
        defer { fixture.stop() }
        let clients = try (0..<3).map { _ in try fixture.client() }
        for client in clients { #expect(try status(client) == 200) }
        try useAgain([clients[2], clients[0]])
        #expect(try status(fixture.client()) == 200)
        #expect(try clients[1].isClosedByServer())
        #expect(try status(clients[0]) == 200)
        #expect(try status(clients[2]) == 200)
        #expect(reached.all == [ReachedBound(of: nil, isRefused: false)])
    }

    @Test(arguments: [1, 2])
    func `refuses the newest when none is idle`(threads: Int) throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(
            settings: ServerSettings(connectionLimit: 2, threads: threads), pressure: reached.pressure(isUnbounded: true))
        defer { fixture.stop() }
        let clients = try (0..<2).map { _ in try fixture.client() }
        let held = try clients.map { try hold($0, fixture) }
        let refused = try fixture.client()
        try refused.send(request("GET", path: "/hello"))
        let response = try refused.readResponse()
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(response.headers["connection"] == "close")
        #expect(try refused.isClosedByServer())
        #expect(reached.all == [ReachedBound(of: nil, isRefused: true)])
        for box in held { box.respond(ServerFixture.text(200, "held")) }
        for client in clients { #expect(try client.readResponse().status == 200) }
        #expect(eventually { (try? status(fixture.client())) == 200 }, "one of them is idle now")
    }

    /// A caller that opens idle connections locks no other caller out.
    @Test func `a caller with many connections leaves room for others`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 50, threads: 2), pressure: reached.pressure())
        defer { fixture.stop() }
        let idle = try (0..<60).map { _ in try fixture.client(from: "127.0.0.2") }
        #expect(try status(fixture.client()) == 200)
        let expected = ReachedBound(of: try loopback("127.0.0.2"), isRefused: false)
        #expect(eventually { reached.all.count >= 35 })
        #expect(reached.all.allSatisfy { $0 == expected })
        withExtendedLifetime(idle) {}
    }

    @Test func `only a busy caller is rejected, at its own limit`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 4, threads: 1), pressure: reached.pressure())
        defer { fixture.stop() }
        let busy = try (0..<2).map { _ in try fixture.client(from: "127.0.0.2") }
        let held = try busy.map { try hold($0, fixture) }
        #expect(try status(fixture.client(from: "127.0.0.2")) == 503)
        #expect(reached.all == [ReachedBound(of: try loopback("127.0.0.2"), isRefused: true)])
        #expect(try status(fixture.client(from: "127.0.0.3")) == 200)
        for box in held { box.respond(ServerFixture.text(200, "held")) }
        for client in busy { #expect(try client.readResponse().status == 200) }
    }

    /// At its limit a caller loses its own connections, however long others have been idle.
    @Test func `a caller at its own limit loses its own connections`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 6, threads: 1))
        defer { fixture.stop() }
        let other = try fixture.client(from: "127.0.0.3")
        #expect(try status(other) == 200)
        let own = try (0..<3).map { _ in try fixture.client(from: "127.0.0.2") }
        for client in own { #expect(try status(client) == 200) }
        try useAgain(own.dropFirst())
        #expect(try status(fixture.client(from: "127.0.0.2")) == 200)
        #expect(try own[0].isClosedByServer())
        #expect(try status(other) == 200)
    }

    /// A client that sends its body slowly does not delay others that wait for their rejection.
    @Test func `a refused request is answered before its body`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 2, threads: 1))
        defer { fixture.stop() }
        let busy = try fixture.client(from: "127.0.0.2")
        let held = try hold(busy, fixture)
        for _ in 0..<200 {
            let refused = try fixture.client(from: "127.0.0.2")
            try refused.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n")
            #expect(try refused.readResponse().status == 503)
            #expect(try refused.isClosedByServer())
        }
        held.respond(ServerFixture.text(200, "held"))
        #expect(try busy.readResponse().status == 200)
    }

    /// Rejected connections are limited as well: those that wait for their response use room only briefly.
    @Test func `further rejected connections are closed at once`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 2, threads: 1))
        defer { fixture.stop() }
        let busy = try fixture.client(from: "127.0.0.2")
        let held = try hold(busy, fixture)
        let refused = try (0..<128).map { _ in try fixture.client(from: "127.0.0.2") }
        #expect(try fixture.client(from: "127.0.0.2").isClosedByServer())
        #expect(try status(refused[0]) == 503)
        #expect(try status(fixture.client(from: "127.0.0.3")) == 200)
        held.respond(ServerFixture.text(200, "held"))
        #expect(try busy.readResponse().status == 200)
        withExtendedLifetime(refused) {}
    }

    /// Also if only a few of many connections are idle.
    @Test func `finds the idle connection among many`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(
            settings: ServerSettings(connectionLimit: 150, threads: 1), pressure: reached.pressure(isUnbounded: true))
        defer { fixture.stop(drainMilliseconds: 0) }
        let clients = try (0..<150).map { _ in try fixture.client() }
        for client in clients.dropLast() { _ = try hold(client, fixture) }
        #expect(try status(clients[149]) == 200)
        #expect(try status(fixture.client()) == 200)
        #expect(try clients[149].isClosedByServer())
        #expect(reached.all == [ReachedBound(of: nil, isRefused: false)])
    }

    @Test func `expected callers have no limit of their own`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(
            settings: ServerSettings(connectionLimit: 4, threads: 1), pressure: reached.pressure(isUnbounded: true))
        defer { fixture.stop() }
        let clients = try (0..<4).map { _ in try fixture.client() }
        for client in clients { #expect(try status(client) == 200) }
        #expect(reached.all == [])
    }

    /// A client on a Unix socket is a proxy on this machine.
    @Test func `callers on a Unix socket have no limit of their own`() throws {
        let (reached, directory) = (ReachedBounds(), try TemporaryDirectory())
        let fixture = try ServerFixture(
            .unix(path: directory.path("limit.sock")), settings: ServerSettings(connectionLimit: 4, threads: 1),
            pressure: reached.pressure())
        defer { fixture.stop() }
        let clients = try (0..<4).map { _ in try fixture.client() }
        for client in clients { #expect(try status(client) == 200) }
        #expect(reached.all == [])
    }

    /// Closed connections free room again.
    @Test func `counts only open connections`() throws {
        let reached = ReachedBounds()
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 4, threads: 1), pressure: reached.pressure())
        defer { fixture.stop() }
        for _ in 0..<3 {
            do {
                let clients = try (0..<2).map { _ in try fixture.client() }
                for client in clients { #expect(try status(client) == 200) }
            }
            #expect(eventually { fixture.server.connectionCount == 0 })
        }
        #expect(reached.all == [])
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (50, 25), (200, 100), (1000, 100), (10_000, 1000), (1_000_000, 100_000)])
    func `a caller may have a tenth of the connections`(_ limit: Int, _ perCaller: Int) {
        #expect(ServerSettings(connectionLimit: limit).connectionsPerCaller == perCaller)
    }
}
