import JSON
import TestSupport
import Testing
import Time

@testable import Sendbird
@testable import Service

/// Calls about tickets while the help desk of one app, or the calls of one person, hang.
@Suite struct TicketShareTests {
    private static let ticket: JSONObject = ["ticket_id": 101]

    /// Runs a test with the app `stuck`, whose Desk does not respond.
    private func withStuckDesk(_ body: (TicketSite, ScriptedServer) throws -> Void) throws {
        let desk = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { desk.stop() }
        try TicketSite.with(stuck: desk.url("")) { site throws in
            // The service waits for its calls when it stops.
            defer { desk.stop() }
            try body(site, desk)
        }
    }

    private func unavailable(_ site: TicketSite) throws -> Int {
        let line = #"deskgate_ticket_requests_total{app="stuck",result="unavailable"} "#
        let found = try site.metrics().split(separator: "\n").first { $0.hasPrefix(line) }
        return try #require(found.flatMap { Int($0.dropFirst(line.count)) })
    }

    /// Sixty calls of thirty people hang: eight of them are sent to Desk, and another app's calls are answered at once.
    @Test func `an app whose Desk hangs delays no other app`() throws {
        try withStuckDesk { (site, desk) throws in
            let waiting = try (0..<60).map { try site.begin("show", Self.ticket, user: "user-\($0 / 2)", app: "stuck") }
            #expect(desk.waitForRequests(8))
            for _ in 0..<10 { #expect(try site.call("count").status == 200) }
            // The calls that hang must not have ended.
            #expect(desk.requests.count == 8)
            #expect(try unavailable(site) == 0)
            withExtendedLifetime(waiting) {}
        }
    }

    /// Sixty calls of one person hang: two of them are sent, eight wait, and fifty are rejected. Another person's are sent at once.
    @Test func `one person's calls delay no other person`() throws {
        try withStuckDesk { (site, desk) throws in
            let waiting = try (0..<60).map { _ in try site.begin("show", Self.ticket, app: "stuck") }
            #expect(desk.waitForRequests(2))
            #expect(eventually { (try? unavailable(site)) == 50 })
            let another = try site.begin("show", Self.ticket, user: "user-2", app: "stuck")
            #expect(desk.waitForRequests(3))
            #expect(desk.requests.count == 3)
            withExtendedLifetime((waiting, another)) {}
        }
    }

    @Test func `reports when to try again`() throws {
        try withStuckDesk { (site, _) throws in
            let waiting = try (0..<11).map { _ in try site.begin("show", Self.ticket, app: "stuck") }
            #expect(eventually { (try? unavailable(site)) == 1 })
            let reported = try site.call("show", Self.ticket, app: "stuck")
            #expect(reported.status == 503)
            #expect(reported.error == "overloaded")
            #expect(reported.retryAfter == "1")
            let lines = try site.fixture.log.lines().filter { $0.contains("customer's call") }
            #expect(lines.count { $0.contains("reason=overloaded") } == 2)
            withExtendedLifetime(waiting) {}
        }
    }

    /// Begins nine creations while two calls of the app `stuck` hang: eight wait, and one is rejected.
    private func beginCreations(
        _ site: TicketSite, _ desk: ScriptedServer
    ) throws -> (asking: [SocketClient], waiting: [SocketClient]) {
        let asking = try (0..<2).map { _ in try site.begin("show", Self.ticket, app: "stuck") }
        #expect(desk.waitForRequests(2))
        // Once one is rejected, the others wait.
        let waiting = try (0..<9).map { _ in try site.begin("create", ["title": "Order 7"], app: "stuck") }
        #expect(eventually { (try? unavailable(site)) == 1 })
        return (asking, waiting)
    }

    /// Eight creations wait until the customer gets the response that nothing was done: none is performed then.
    @Test func `a call that was answered is not performed later`() throws {
        let desk = try ScriptedServer(.everyRequest(.awaitRelease, .respond(500)))
        defer { desk.stop() }
        try TicketSite.with(stuck: desk.url("")) { site throws in
            defer { desk.stop() }
            let (asking, waiting) = try beginCreations(site, desk)
            site.pass(milliseconds: TimeLimit.milliseconds(37_000) as UInt64)
            desk.release(2)
            for client in waiting {
                let reported = TicketSite.LocalizedText(try client.readResponse())
                #expect(reported.status == 503)
                #expect(reported.error == "overloaded")
            }
            for client in asking { #expect(try client.readResponse().status == 503) }
            #expect(desk.requests.count == 2)
        }
    }

    /// Eight creations wait while the customer is signed out: none is performed then.
    @Test func `a waiting call ends with its key`() throws {
        let desk = try ScriptedServer(.everyRequest(.awaitRelease, .respond(500)))
        defer { desk.stop() }
        try TicketSite.with(stuck: desk.url("")) { site throws in
            defer { desk.stop() }
            let (asking, waiting) = try beginCreations(site, desk)
            let person = Array(#"{"app_id":"stuck","user_id":"user-1"}"#.utf8)
            #expect(try site.post(site.service.adminAddress, path: "/v1/users/sign-out", body: person).status == 200)
            desk.release(2)
            let reported = try waiting.map { TicketSite.LocalizedText(try $0.readResponse()) }
            #expect(reported.map(\.status).sorted() == [Int](repeating: 403, count: 8) + [503])
            #expect(reported.count { $0.error == "denied" } == 8)
            for client in asking { #expect(try client.readResponse().status == 503) }
            #expect(desk.requests.count == 2)
        }
    }

    /// The company requests tickets of an app whose Desk hangs: four requests wait, and those about another app are answered.
    @Test func `the company's requests about one app delay no other app`() throws {
        try withStuckDesk { (site, desk) throws in
            let line = "GET /v1/tickets/show?app_id=stuck&ticket_id=101"
            let waiting = try (0..<20).map { _ in try site.begin(site.service.adminAddress, line: line) }
            #expect(desk.waitForRequests(4))
            for _ in 0..<10 { #expect(try site.ask("/count").status == 200) }
            #expect(desk.requests.count == 4)
            withExtendedLifetime(waiting) {}
        }
    }
}
