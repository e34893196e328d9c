import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A failing backend is not called for a while.
@Suite struct BackendBreakerTests {
    private static let longestWait: UInt64 = 10_000

    @Test func `a failing backend is not called for each request`() throws {
        let fixture = try BackendFixture()
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let json = fixture.json("http://127.0.0.1:\(closed.port)/")
        try fixture.withService(json) { (service) throws in
            for number in 1...50 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(
                try fixture.counts(service, "deskgate_backend_checks_total") == [
                    #"{app="shop",result="breaker_open"} 45"#, #"{app="shop",result="unreachable"} 5"#,
                ])
            fixture.pass(milliseconds: Self.longestWait)
            for number in 1...50 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(
                try fixture.counts(service, "deskgate_backend_checks_total") == [
                    #"{app="shop",result="breaker_open"} 94"#, #"{app="shop",result="unreachable"} 6"#,
                ])
        }
        let lines = try fixture.log.lines()
        #expect(
            lines.filter { $0.contains("a backend") } == [
                "WARN  a backend returns no decisions app=shop reason=backend_unreachable cause=cannot_connect when_undecided=error "
                    + #"remedy="check the backend of apps[].verify.url; Deskgate retries by itself""#
            ])
        // Any client can cause these failures, so they are sampled like denials, and their lines contain no user.
        #expect(lines.filter { $0.contains("authorize result=undecided reason=backend_breaker_open") }.count == 60)
        #expect(lines.allSatisfy { !$0.contains("user-") })
        #expect(lines.allSatisfy { !$0.contains("dgk1.") })
    }

    @Test func `a recovered backend is called again`() throws {
        let fixture = try BackendFixture()
        let bad = [[ScriptedStep]](repeating: [.respond(503)], count: 6)
        try fixture.withService(.requests(bad + [[.respond(200)]])) { (service, backend) throws in
            for number in 1...10 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(backend.requests.count == 5)
            for expected in [503, 200] {
                fixture.pass(milliseconds: Self.longestWait)
                #expect(try service.ask(user: "user-1").status == expected)
            }
            for number in 1...10 { #expect(try service.ask(user: "user-\(number)").status == 200) }
            #expect(backend.requests.count == 16)
        }
        let lines = try fixture.log.lines().filter { $0.contains("a backend") }
        #expect(lines.count == 2)
        #expect(lines.last == "INFO  a backend returns decisions again app=shop")
    }

    /// Ten minutes of outage with a few requests, and then requests of all users at once.
    @Test func `one request probes for all after an outage`() throws {
        let fixture = try BackendFixture()
        let (probes, people) = (60, 300)
        let bad = [[ScriptedStep]](repeating: [.respond(503)], count: 5 + probes)
        try fixture.withService(.requests(bad + [[.awaitRelease, .respond(200)]])) { (service, backend) throws in
            for number in 1...5 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            for probe in 0..<probes {
                fixture.pass(milliseconds: Self.longestWait)
                // Another user is the first each time: two consecutive failures for the same user are counted once.
                for number in 1...4 { #expect(try service.ask(user: "user-\((probe + number) % 5)").status == 503) }
            }
            #expect(backend.requests.count == 5 + probes, "one probe for each time that the breaker was open")
            fixture.pass(milliseconds: Self.longestWait)
            let bodies = try (1...people).map { try BackendCaller.body(user: "user-\($0)") }
            let crowd = try bodies.map { try BackendCaller.begin(service.publicAddress, path: BackendCaller.authorize, body: $0) }
            let refused = #"{app="shop",result="breaker_open"} \#(3 * probes + people - 1)"#
            #expect(eventually { (try? fixture.counts(service, "deskgate_backend_checks_total").contains(refused)) == true })
            #expect(backend.requests.count == 6 + probes, "the breaker lets one probe through first")
            backend.release(2 * people)
            let first = try crowd.map { try $0.readResponse() }
            #expect(first.count { $0.status == 200 } == 1)
            #expect(first.count { $0.status == 503 && $0.headers["retry-after"] == "1" } == people - 1)
            // They retry a second later; a request during 128 running calls is retried once more.
            var waiting = Array(zip(crowd, bodies))
            var turns = 0
            while !waiting.isEmpty {
                turns += 1
                try #require(turns <= people)
                for (client, body) in waiting { try BackendCaller.begin(client, path: BackendCaller.authorize, body: body) }
                let statuses = try waiting.map { try $0.0.readResponse().status }
                #expect(statuses.allSatisfy { $0 == 200 || $0 == 503 })
                waiting = zip(waiting, statuses).filter { $0.1 == 503 }.map(\.0)
            }
            #expect(backend.requests.count == 5 + probes + people, "one call for each person")
            #expect(try fixture.counts(service, "deskgate_authorize_requests_total").allSatisfy { !$0.contains("denied") })
        }
    }

    @Test func `cached responses are used during an outage`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.requests([[.respond(200)], [.respond(403)], [.respond(500)]])) { (service, backend) throws in
            #expect(try service.ask(user: "user-1").status == 200)
            #expect(try service.ask(user: "user-2").status == 403)
            for number in 3...12 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(backend.requests.count == 7)
            for path in BackendCaller.routes {
                #expect(try service.ask(path, user: "user-1").status == 200)
                #expect(try service.ask(path, user: "user-2").status == 403)
            }
        }
    }

    @Test func `an intermittent backend is still called`() throws {
        let flapping: [[ScriptedStep]] = (0..<40).map { [.respond($0.isMultiple(of: 2) ? 500 : 200)] }
        let fixture = try BackendFixture()
        try fixture.withService(.requests(flapping)) { (service, backend) throws in
            for number in 0..<40 { #expect(try service.ask(user: "user-\(number)").status == (number.isMultiple(of: 2) ? 503 : 200)) }
            #expect(backend.requests.count == 40)
        }
        #expect(try fixture.log.lines().allSatisfy { !$0.contains("a backend") })
    }

    @Test func `rejected requests are no outage`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(400))) { (service, backend) throws in
            for number in 1...10 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(backend.requests.count == 10)
        }
    }
}
