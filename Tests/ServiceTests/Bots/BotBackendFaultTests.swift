import Core
import Crypto
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Backends that answer wrongly, late or not at all.
@Suite struct BotBackendFaultTests {
    /// The backend's behavior, the response to the caller, and the stored outcome.
    struct Case: CustomTestStringConvertible {
        let name: String
        let steps: [ScriptedStep]
        var status = 502
        var error = "bad_gateway"
        var outcome = BotCall.Outcome.failed
        let reason: String
        var backendStatus: Int?

        var testDescription: String { name }
    }

    private static let long = #""\#(String(repeating: "x", count: FunctionLimit.bytes))""#
    private static let nested = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)

    enum FunctionLimit {
        static let bytes = 256 * 1024
    }

    static let cases: [Case] = [
        Case(
            name: "redirect",
            steps: [
                .respond(
                    302, headers: ["Location: http://127.0.0.1:1/", "Content-Type: application/json"],
                    body: "{}")
            ],
            reason: "redirect", backendStatus: 302),
        Case(name: "wrong secret", steps: [.json(401, "{}")], reason: "unauthorized", backendStatus: 401),
        Case(name: "error", steps: [.json(500, "{}")], reason: "server_error", backendStatus: 500),
        Case(
            name: "html",
            steps: [.respond(200, headers: ["Content-Type: text/html"], body: "<p>Hello</p>")],
            reason: "not_json",
            backendStatus: 200),
        Case(
            name: "JSON as text",
            steps: [.respond(200, headers: ["Content-Type: text/plain"], body: "{}")], reason: "not_json",
            backendStatus: 200),
        Case(
            name: "no type", steps: [.respond(404, body: "{}")], reason: "not_json", backendStatus: 404),
        Case(
            name: "garbage", steps: [.json(200, "{\"a\":")], reason: "malformed_json", backendStatus: 200),
        Case(
            name: "duplicate members", steps: [.json(200, #"{"a":1,"a":2}"#)], reason: "malformed_json",
            backendStatus: 200),
        Case(
            name: "two values", steps: [.json(200, "{}{}")], reason: "malformed_json", backendStatus: 200),
        Case(name: "deep", steps: [.json(200, nested)], reason: "malformed_json", backendStatus: 200),
        Case(
            name: "not UTF-8",
            steps: [
                .send(
                    Array(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n".utf8)
                        + [34, 0xFF, 34])
            ], reason: "malformed_json", backendStatus: 200),
        Case(name: "too long", steps: [.json(200, long)], reason: "too_large", backendStatus: 200),
        Case(
            name: "endless",
            steps: [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n["),
                .sendForever(Array("1,".utf8)),
            ],
            reason: "too_large", backendStatus: 200),
        Case(
            name: "closes early", steps: [.respondWrongly(200, contentLength: 100, body: "{"), .close],
            reason: "broken_off"),
        Case(name: "closes at once", steps: [.close], reason: "broken_off"),
        Case(name: "resets", steps: [.reset], reason: "broken_off"),
        Case(name: "no HTTP", steps: [.send("hello\r\n\r\n"), .close], reason: "broken_off"),
        Case(
            name: "hangs", steps: [.hang], status: 504, error: "timeout", outcome: .timedOut,
            reason: "timeout"),
        Case(
            name: "drips",
            steps: [.sendSlowly(ScriptedStep.response(200, body: "{}"), size: 1, pauseMilliseconds: 200)],
            status: 504,
            error: "timeout", outcome: .timedOut, reason: "timeout"),
    ]

    @Test(arguments: cases)
    func `malformed responses are not passed on`(test: Case) throws {
        let fixture = try BotFixture()
        try fixture.withBot(
            .connections([[.readRequest] + test.steps]), timeout: test.status == 504 ? 3000 : Int(WaitLimit.milliseconds)
        ) { service, backend in
            let ticket = try service.ticket()
            let response = try service.get("get_order_list", ticket: ticket)
            #expect(response.status == test.status)
            #expect(response.error == test.error)
            // A function without changes may be retried.
            #expect(try #require(response.json["message"]?.text).hasSuffix("Try again later."))
            #expect(response.json["outcome"] == nil)
            let neutral = try service.callNeutrally("get_order_list", [:], ticket: ticket)
            #expect((neutral.status, neutral.text) == (response.status, response.text))
            let changed = try service.call("reorder", ["order_id": "7"], ticket: ticket)
            #expect((changed.status, changed.error) == (test.status, test.error))
            #expect(changed.json["outcome"]?.text == "unknown")
            #expect(
                try #require(changed.json["message"]?.text).contains("not known whether reorder was done"))
            let calls = try service.storedCalls()
            #expect(calls.map(\.outcome) == [test.outcome, test.outcome, test.outcome])
            #expect(calls.map(\.reason) == [test.reason, test.reason, test.reason])
            #expect(
                calls.map(\.statusCode) == [test.backendStatus, test.backendStatus, test.backendStatus])
            // A change is sent at most once.
            #expect(backend.requests.filter { $0.method == "POST" }.count == 1)
            let again = try service.call("reorder", ["order_id": "7"], ticket: ticket)
            #expect((again.status, again.text) == (changed.status, changed.text))
            #expect(backend.requests.filter { $0.method == "POST" }.count == 1)
        }
    }

    @Test func `reports that nothing was done if nothing was sent`() throws {
        let fixture = try BotFixture()
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService([BotFixture.bot("http://127.0.0.1:\(closed.port)")]) { service in
            let response = try service.call("reorder", ["order_id": "7"], ticket: try service.ticket())
            #expect((response.status, response.error) == (502, "bad_gateway"))
            #expect(response.json["outcome"]?.text == "not_done")
            #expect(response.json["message"]?.text?.hasSuffix("Nothing was done; the same call can be made again.") == true)
            #expect(try service.storedCalls().map(\.reason) == ["unreachable"])
        }
    }

    /// Each repetition tries the call once more, in the same process and in another one, which has only the stored state.
    @Test(
        arguments: [
            #"{"type":"memory"}"#, #"{"type":"sqlite","path":"store.sqlite"}"#, #"{"type":"postgres","url":{"env":"DATABASE_URL"}}"#,
        ])
    func `a call that was not sent can be repeated`(_ store: String) throws {
        let place = store.contains("postgres") ? try PostgresSchemaFixture() : nil
        defer { withExtendedLifetime(place) {} }
        let fixture = try BotFixture(store: store)
        fixture.directory.environment["DATABASE_URL"] = place?.url()
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService([BotFixture.bot("http://127.0.0.1:\(closed.port)")]) { service in
            let ticket = try service.ticket()
            let asked = try service.call("cancel_order", ["order_id": "7"], ticket: ticket)
            let confirmation = try #require(asked.json["confirmation"]?.text)
            for attempt in 1...3 {
                for response in [try service.call("reorder", ["order_id": "7"], ticket: ticket), try service.confirm(confirmation)] {
                    #expect(response.status == 502, "\(attempt)")
                    #expect(response.json["outcome"] == "not_done", "\(attempt)")
                }
                if attempt == 2 { service.graph.invalidation.tell(.revocations(nil)) }
            }
            let calls = try service.storedCalls().filter { $0.outcome != .confirmationRequired }
            #expect(calls.map(\.reason) == Array(repeating: "unreachable", count: 6))
            #expect(calls.allSatisfy { $0.outcome == .failed })
            #expect(calls.allSatisfy { $0.key == nil })
        }
    }

    /// All callers that wait get the same outcome, and later callers do not get it from memory.
    @Test func `a waiting caller gets the outcome that nothing was done`() throws {
        let fixture = try BotFixture(store: #"{"type":"sqlite","path":"store.sqlite"}"#)
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService([BotFixture.bot("http://127.0.0.1:\(closed.port)")]) { service in
            let ticket = try service.ticket()
            let clients = try (0..<10).map { _ in try service.beginCall("reorder", ["order_id": "7"], ticket: ticket) }
            for client in clients { #expect(try client.readResponse().json["outcome"] == "not_done") }
            let count = try service.storedCalls().count
            #expect(try service.call("reorder", ["order_id": "7"], ticket: ticket).json["outcome"] == "not_done")
            #expect(try service.storedCalls().count == count + 1)
        }
    }

    /// The store still has the key. In this process a repetition gets the same response without another call.
    @Test func `a repetition gets the same response if the outcome cannot be stored`() throws {
        let fixture = try BotFixture()
        // The handshake fails when the store is closed.
        let backend = try ScriptedServer(.everyConnection(.readSome, .awaitRelease, .send("HTTP/1.1 400 Bad\r\n\r\n"), .close))
        defer { backend.stop() }
        try fixture.withService([BotFixture.bot("https://127.0.0.1:\(backend.port)")]) { service in
            let ticket = try service.ticket()
            let client = try service.beginCall("reorder", ["order_id": "7"], ticket: ticket)
            #expect(backend.waitForConnections(1))
            service.graph.store.close()
            backend.release()
            let response = try client.readResponse()
            #expect(response.json["outcome"] == "not_done")
            let again = try service.call("reorder", ["order_id": "7"], ticket: ticket)
            #expect(again.status == 502)
            #expect(again.text == response.text)
            #expect(backend.connectionCount == 1)
            #expect(try fixture.log.text().contains("bot call not stored"))
        }
    }

    @Test func `accepts the longest response`() throws {
        let fixture = try BotFixture()
        let answer = #""\#(String(repeating: "x", count: FunctionLimit.bytes - 2))""#
        try fixture.withBot(.everyRequest(.json(200, answer))) { service, _ in
            let response = try service.get("get_order_list", ticket: try service.ticket())
            #expect((response.status, response.body.count) == (200, FunctionLimit.bytes))
        }
    }

    /// Calls to a backend that hangs are limited for each person, for each app and in total. Further calls and all other requests are
    /// answered at once.
    @Test func `limits the number of waiting calls`() throws {
        let fixture = try BotFixture()
        let backend = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { backend.stop() }
        let bot = try BotFixture.bot(backend.url(""), apps: ["shop", "bank"], timeout: Int(WaitLimit.programMilliseconds))
        try fixture.withService([bot]) { (service) throws in
            func expectBusy(_ user: String, _ app: String) throws {
                let response = try service.call("get_order_list", ticket: service.ticket(user: user, app: app))
                #expect(response.status == 503)
                #expect(response.error == "busy")
                #expect(response.headers["retry-after"] == "2")
            }
            var waiting: [SocketClient] = []
            for (number, app) in ["shop", "bank"].enumerated() {
                for person in 1...16 {
                    let ticket = try service.ticket(user: "user-\(person)", app: app)
                    for _ in 0..<16 { waiting.append(try service.beginCall("get_order_list", ticket: ticket)) }
                    #expect(backend.waitForRequests(256 * number + 16 * person))
                    try expectBusy("user-\(person)", app)
                }
                // The app has used its share: none of its other users is served.
                try expectBusy("user-17", app)
            }
            for _ in 0..<20 {
                try expectBusy("user-17", "shop")
                #expect(try service.startBot().status == 200)
            }
            #expect(backend.requests.count == 512)
            backend.stop()
            for client in waiting { #expect(try client.readResponse().status == 502) }
            #expect(try service.call("get_order_list", ticket: service.ticket()).error == "bad_gateway")
        }
    }
}
