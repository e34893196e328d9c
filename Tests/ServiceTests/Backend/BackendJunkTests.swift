import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Clients send junk keys for an app whose backend fails instead of denying them.
@Suite struct BackendJunkTests {
    /// A failure instead of a denial of a junk key.
    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [ScriptedStep]
        let result: String
        var testDescription: String { name }
    }

    static let failures = [
        Failure(name: "429", steps: [.respond(429)], result: "status"),
        Failure(name: "429 for an hour", steps: [.respond(429, headers: ["Retry-After: 3600"])], result: "status"),
        Failure(name: "500", steps: [.respond(500)], result: "status"),
        Failure(name: "503 for an hour", steps: [.respond(503, headers: ["Retry-After: 3600"])], result: "status"),
        Failure(name: "a closed connection", steps: [.close], result: "unreachable"),
        Failure(name: "a reset", steps: [.reset], result: "unreachable"),
    ]

    /// The response is not cached, so that the next request needs another call.
    private static let yes: [ScriptedStep] = [.respond(200, headers: ["Cache-Control: no-store"])]

    /// Sends junk keys, also with the ids of users, until the backend is no longer called for them.
    private func sendJunk(_ service: RunningService) throws {
        for number in 1...40 { #expect(try service.ask(user: "user-\(number % 3)", key: "junk-\(number)").status == 503) }
    }

    @Test(arguments: failures, [false, true]) func `junk keys lock no user out`(failure: Failure, isShadowed: Bool) throws {
        let junk = [[ScriptedStep]](repeating: failure.steps, count: 5)
        let backend = try ScriptedServer(.requests([Self.yes] + junk + [Self.yes, Self.yes, failure.steps, Self.yes]))
        defer { backend.stop() }
        let fixture = try BackendFixture()
        let shadow = isShadowed ? #""shadow_until":\#(TestTime.now.rawValue + 1000),"# : ""
        let json = fixture.json(backend.url(), mode: "backend").replacing(#""app_id":"shop","#, with: #""app_id":"shop",\#(shadow)"#)
        try fixture.withService(json) { (service) throws in
            #expect(try service.ask(key: "session-1").status == 200)
            try sendJunk(service)
            #expect(backend.requests.count == 6)
            for path in BackendCaller.routes { #expect(try service.ask(path, key: "session-1").status == 200) }
            // A user with a new key is allowed between junk keys.
            fixture.pass(milliseconds: 100)
            #expect(try service.ask(key: "junk").status == 503)
            #expect(try service.ask(user: "user-2", key: "session-2").status == 503)
            fixture.pass(milliseconds: 100)
            #expect(try service.ask(user: "user-2", key: "session-2").status == 200)
            #expect(
                try fixture.counts(service, "deskgate_backend_checks_total") == [
                    #"{app="shop",result="allowed"} 4"#, #"{app="shop",result="new_keys_paced"} 36"#,
                    #"{app="shop",result="\#(failure.result)"} 6"#,
                ])
        }
    }

    @Test func `operators see that calls for junk keys fail`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(429)), mode: "backend", hasKeys: false) { (service, _) throws in
            func answer(_ path: String) throws -> String {
                try ExchangeCase(name: path, method: .get, path: path, headers: AdminCases.authorization, status: 200, answer: "")
                    .send(to: SocketClient(service.adminAddress)).text
            }
            let (status, explain) = ("/v1/status", "/v1/explain?app_id=shop&user_id=user-1")
            let problem = #""kind":"backend_new_keys","severity":"warning","subject":"shop""#
            #expect(try !answer(status).contains(problem))
            try sendJunk(service)
            #expect(try answer(status).contains(problem))
            #expect(try answer(status).contains(#/The last call to http[^ ]+ about a new key failed: [^.]+ \(status_429\)\./#))
            #expect(try answer(explain).contains(#""outcome":"note","text":"The backend of shop fails for new keys"#))
            #expect(try fixture.counts(service, "deskgate_backend_state") == [#"{app="shop",state="failing"} 1"#])
            fixture.pass(milliseconds: 60_000)
            #expect(try !answer(status).contains(problem))
            #expect(try fixture.counts(service, "deskgate_backend_state") == [#"{app="shop",state="working"} 1"#])
        }
        let lines = try fixture.log.lines()
        let reported = lines.filter { $0.contains("a backend") }
        #expect(reported.count == 1)
        #expect(reported.first?.hasPrefix("WARN  a backend fails for new keys app=shop reason=backend_status cause=status_") == true)
        #expect(lines.allSatisfy { !$0.contains("user-") })
        #expect(lines.allSatisfy { !$0.contains("junk-") })
    }

    /// The first call is for a user, as is the first one behind 32 calls that hang.
    @Test func `junk keys whose calls hang do not delay a user`() throws {
        let hanging = [[ScriptedStep]](repeating: [.awaitRelease, .respond(500)], count: 32)
        let script = [Self.yes] + hanging + [Self.yes, [.awaitRelease, .respond(500)]]
        let fixture = try BackendFixture()
        try fixture.withService(.requests(script), mode: "backend", hasKeys: false) { (service, backend) throws in
            #expect(try service.ask(key: "session-1").status == 200)
            let junk = try (1...150).map { number in
                try BackendCaller.begin(
                    service.publicAddress, path: BackendCaller.authorize, body: BackendCaller.body(key: "junk-\(number)"))
            }
            let refused = #"{app="shop",result="overloaded"} 22"#
            #expect(eventually { (try? fixture.counts(service, "deskgate_backend_checks_total").contains(refused)) == true })
            #expect(service.waitForQuestions(128))
            #expect(backend.waitForRequests(33))
            #expect(try service.ask(key: "session-1").status == 200)
            #expect(backend.requests.count == 34)
            backend.release(128)
            for client in junk { #expect(try client.readResponse().status == 503) }
        }
    }

    @Test func `a backend that is down is not called`() throws {
        let users = 1...6
        let script = [[ScriptedStep]](repeating: Self.yes, count: users.count) + [[.respond(503)]]
        let fixture = try BackendFixture()
        try fixture.withService(.requests(script), mode: "backend", hasKeys: false) { (service, backend) throws in
            for number in users { #expect(try service.ask(user: "user-\(number)", key: "session").status == 200) }
            for number in users { #expect(try service.ask(user: "user-\(number)", key: "session").status == 503) }
            #expect(backend.requests.count == 11)
            #expect(try fixture.counts(service, "deskgate_backend_state") == [#"{app="shop",state="open"} 1"#])
        }
        #expect(try fixture.log.lines().contains { $0.hasPrefix("WARN  a backend returns no decisions app=shop ") })
    }

    @Test func `after a start a backend that is down is called at increasing intervals`() throws {
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let fixture = try BackendFixture()
        let json = fixture.json("http://127.0.0.1:\(closed.port)/", mode: "backend", hasKeys: false)
        try fixture.withService(json) { (service) throws in
            for _ in 1...2 {
                for number in 1...50 { #expect(try service.ask(user: "user-\(number)", key: "session").status == 503) }
                fixture.pass(milliseconds: 100)
            }
            #expect(
                try fixture.counts(service, "deskgate_backend_checks_total") == [
                    #"{app="shop",result="new_keys_paced"} 94"#, #"{app="shop",result="unreachable"} 6"#,
                ])
        }
    }

    /// The user's keys are valid, and the backend fails for each.
    @Test(arguments: failures) func `a user for whom the backend fails locks no other out`(failure: Failure) throws {
        let script = [[ScriptedStep]](repeating: failure.steps, count: 20) + [[.respond(200)]]
        let fixture = try BackendFixture()
        try fixture.withService(.requests(script)) { (service, backend) throws in
            for number in 1...20 {
                #expect(try service.ask(key: TestKey(issuedAt: TestTime.now - UInt64(number)).text()).status == 503)
            }
            #expect(backend.requests.count == 20)
            #expect(try service.ask(user: "user-2").status == 200)
        }
    }
}
