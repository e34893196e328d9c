import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Sendbird

/// Requests to Sendbird's APIs against a scripted server.
@Suite struct PlatformClientTests {
    private static let unauthorized = ScriptedStep.respond(401, body: #"{"error":true,"code":400401,"message":"secret words"}"#)
    private static let tooMany = #"{"error":true,"code":500910,"message":"secret words"}"#

    @Test func `sends requests to both APIs`() throws {
        try PlatformFixture.with(.everyRequest(.respond(200, body: #"{"token":"t"}"#))) { platform in
            let request = PlatformRequest(
                "issue", method: .post, path: ["users", "user-1", "token"], body: ["expires_at": 1_760_600_000_000])
            #expect(platform.send(request) == .success(["token": "t"]))
            let sent = platform.server.requests[0]
            #expect(sent.method == "POST")
            #expect(sent.target == "/v3/users/user-1/token")
            #expect(sent.text == #"{"expires_at":1760600000000}"#)
            #expect(sent.header("Api-Token") == "first-token")
            #expect(sent.header("Content-Type") == "application/json; charset=utf-8")
        }
        try PlatformFixture.with(.everyRequest(.respond(200, body: "{}")), api: .desk) { platform in
            let query = [(name: "channel_url", value: "a&b=c d"), (name: "limit", value: "1")]
            #expect(platform.send(PlatformRequest("tickets", method: .get, path: ["tickets"], query: query)) == .success([:]))
            #expect(platform.send(PlatformRequest("close", method: .patch, path: ["tickets", "1", "close"], body: [:])) == .success([:]))
            let (first, second) = (platform.server.requests[0], platform.server.requests[1])
            #expect(first.target == "/platform/v1/tickets?channel_url=a%26b%3Dc%20d&limit=1")
            #expect(first.header("SENDBIRDDESKAPITOKEN") == "first-token")
            #expect(first.header("Api-Token") == nil)
            #expect(second.method == "PATCH")
            #expect(second.target == "/platform/v1/tickets/1/close")
        }
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("%2f", "%252f"), ("a b?c#d", "a%20b%3Fc%23d"), ("ключ", "%D0%BA%D0%BB%D1%8E%D1%87"), ("...", "..."),
        ("a\u{0}b\n", "a%00b%0A"),
    ])
    func `an ID cannot leave its place in the address`(_ id: String, _ target: String) throws {
        try PlatformFixture.with(.everyRequest(.respond(200, body: "{}"))) { platform in
            #expect(platform.get("users", id) == .success([:]))
            #expect(platform.server.requests[0].target == "/v3/users/\(target)")
        }
    }

    @Test(arguments: ["", ".", ".."])
    func `sends nothing for an ID that cannot be in an address`(_ id: String) throws {
        try PlatformFixture.with(.everyRequest(.respond(200, body: "{}"))) { platform in
            #expect(platform.get("users", id, "token").error == .unavailable(reason: "request_cannot_be_made", mayHaveArrived: false))
            #expect(platform.server.connectionCount == 0)
        }
    }

    @Test(
        arguments: [
            (200, "", .null), (204, "", .null), (200, #"{"id":9007199254740993}"#, ["id": 9_007_199_254_740_993]),
        ] as [(Int, String, JSONValue)])
    func `a success returns the body`(_ status: Int, body: String, value: JSONValue) throws {
        try PlatformFixture.with(.everyRequest(.respond(status, body: body))) { platform in
            #expect(platform.get("a") == .success(value))
        }
    }

    @Test(
        arguments: [
            (400, #"{"error":true,"code":400201,"message":"m"}"#, .notFound(PlatformRefusal(status: 400, code: "400201", message: "m"))),
            (404, #"{"code":"desk404","detail":"d"}"#, .notFound(PlatformRefusal(status: 404, code: "desk404", message: "d"))),
            (400, #"{"error":true,"code":400111}"#, .invalid(PlatformRefusal(status: 400, code: "400111"))),
            (400, "not JSON", .invalid(PlatformRefusal(status: 400))), (405, "", .invalid(PlatformRefusal(status: 405))),
            (401, "", .unauthorized), (403, "", .unauthorized), (400, #"{"error":true,"code":400401}"#, .unauthorized),
            (429, "", .rateLimited(retryAfterMilliseconds: 1000)), (500, Self.tooMany, .rateLimited(retryAfterMilliseconds: 1000)),
            (500, "", .unavailable(reason: "status_500", mayHaveArrived: true)),
            (503, "{}", .unavailable(reason: "status_503", mayHaveArrived: true)),
            (302, "{}", .unavailable(reason: "status_302", mayHaveArrived: true)),
            (408, "{}", .unavailable(reason: "status_408", mayHaveArrived: true)),
            (200, "not JSON", .unavailable(reason: "malformed_response", mayHaveArrived: true)),
            (200, #"{"error":true}"#, .unavailable(reason: "malformed_response", mayHaveArrived: true)),
        ] as [(Int, String, PlatformError)])
    func `failures are mapped to errors`(_ status: Int, body: String, error: PlatformError) throws {
        try PlatformFixture.with(.everyRequest(.respond(status, body: body))) { platform in
            #expect(platform.get("a").error == error)
            #expect(platform.metrics.contains(#"requests_total{app="app",request="view",outcome="\#(error.word)"} 1"#))
        }
    }

    @Test(
        arguments: [
            (.unauthorized, true), (.notFound(PlatformRefusal(status: 404)), true), (.invalid(PlatformRefusal(status: 400)), true),
            (.rateLimited(retryAfterMilliseconds: 1), true), (.heldBack(retryAfterMilliseconds: 1), false),
            (.unavailable(reason: "timeout", mayHaveArrived: true), true),
            (.unavailable(reason: "cannot_connect", mayHaveArrived: false), false),
        ] as [(PlatformError, Bool)])
    func `reports whether the request may have arrived`(_ error: PlatformError, _ mayHaveArrived: Bool) {
        #expect(error.mayHaveArrived == mayHaveArrived)
    }

    @Test func `limits the size of a response`() throws {
        try PlatformFixture.with(.everyRequest(.respond(200, body: #"{"a":"123456789"}"#))) { platform in
            let error = PlatformError.unavailable(reason: "malformed_response", mayHaveArrived: true)
            #expect(platform.send(PlatformRequest("view", method: .get, path: ["a"], answerLimit: 16)).error == error)
            #expect(platform.send(PlatformRequest("view", method: .get, path: ["a"], answerLimit: 17)).error == nil)
        }
    }

    @Test func `a refused connection is a temporary failure`() throws {
        try PlatformFixture.with(.everyRequest(.close)) { platform in
            guard case .unavailable(_, mayHaveArrived: true) = platform.get("a").error else {
                Issue.record("expected a failure after which the request may have arrived"); return
            }
        }
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try PlatformFixture.with(.everyRequest(.close), port: closed.port) { platform in
            #expect(platform.get("a").error == .unavailable(reason: "cannot_connect", mayHaveArrived: false))
        }
    }

    /// A token that is rejected late leaves the next one only the caller's remaining time.
    @Test func `does not exceed its caller's timeout`() throws {
        let script = ScriptedServer.Script.requests([[.awaitRelease, Self.unauthorized], [.respond(200, body: "{}")]])
        try PlatformFixture.with(script, tokens: ["old-token", "new-token"]) { platform throws in
            let answer = platform.begin(PlatformRequest("view", method: .get, path: ["a"]), withinMilliseconds: 60_000)
            #expect(platform.server.waitForRequests(1))
            platform.clocks.pass(60_000)
            platform.server.release()
            #expect(try answer.take().error == .unavailable(reason: "timeout", mayHaveArrived: true))
            #expect(platform.server.requests.count == 1)
        }
    }

    @Test func `stores which token is valid`() throws {
        let good = ScriptedStep.respond(200, body: "{}")
        try PlatformFixture.with(.requests([[Self.unauthorized], [good]]), tokens: ["old-token", "new-token"]) { platform in
            #expect(platform.get("a").error == nil)
            #expect(platform.get("a").error == nil)
            #expect(platform.server.requests.map { $0.header("Api-Token") } == ["old-token", "new-token", "new-token"])
        }
    }

    @Test func `reports once that no token is valid`() throws {
        let good = ScriptedStep.respond(200, body: "{}")
        let refused = [Self.unauthorized]
        try PlatformFixture.with(.requests([refused, refused, refused, refused, [good]]), tokens: ["one-token", "two-token"]) { platform in
            #expect(platform.get("a").error == .unauthorized)
            #expect(platform.get("a").error == .unauthorized)
            #expect(platform.get("a").error == nil)
            let lines = try platform.log.lines()
            #expect(lines.count == 2 && lines[0].contains("apps[].sendbird.chat_token") && lines[1].contains("again"))
        }
    }

    @Test(
        arguments: [
            ("X-RateLimit-RetryAfter: 3", 3000), ("Retry-After: 2", 2000), ("X-RateLimit-RetryAfter: 1700000005", 5000),
            ("X-RateLimit-RetryAfter: soon", 1000), ("X-RateLimit-RetryAfter: 0", 1), ("X-RateLimit-RetryAfter: 99999999", 3_600_000),
        ] as [(String, UInt64)])
    func `waits after too many requests`(_ header: String, _ milliseconds: UInt64) throws {
        let (tooMany, good) = (ScriptedStep.respond(429, headers: [header], body: Self.tooMany), ScriptedStep.respond(200, body: "{}"))
        try PlatformFixture.with(.requests([[tooMany], [good]])) { platform in
            #expect(platform.get("a").error == .rateLimited(retryAfterMilliseconds: milliseconds))
            #expect(platform.get("b").error == .heldBack(retryAfterMilliseconds: milliseconds))
            #expect(platform.send(PlatformRequest("other", method: .get, path: ["c"])).error == nil, "each endpoint has its own limit")
            platform.clocks.pass(milliseconds - 1)
            #expect(platform.get("d").error == .heldBack(retryAfterMilliseconds: 1))
            platform.clocks.pass(1)
            #expect(platform.get("e").error == nil)
            #expect(platform.server.requests.map(\.target) == ["/v3/a", "/v3/c", "/v3/e"])
            #expect(platform.metrics.contains(#"outcome="held_back"} 2"#))
        }
    }

    @Test func `prints no secret`() throws {
        try PlatformFixture.with(.everyRequest(Self.unauthorized)) { platform in
            let error = try #require(platform.get("secret-id").error)
            let refusal = PlatformError.invalid(PlatformRefusal(status: 400, code: "1", message: "secret words"))
            var dumped = ""
            dump(refusal, to: &dumped)
            let printed = "\(error) \(refusal) \(platform.client) \(dumped) \(try platform.log.text()) \(platform.metrics)"
            for secret in ["first-token", "secret-id", "secret words"] { #expect(!printed.contains(secret)) }
        }
    }
}
