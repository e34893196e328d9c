import Core
import HTTPServer
import HelpDesk
import JSON
import TestSupport
import Testing
import Time

@testable import Service

/// `POST /sendbird/session-token` on real sockets.
@Suite struct SessionTokenTests {
    private static let given = ScriptedStep.respond(200, body: #"{"token":"session-secret"}"#)
    private static let unknownUser = ScriptedStep.respond(400, body: #"{"error":true,"code":400201,"message":"User not found."}"#)

    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture()
    }

    private static func milliseconds(_ seconds: UInt64) -> String { "\(TestTime.now.rawValue + seconds)000" }

    private static func targets(_ sendbird: ScriptedServer) -> [String] { sendbird.requests.map { "\($0.method) \($0.target)" } }

    @Test(arguments: [(100, 100), (0, 3600), (3601, 3600)] as [(UInt64, UInt64)])
    func `expires with its lifetime or the key`(_ key: UInt64, _ life: UInt64) throws {
        try fixture.withService(.everyRequest(Self.given), sessions: #"{"life_seconds":3600}"#) { (service, sendbird) throws in
            for _ in 1...2 {
                let response = try service.session(SessionFixture.body(life: key))
                #expect(response.status == 200)
                #expect(response.headers["cache-control"] == "no-store")
                let end = TestTime.now.rawValue + life
                #expect(response.text == #"{"session_token":"session-secret","expires_at":\#(end)}"#)
            }
            #expect(Self.targets(sendbird) == ["POST /v3/users/user-1/token"])
            #expect(sendbird.requests[0].text == #"{"expires_at":\#(Self.milliseconds(life))}"#)
            #expect(sendbird.requests[0].header("Api-Token") == TestSecret.text(31))
        }
    }

    @Test func `is never taken from a second response`() throws {
        let other = ScriptedStep.respond(200, body: #"{"token":"other-secret"}"#)
        let first = [.readRequest, Self.given, .awaitRelease, Self.given, .hang]
        try fixture.withService(.connections([first, [.readRequest, other]])) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).text.contains("session-secret"))
            sendbird.release()
            #expect(try service.session(SessionFixture.body(user: "user-2")).text.contains("other-secret"))
            #expect(sendbird.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `is cached until a tenth of its lifetime is left`() throws {
        try fixture.withService(.everyRequest(Self.given), sessions: #"{"life_seconds":1000}"#) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 200)
            fixture.pass(milliseconds: 899_999)
            #expect(try service.session(SessionFixture.body()).status == 200)
            #expect(sendbird.requests.count == 1)
            fixture.pass(milliseconds: 1)
            #expect(try service.session(SessionFixture.body()).status == 200)
            #expect(sendbird.requests.count == 2)
            // A key that expires before the cached token needs another token.
            #expect(try service.session(SessionFixture.body(life: 1800)).status == 200)
            #expect(sendbird.requests.count == 3)
            #expect(sendbird.requests[2].text == #"{"expires_at":\#(Self.milliseconds(1800))}"#)
        }
    }

    @Test func `a hundred concurrent requests share one call`() throws {
        try fixture.withService(.requests([[.awaitRelease, Self.given], [.respond(500)]])) { (service, sendbird) throws in
            let body = try SessionFixture.body()
            let clients = try (1...100).map { _ in try service.beginSession(body) }
            #expect(sendbird.waitForRequests(1))
            sendbird.release()
            for client in clients { #expect(try client.readResponse().status == 200) }
            #expect(sendbird.requests.count == 1)
        }
    }

    @Test func `creates an unknown user`() throws {
        try fixture.withService(.requests([[Self.unknownUser], [.respond(200, body: "{}")], [Self.given]])) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 200)
            #expect(Self.targets(sendbird) == ["POST /v3/users/user-1/token", "POST /v3/users", "POST /v3/users/user-1/token"])
            #expect(sendbird.requests[1].text == #"{"user_id":"user-1","nickname":"","profile_url":""}"#)
        }
        // Another client created the user first; then a user who stays unknown.
        let exists = ScriptedStep.respond(400, body: #"{"error":true,"code":400202,"message":"exists"}"#)
        try fixture.withService(.requests([[Self.unknownUser], [exists], [Self.unknownUser]])) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 503)
            #expect(sendbird.requests.count == 3)
        }
    }

    @Test func `passes on Sendbird's request for backoff`() throws {
        let tooMany = ScriptedStep.respond(429, headers: ["X-RateLimit-RetryAfter: 7"], body: #"{"error":true,"code":500910}"#)
        try fixture.withService(.requests([[tooMany], [Self.given]])) { (service, sendbird) throws in
            for user in ["user-1", "user-2"] {
                let response = try service.session(SessionFixture.body(user: user))
                #expect(response.status == 429)
                #expect(response.headers["retry-after"] == "7")
                #expect(try JSONDocument(parsing: response.body.span).value()["limit"] == .null)
            }
            #expect(sendbird.requests.count == 1)
            fixture.pass(milliseconds: 7000)
            #expect(try service.session(SessionFixture.body()).status == 200)
        }
    }

    @Test func `has separate limits`() throws {
        let limits = #"{"limits":[{"per":"user","max":1,"window_seconds":60},{"per":"app","max":2,"window_seconds":60}]}"#
        try fixture.withService(.everyRequest(Self.given), sessions: limits) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body(life: 1000)).status == 200)
            fixture.pass(milliseconds: 1)
            let response = try service.session(SessionFixture.body(life: 500))
            #expect(response.status == 429)
            #expect(response.headers["retry-after"] == "60")
            let json = try JSONDocument(parsing: response.body.span).value()
            #expect(json["limit"] == ["per": "user", "max": 1, "window_seconds": 60])
            #expect(try service.session(SessionFixture.body(user: "user-2")).status == 200)
            #expect(try service.session(SessionFixture.body(user: "user-3")).status == 429)
            fixture.pass(milliseconds: 59_999)
            #expect(try service.session(SessionFixture.body(life: 500)).status == 200)
            #expect(sendbird.requests.count == 3)
        }
    }

    /// During Sendbird's backoff, denied requests do not use the app's later limit.
    @Test func `a call that is held back uses no limit`() throws {
        let tooMany = ScriptedStep.respond(429, headers: ["X-RateLimit-RetryAfter: 7"], body: #"{"error":true,"code":500910}"#)
        let limits = #"{"limits":[{"per":"app","max":2,"window_seconds":60}]}"#
        try fixture.withService(.requests([[tooMany], [Self.given]]), sessions: limits) { (service, sendbird) throws in
            for number in 1...45 {
                let response = try service.session(SessionFixture.body(user: "user-\(number)"))
                #expect(response.headers["retry-after"] == "7", "Sendbird's time, not that of a limit")
            }
            #expect(sendbird.requests.count == 1)
            fixture.pass(milliseconds: 7000)
            #expect(try service.session(SessionFixture.body(user: "user-46")).status == 200)
            // Both calls that were sent are counted.
            #expect(try service.session(SessionFixture.body(user: "user-47")).headers["retry-after"] == "53")
        }
    }

    /// A call without a connection is not counted. A call that creates a user is counted, because Sendbird received the first request.
    @Test func `a call that does not connect uses no limit`() throws {
        let limits = #"{"limits":[{"per":"app","max":1,"window_seconds":60}]}"#
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService(.everyRequest(Self.given), sessions: limits, port: closed.port) { (service, _) throws in
            for _ in 1...3 { #expect(try service.session(SessionFixture.body()).status == 503) }
        }
        let tooMany = ScriptedStep.respond(429, headers: ["X-RateLimit-RetryAfter: 7"], body: #"{"error":true,"code":500910}"#)
        try fixture.withService(.requests([[Self.unknownUser], [tooMany], [Self.given]]), sessions: limits) { (service, _) throws in
            for limit in ["7", "60"] {
                #expect(try service.session(SessionFixture.body()).headers["retry-after"] == limit)
            }
        }
    }

    /// Two apps call the same host, which answers none of one app's calls.
    @Test func `an app whose calls hang does not delay another at the same host`() throws {
        for (name, number) in [("POST_CHAT", 34), ("POST_DESK", 35)] { fixture.directory.environment[name] = TestSecret.text(number) }
        let hanging = [[ScriptedStep]](repeating: [.awaitRelease, Self.given], count: 32)
        let apps: (UInt16) -> String = { port in
            #"""
            ,{"app_id":"post","help_desk":"sendbird","keys":[{"id":3,"secret":{"file":"secrets/app-2.key"}}],
              "sendbird":{"chat_token":{"env":"POST_CHAT"},"desk_token":{"env":"POST_DESK"},
               "chat_url":"http://127.0.0.1:\#(port)","session_tokens":{}},"notifiers":["sendbird"]}
            """#
        }
        try fixture.withService(.requests(hanging + [[Self.given]]), apps: apps) { (service, sendbird) throws in
            let waiting = try (1...40).map { try service.beginSession(SessionFixture.body(user: "user-\($0)")) }
            #expect(sendbird.waitForRequests(32))
            for number in 1...5 {
                #expect(try service.session(SessionFixture.body(user: "user-\(number)", app: "post", secret: 2)).status == 200)
                #expect(sendbird.requests.count == 32 + number)
            }
            sendbird.release(32)
            for client in waiting { #expect(try client.readResponse().status == 200) }
        }
    }

    /// The maximum number of calls for tokens hang. Calls to Desk for a channel's owner must still be sent.
    @Test func `hanging calls leave room for webhooks`() throws {
        let desk = try ScriptedServer(.everyRequest(.respond(200, body: #"{"count":0,"results":[]}"#)))
        defer { desk.stop() }
        try fixture.withService(.everyConnection(.readRequest, .hang), desk: desk.url("")) { (service, sendbird) throws in
            let waiting = try (1...257).map { try service.beginSession(SessionFixture.body(user: "user-\($0)")) }
            let refused = #"{app="shop",result="unavailable"} 1"#
            #expect(eventually { (try? service.metricLines("deskgate_session_token_requests_total").contains(refused)) == true })
            let body = SendbirdBody.message().replacing(#""app_id":"APP""#, with: #""app_id":"shop""#)
            #expect(try service.chatWebhook(body).status == 200)
            #expect(desk.requests.count == 1)
            sendbird.stop()
            withExtendedLifetime(waiting) {}
        }
    }

    @Test func `is unavailable while Sendbird is unavailable`() throws {
        try fixture.withService(.everyRequest(.respond(503))) { (service, _) throws in
            for _ in 1...2 {
                let response = try service.session(SessionFixture.body())
                #expect(response.status == 503)
                #expect(response.headers["retry-after"] == "5")
            }
        }
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService(.everyRequest(Self.given), port: closed.port) { (service, _) throws in
            #expect(try service.session(SessionFixture.body()).status == 503)
        }
    }

    @Test func `denies like authorization`() throws {
        let shadow = #""shadow_until":\#(TestTime.now.rawValue + 1000),"#
        for members in ["", shadow] {
            try fixture.withService(.everyRequest(Self.given), members: members) { (service, sendbird) throws in
                let denied = try [
                    SessionFixture.body(secret: 2), SessionFixture.body(issuedAt: TestTime.now + 3600),
                    SessionFixture.body(app: "bank", secret: 3), SessionFixture.body(app: "nobody"),
                ]
                for body in denied { #expect(try service.session(body).status == 403) }
                #expect(try service.session(Array("{}".utf8)).status == 400)
                #expect(try service.session(Array(#"{"app_id":"shop","user_id":"u","security_key":"x"}"#.utf8)).status == 400)
                let short = try SessionFixture.body(user: "user-2", life: 10)
                fixture.pass(milliseconds: 11_000)
                #expect(try service.session(short).status == 403, "clocks may differ, but there is no token that has ended")
                fixture.pass(milliseconds: 60_000)
                #expect(try service.session(short).status == 403)
                #expect(sendbird.requests.isEmpty)
            }
        }
    }

    @Test func `tries the former API token too`() throws {
        let refused = ScriptedStep.respond(401, body: #"{"error":true,"code":400401}"#)
        try fixture.withService(.requests([[refused], [Self.given]])) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 200)
            #expect(sendbird.requests.map { $0.header("Api-Token") } == [TestSecret.text(31), TestSecret.text(32)])
        }
        try fixture.withService(.everyRequest(refused)) { (service, _) throws in
            #expect(try service.session(SessionFixture.body()).status == 503)
            #expect(try fixture.log.text().contains("a help desk refuses the API token"))
        }
    }

    @Test(arguments: ["/v1/users/block", "/v1/users/sign-out", "/v1/revocations", "/v1/users/forget"])
    func `ends with a revocation`(_ path: String) throws {
        try fixture.withService(.everyRequest(Self.given)) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 200)
            fixture.pass(milliseconds: 10_000)
            #expect([200, 201].contains(try service.operate(path).status))
            #expect(try service.session(SessionFixture.body()).status == 403)
            #expect(sendbird.waitForRequests(2))
            #expect(Self.targets(sendbird) == ["POST /v3/users/user-1/token", "DELETE /v3/users/user-1/token"])
            // A later key, or any key after the block, gets nothing of the former token.
            guard path != "/v1/users/forget", path != "/v1/revocations" else { return }
            if path == "/v1/users/block" { #expect(try service.operate("/v1/users/unblock").status == 200) }
            // A call that is running when the relay gets the revocation would be made once more.
            #expect(eventually { (try? fixture.log.text().contains("delivery attempt")) == true })
            fixture.pass(milliseconds: 2000)
            #expect(try service.session(SessionFixture.body(issuedAt: TestTime.now + 12)).status == 200)
            #expect(Self.targets(sendbird).dropFirst(2) == ["POST /v3/users/user-1/token"])
        }
    }

    @Test(arguments: ["/v1/users/block", "/v1/users/forget"]) func `a revocation ends a running call`(_ path: String) throws {
        try fixture.withService(.requests([[.awaitRelease, Self.given], [.respond(200)]])) { (service, sendbird) throws in
            let client = try service.beginSession(SessionFixture.body())
            #expect(sendbird.waitForRequests(1))
            #expect(try service.operate(path).status == 200)
            sendbird.release()
            #expect(try client.readResponse().status == 403)
            // One for the revocation, and one for the token that was issued after it.
            #expect(sendbird.waitForRequests(3))
            #expect(Self.targets(sendbird).dropFirst() == ["DELETE /v3/users/user-1/token", "DELETE /v3/users/user-1/token"])
        }
    }

    /// Sendbird issues the token late, after another replica has revoked the user's tokens.
    @Test func `a late token ends with the revocation of another replica`() throws {
        try fixture.withService(.requests([[.awaitRelease, Self.given], [.respond(200)]])) { (service, sendbird) throws in
            let client = try service.beginSession(SessionFixture.body())
            #expect(sendbird.waitForRequests(1))
            fixture.pass(milliseconds: 6000)
            sendbird.release()
            #expect(try client.readResponse().status == 200)
            try service.graph.store.revoke(.sample(1, appID: "shop", .user("user-1"), issuedBefore: TestTime.now + 1))
            service.graph.revocations.refresh()
            #expect(sendbird.waitForRequests(2))
            #expect(Self.targets(sendbird).last == "DELETE /v3/users/user-1/token")
        }
    }

    @Test(arguments: [("a/b", "a%2Fb"), ("%2f", "%252f"), ("ю", "%D1%8E"), ("..", nil), (".", nil), ("...", "...")] as [(String, String?)])
    func `an ID cannot leave its place in the address`(_ user: String, _ target: String?) throws {
        try fixture.withService(.everyRequest(Self.given)) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body(user: user)).status == (target == nil ? 400 : 200))
            #expect(Self.targets(sendbird) == (target.map { ["POST /v3/users/\($0)/token"] } ?? []))
        }
    }

    /// Also if the company's backend mints a key for such a user: a session token of support can read every conversation.
    @Test(
        arguments: [
            ("sendbird_desk_agent_id_1", 400), ("sendbird_desk_agent_id_", 400), ("Sendbird_Desk_Agent_ID_1", 400),
            ("SENDBIRD_DESK_AGENT_ID_1", 400), ("sendbird_desk_agent_id_\u{301}", 400), ("sendbird_desk_agent", 200),
            ("a_sendbird_desk_agent_id_1", 200),
        ] as [(String, Int)])
    func `is never issued for support`(_ user: String, _ status: Int) throws {
        try fixture.withService(.everyRequest(Self.given)) { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body(user: user)).status == status)
            #expect(sendbird.requests.isEmpty == (status == 400), "Sendbird is not asked")
        }
    }

    @Test func `rejects an ID that Sendbird does not accept`() throws {
        let tooLong = ScriptedStep.respond(400, body: #"{"error":true,"code":400110,"message":"too long"}"#)
        try fixture.withService(.everyRequest(tooLong)) { (service, _) throws in
            #expect(try service.session(SessionFixture.body()).status == 400)
        }
    }

    @Test func `is off by default`() throws {
        try fixture.withService(.everyRequest(Self.given), sessions: "") { (service, sendbird) throws in
            #expect(try service.session(SessionFixture.body()).status == 404)
            #expect(try service.session(SessionFixture.body(secret: 2)).status == 403, "strangers do not learn of it")
            #expect(sendbird.requests.isEmpty)
        }
    }

    @Test func `prints no secret`() throws {
        let metrics = try fixture.withService(.requests([[Self.given], [.respond(500, body: "session-secret")]])) { (service, _) throws in
            #expect(try service.session(SessionFixture.body(user: "user-secret")).status == 200)
            #expect(try service.session(SessionFixture.body(user: "user-secret")).status == 200)
            #expect(try service.session(SessionFixture.body(user: "user-other")).status == 503)
            #expect(try service.session(SessionFixture.body(secret: 2)).status == 403)
            #expect(try service.operate("/v1/users/block", user: "user-secret").status == 200)
            return try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
                .send(to: SocketClient(service.adminAddress)).text
        }
        let log = try fixture.log.text()
        for secret in SessionFixture.secrets + ["user-secret", "user-other", "dgk1."] {
            #expect(!log.contains(secret))
            #expect(!metrics.contains(secret))
        }
        for result in ["issued", "kept", "unavailable", "denied"] {
            #expect(metrics.contains(#"deskgate_session_token_requests_total{app="shop",result="\#(result)"} 1"#))
        }
        #expect(metrics.contains(#"deskgate_help_desk_requests_total{app="shop",request="issue_session_token",outcome="success"} 1"#))
        #expect(metrics.contains(#"deskgate_help_desk_request_duration_seconds_count{app="shop"} 2"#))
        #expect(log.contains("customer's call route=/sendbird/session-token"))
        #expect(log.contains("status_500"))
    }
}
