import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

@Suite struct SessionExplanationTests {
    private static let given = ScriptedStep.respond(200, body: #"{"token":"session-secret"}"#)

    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture()
    }

    private struct Answer {
        let outcome, finding: String
        /// The step for session tokens; nil when there is none.
        let step: JSONValue?
        let text: String
    }

    private func explain(_ service: RunningService, app: String = "shop", user: String = "user-1") throws -> Answer {
        let client = try SocketClient(service.adminAddress)
        try client.send(
            "GET /v1/explain?app_id=\(app)&user_id=\(user) HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(ServiceFixture.token)\r\n\r\n")
        let response = try client.readResponse()
        let json = try JSONDocument(parsing: response.body.span).value()
        return Answer(
            outcome: json["outcome"]?.text ?? "", finding: json["finding"]?.text ?? "",
            step: json["steps"]?.elements.first { $0["step"]?.text == "session_token" }, text: response.text)
    }

    @Test func `reports the cached token`() throws {
        try fixture.withService(.everyRequest(Self.given), sessions: #"{"life_seconds":1000}"#) { (service, _) throws in
            let none = try explain(service)
            #expect(none.outcome == "ok")
            #expect(none.step?["outcome"] == "ok")
            #expect(none.step?["text"]?.text?.hasPrefix("This process keeps no session token of this user.") == true)
            #expect(none.step?["text"]?.text?.contains("for 16 minutes at most") == true, "\(none.text)")
            #expect(try service.session(SessionFixture.body()).status == 200)
            let kept = try explain(service)
            #expect(
                kept.step?["text"]
                    == "The last session token was issued at 2026-03-10T08:15:12.000Z and ends at 2026-03-10T08:31:52.000Z. It is handed out again until a tenth of its life is left."
            )
            #expect(kept.step?["at"] == "2026-03-10T08:15:12.000Z")
            #expect(kept.outcome == "ok")
            #expect(!kept.text.contains("session-secret"))
            // A user of another help desk has none.
            #expect(try explain(service, app: "bank").step == nil)
            // An expired token is not reported as cached.
            fixture.pass(milliseconds: 1_000_000)
            #expect(try explain(service).step?["at"] == .null)
        }
    }

    @Test func `reports why there is no token`() throws {
        let limits = #"{"limits":[{"per":"user","max":1,"window_seconds":60}]}"#
        try fixture.withService(.everyRequest(Self.given), sessions: limits) { (service, _) throws in
            #expect(try service.session(SessionFixture.body(life: 30)).status == 200)
            fixture.pass(milliseconds: 31_000)
            let limited = try explain(service)
            #expect(limited.outcome == "problem")
            #expect(limited.finding.contains("until 2026-03-10T08:16:12.000Z: the limit of 1 in 60 seconds"))
            #expect(limited.step?["remedy"]?.text?.contains("sendbird.session_tokens.limits") == true)
            #expect(try explain(service, user: "user-2").outcome == "ok")
            #expect(try explain(service, user: ".").step?["text"]?.text?.contains("no address at Sendbird") == true)
            #expect(try service.operate("/v1/users/sign-out").status == 200)
            #expect(try explain(service).finding.contains("the limit of 1"))
            fixture.pass(milliseconds: 60_000)
            let signedOut = try explain(service)
            #expect(
                signedOut.outcome == "ok" && signedOut.step?["text"]?.text?.contains("get none (403, revoked)") == true, "\(signedOut.text)"
            )
            #expect(try service.operate("/v1/users/block").status == 200)
            let blocked = try explain(service)
            #expect(blocked.outcome == "problem")
            #expect(blocked.finding.contains("blocked"))
            #expect(blocked.step?["text"]?.text?.hasPrefix("No session token is issued") == true)
        }
    }

    @Test(arguments: ["sendbird_desk_agent_id_1", "Sendbird_Desk_Agent_ID_1"]) func `reports that support gets no token`(_ user: String)
        throws
    {
        try fixture.withService(.everyRequest(Self.given)) { (service, sendbird) throws in
            let support = try explain(service, user: user)
            #expect(support.outcome == "problem")
            #expect(support.finding.contains("an account of support at Sendbird, for which there is no session token (400)"))
            #expect(support.step?["outcome"] == "problem")
            #expect(support.step?["remedy"]?.text?.contains("give the customer another user_id") == true)
            #expect(try explain(service, user: "a_\(user)").outcome == "ok", "only the beginning counts")
            #expect(sendbird.requests.isEmpty)
        }
    }

    @Test func `reports Sendbird's refusals`() throws {
        let tooMany = ScriptedStep.respond(429, headers: ["X-RateLimit-RetryAfter: 7"], body: #"{"error":true,"code":500910}"#)
        try fixture.withService(.everyRequest(tooMany)) { (service, _) throws in
            #expect(try service.session(SessionFixture.body()).status == 429)
            #expect(try explain(service).finding.contains("Sendbird rejects requests beyond its limit: until 2026-03-10T08:15:19.000Z"))
            fixture.pass(milliseconds: 7000)
            #expect(try explain(service).outcome == "ok")
        }
        try fixture.withService(.everyRequest(.respond(401, body: #"{"error":true,"code":400401}"#))) { (service, _) throws in
            #expect(try service.session(SessionFixture.body()).status == 503)
            let refused = try explain(service)
            #expect(refused.finding.contains("refuses the app's API token (chat_token)"))
            #expect(refused.step?["remedy"]?.text?.contains("deskgate check --live") == true)
        }
        try fixture.withService(.everyRequest(Self.given), sessions: "") { (service, _) throws in
            #expect(try explain(service).step?["text"]?.text?.contains("sendbird.session_tokens is not configured") == true)
        }
    }

    private static let statuses: [SessionStatus] = [
        SessionStatus(kept: nil, obstacle: nil),
        SessionStatus(kept: SessionStatus.Kept(obtainedAt: 1, expiresAt: 2), obstacle: nil),
        SessionStatus(kept: nil, obstacle: .limited(LimitRule(per: .app, max: 3, windowMilliseconds: 60_000), until: 7)),
        SessionStatus(kept: nil, obstacle: .throttled(until: 7)), SessionStatus(kept: nil, obstacle: .tokenRefused),
        SessionStatus(kept: nil, obstacle: .noAddress), SessionStatus(kept: nil, obstacle: .supportAccount),
    ]

    @Test func `is translated`() {
        let settings = Configuration.SessionTokens(lifetimeSeconds: 3600, limits: [])
        for facts in [.off, .unknown] + Self.statuses.map({ SessionFacts.known(settings, $0) }) {
            for bound in [nil, TestTime.now] {
                let step = facts.step(countingFrom: bound)
                #expect(step.text.isTranslated && step.remedy?.isTranslated != false, "\(step.text.russian)")
            }
        }
    }
}
