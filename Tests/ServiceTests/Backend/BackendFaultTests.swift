import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Backends that are slow, unavailable or faulty.
@Suite struct BackendFaultTests {
    /// A faulty response, with Deskgate's status and the counted result.
    struct Lie: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [ScriptedStep]
        let status: Int
        let result: String
        var testDescription: String { name }
    }

    private static let garbage = String(repeating: "\u{1}{]garbage", count: 300)

    static let lies = [
        Lie(name: "garbage beside a yes", steps: [.respond(200, body: garbage)], status: 200, result: "allowed"),
        Lie(
            name: "a page beside a yes", steps: [.respond(200, headers: ["Content-Type: text/html"], body: "<h1>Sign in</h1>")],
            status: 200, result: "allowed"),
        Lie(name: "JSON that says no beside a yes", steps: [.respond(200, body: #"{"allowed":false}"#)], status: 200, result: "allowed"),
        Lie(
            name: "a body without end", steps: [.send("HTTP/1.1 403 No\r\n\r\n"), .sendForever(Array(garbage.utf8))], status: 403,
            result: "denied"),
        Lie(
            name: "a redirect", steps: [.respond(307, headers: ["Location: https://elsewhere.example.com/"])], status: 503,
            result: "status"),
        Lie(name: "a status that nobody knows", steps: [.respond(799)], status: 503, result: "status"),
        Lie(name: "no HTTP", steps: [.send("SSH-2.0-OpenSSH_9.2\r\n"), .close], status: 503, result: "unreachable"),
        Lie(name: "nothing", steps: [.close], status: 503, result: "unreachable"),
        Lie(name: "a reset", steps: [.reset], status: 503, result: "unreachable"),
        Lie(
            name: "half of a body beside a yes", steps: [.respondWrongly(200, contentLength: 100, body: "half"), .close], status: 200,
            result: "allowed"),
        Lie(
            name: "half of a body beside a no", steps: [.respondWrongly(403, contentLength: 100, body: "half"), .hang], status: 403,
            result: "denied"),
        Lie(name: "half of a head", steps: [.send("HTTP/1.1 200 OK\r\nContent-Le"), .close], status: 503, result: "unreachable"),
        Lie(
            name: "a head without end", steps: [.send("HTTP/1.1 200 OK\r\n"), .sendForever(Array("X-More: \(garbage)\r\n".utf8))],
            status: 503, result: "unreachable"),
    ]

    @Test(arguments: lies) func `faulty responses are not used`(lie: Lie) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.requests([lie.steps])) { (service, _) throws in
            for path in BackendCaller.routes { #expect(try service.ask(path, user: path).status == lie.status) }
            let counts = try fixture.counts(service, "deskgate_backend_checks_total")
            #expect(counts == [#"{app="shop",result="\#(lie.result)"} 2"#])
        }
    }

    @Test(arguments: [
        [ScriptedStep.hang], [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), .hang],
        [.sendSlowly(Array("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n".utf8), size: 1, pauseMilliseconds: 100)],
    ])
    func `a late response is not used`(steps: [ScriptedStep]) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.requests([steps]), timeout: 2000) { (service, _) throws in
            for path in BackendCaller.routes { #expect(try service.ask(path).status == 503) }
            #expect(try fixture.counts(service, "deskgate_backend_checks_total") == [#"{app="shop",result="timeout"} 2"#])
        }
        #expect(try fixture.log.lines().contains { $0.hasPrefix("WARN  authorize result=undecided reason=backend_timeout app=shop ") })
    }

    @Test func `a backend that hangs delays no other request`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.awaitRelease, .respond(200))) { (service, backend) throws in
            let waiting = try (1...20).map { number in
                try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(user: "user-\(number)"))
            }
            #expect(backend.waitForRequests(20))
            for _ in 1...50 { #expect(try service.ask(app: "bank").status == 200) }
            #expect(try service.ask(BackendCaller.pushToken, app: "bank").status == 200)
            backend.release(20)
            for client in waiting { #expect(try client.readResponse().status == 200) }
        }
    }

    @Test func `equal requests share a call`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.awaitRelease, .respond(200))) { (service, backend) throws in
            let bodies = try BackendCaller.routes.map { ($0, try BackendCaller.body($0)) }
            let waiting = try (0..<40).map { number in
                try BackendCaller.begin(service.publicAddress, path: bodies[number % 2].0, body: bodies[number % 2].1)
            }
            #expect(backend.waitForRequests(1))
            #expect(service.waitForQuestions(40))
            backend.release(40)
            for client in waiting { #expect(try client.readResponse().status == 200) }
            #expect(backend.requests.count == 1)
        }
    }

    @Test func `each call has its connection`() throws {
        try BackendFixture().withService(.everyRequest(.respond(200))) { (service, backend) throws in
            for number in 1...10 { #expect(try service.ask(user: "user-\(number)").status == 200) }
            #expect(backend.requests.count == 10)
            #expect(backend.connectionCount == 10)
        }
    }

    @Test func `many requests are served in turn`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.awaitRelease, .respond(200))) { (service, backend) throws in
            let waiting = try (1...100).map { number in
                try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(user: "user-\(number)"))
            }
            #expect(service.waitForQuestions(100))
            for number in 32..<100 {
                #expect(backend.waitForRequests(number))
                #expect(backend.requests.count == number)
                backend.release()
            }
            backend.release(32)
            for client in waiting { #expect(try client.readResponse().status == 200) }
            #expect(backend.requests.count == 100)
        }
    }

    /// Two apps have backends at one host, which does not answer one app's calls.
    @Test func `an app whose calls hang does not delay another at its host`() throws {
        let fixture = try BackendFixture()
        let hanging = [[ScriptedStep]](repeating: [.awaitRelease, .respond(200)], count: 32)
        let backend = try ScriptedServer(.requests(hanging + [[.respond(200)]]))
        defer { backend.stop() }
        let members = #""secret":{"file":"secrets/backend-6.whsec"},"timeout_ms":10000"#
        let verify = #""verify":{"mode":"key_and_backend","url":"\#(backend.url("/bank"))",\#(members)},"#
        let json = fixture.json(backend.url(BackendFixture.path)).replacing(#"{"app_id":"bank","#, with: #"{"app_id":"bank",\#(verify)"#)
        try fixture.withService(json) { (service) throws in
            let waiting = try (1...40).map { number in
                try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(user: "user-\(number)"))
            }
            #expect(backend.waitForRequests(32))
            for number in 1...5 {
                #expect(try service.ask(user: "user-\(number)", app: "bank").status == 200)
                #expect(backend.requests.count == 32 + number)
            }
            backend.release(32)
            for client in waiting { #expect(try client.readResponse().status == 200) }
            #expect(backend.requests.count == 45)
        }
    }

    @Test func `the number of running calls is limited`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.awaitRelease, .respond(200))) { (service, backend) throws in
            let waiting = try (1...150).map { number in
                try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(user: "user-\(number)"))
            }
            // Requests beyond the limit are answered at once.
            let refused = #"{app="shop",result="overloaded"} 22"#
            #expect(eventually { (try? fixture.counts(service, "deskgate_backend_checks_total")) == [refused] })
            backend.release(128)
            let statuses = try waiting.map { try $0.readResponse().status }
            #expect(statuses.count { $0 == 200 } == 128)
            #expect(statuses.count { $0 == 503 } == 22)
            #expect(backend.requests.count == 128)
        }
        #expect(try fixture.log.lines().allSatisfy { !$0.contains("a backend") })
    }

    @Test func `every request is answered when the service stops`() throws {
        let fixture = try BackendFixture(drainSeconds: 0)
        let waiting = try fixture.withService(.everyRequest(.hang)) { (service, backend) throws in
            let waiting = try (0..<30).map { number in
                let path = BackendCaller.routes[number % 2]
                return try BackendCaller.begin(
                    service.publicAddress, path: path, body: BackendCaller.body(path, user: "user-\(number / 4)"))
            }
            #expect(backend.waitForRequests(8))
            #expect(service.waitForQuestions(30))
            return waiting
        }
        for client in waiting {
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "1")
        }
        let lines = try fixture.log.lines()
        #expect(lines.last?.hasPrefix("INFO  stopped") == true)
        #expect(lines.allSatisfy { !$0.hasPrefix("ERROR") })
    }

    @Test func `a stop lets the backend answer`() throws {
        let backend = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { backend.stop() }
        let fixture = try BackendFixture()
        let client = try fixture.withService(fixture.json(backend.url())) { (service) throws in
            let client = try BackendCaller.begin(service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body())
            #expect(backend.waitForRequests(1))
            // Only the response waits for the release, and the stop waits for the response.
            backend.release()
            return client
        }
        #expect(try client.readResponse().status == 200)
    }
}
