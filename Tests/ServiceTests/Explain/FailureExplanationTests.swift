import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Core
@testable import HelpDesk
@testable import Service

/// Explanations of a user whose latest request was neither allowed nor denied (`GET /v1/explain`).
@Suite struct FailureExplanationTests {
    private static let at = "2026-03-10T08:15:12.000Z"

    private static func explain(_ service: RunningService, user: String = "user-1", more: String = "") throws -> JSONValue {
        let path = "/v1/explain?app_id=shop&user_id=\(user)\(more)"
        let answer = try ExchangeCase(
            name: path, method: .get, path: path, headers: AdminCases.authorization, status: 200, answer: ""
        ).send(to: SocketClient(service.adminAddress))
        return try #require(JSONValue(parsing: Array(answer.text.utf8)))
    }

    private static func send(_ service: RunningService, path: String, body: [UInt8]) throws -> Int {
        try ExchangeCase(name: path, path: path, body: body, status: 200, answer: "").send(to: SocketClient(service.publicAddress)).status
    }

    private static func open(_ service: RunningService, user: String) throws -> Int {
        try send(service, path: "/pyrus/authorize", body: BackendCaller.body(user: user))
    }

    private static func register(_ service: RunningService, user: String) throws -> Int {
        try send(service, path: "/pyrus/push-token", body: BackendCaller.body(BackendCaller.pushToken, user: user))
    }

    private static func known(_ failure: AuthorizationFailure) -> AuthorizationFacts {
        var recent = RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: TestTime.now)
        let user = KeyedDigest(low: 1, high: 2)
        recent.record(failure, of: user)
        return .known(
            KnownAuthorizations(startedAt: TestTime.now, completeSince: TestTime.now, history: recent.history(of: user)))
    }

    /// A failure after a limit that allows the next registration in so many seconds.
    static func limited(seconds: UInt64) -> AuthorizationFacts {
        known(AuthorizationFailure(.limited(.user), at: TestTime.now, nextAt: TestTime.now + seconds))
    }

    @Test(arguments: BackendCaller.routes) func `a user about whom the backend could not decide`(_ path: String) throws {
        try BackendFixture().withService(.requests([[.respond(500)], [.respond(200)]])) { (service, _) throws in
            #expect(try service.ask(path).status == 503)
            let undecided = try Self.explain(service)
            #expect(undecided["outcome"] == "problem")
            let finding = try #require(undecided["finding"]?.text)
            let text = "This user's latest request was answered 503 at \(Self.at), which is no denial: the decision failed (backend_status)"
            #expect(finding.hasPrefix(text), "\(finding)")
            #expect(finding.contains("The last call to http"))
            #expect(undecided["remedy"]?.text?.hasPrefix("Have the backend of apps[].verify.url answer 2xx") == true)
            #expect(try Self.explain(service, user: "user-2")["outcome"] == "ok")
            let key = try Self.explain(service, more: "&security_key=\(TestKey().text())")
            #expect(key["finding"]?.text?.contains(text) == true, "\(key)")
            #expect(try service.ask(path).status == 200)
            let steps = try #require(Self.explain(service)["steps"]?.elements)
            #expect(!steps.contains { $0["text"]?.text?.contains("answered 503 at") == true })
        }
    }

    @Test func `a user since whose request the backend has decided again`() throws {
        try BackendFixture().withService(.requests([[.respond(500)], [.respond(200)], [.respond(500)]])) { (service, _) throws in
            #expect(try service.ask().status == 503)
            #expect(try service.ask(user: "user-2").status == 200)
            let repaired = try Self.explain(service)
            #expect(repaired["outcome"] == "ok")
            let finding = repaired["finding"]?.text ?? ""
            #expect(finding.hasPrefix("Nothing keeps this user out"), "\(finding)")
            #expect(finding.contains(" Since then the backend has decided again: have the person try again."), "\(finding)")
            #expect(!finding.contains("The last call"), "\(finding)")
            #expect(try service.ask(user: "user-3").status == 503)
            #expect(try Self.explain(service)["outcome"] == "problem", "it fails again")
        }
    }

    @Test(arguments: UndecidedReason.allCases) func `a backend that decides again ends its own failures alone`(_ reason: UndecidedReason)
        throws
    {
        let facts = Self.known(AuthorizationFailure(.undecided(reason), at: TestTime.now))
        var key = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        key.backendStatus = BackendStatus(
            breaker: .working, limitsNewKeys: false, lastFailure: BackendFailure(.backendTimeout, isOver: true))
        key.storeProblem = "away"
        let step = try #require(facts.steps(key).first)
        #expect(step.outcome == (reason.isOfFailedCalls ? .note : .problem))
        #expect((facts.refusal(key) == nil) == reason.isOfFailedCalls)
        #expect(step.text.isTranslated)
        #expect(step.remedy?.isTranslated == true)
    }

    @Test func `a store that answers again ends the failures of revocations that were unknown`() throws {
        let facts = Self.known(AuthorizationFailure(.undecided(.revocationsUnknown), at: TestTime.now))
        let key = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        let step = try #require(facts.steps(key).first)
        #expect(step.outcome == .note)
        #expect(step.text.english.hasSuffix(" Since then the store answers again: have the person try again."))
        #expect(step.text.isTranslated)
        #expect(facts.refusal(key) == nil)
    }

    @Test(arguments: [LimitRule.Scope.device, .app]) func `a user whose device registers too often`(_ scope: LimitRule.Scope) throws {
        let limits = #"[{"per":"\#(scope.rawValue)","max":1,"window_seconds":300}]"#
        let fixture = try ServiceFixture(members: #""log":{},"push_tokens":{"limits":\#(limits)}"#)
        try fixture.withService { service throws in
            #expect(try Self.register(service, user: "user-1") == 200)
            #expect(try Self.register(service, user: "user-2") == 429)
            let limited = try Self.explain(service, user: "user-2")
            #expect(limited["outcome"] == "problem")
            let text = "The latest registration of this user's device was answered 429 at \(Self.at), by push_tokens.limits "
            let finding = try #require(limited["finding"]?.text)
            #expect(finding.hasPrefix("Nothing keeps this user out"), "a limit of registrations keeps nobody out of the chat")
            let next = "; the next is allowed at 2026-03-10T08:20:12.000Z."
            #expect(finding.hasSuffix("But: \(text)(limit_\(scope.rawValue))\(next)"), "\(finding)")
            #expect(limited["remedy"]?.text?.contains("raise the limit in push_tokens.limits") == true)
            let key = try Self.explain(service, user: "user-2", more: "&security_key=\(TestKey(user: "user-2").text())")
            #expect(key["outcome"] == "note", "a good key does not hide that the device is refused")
            #expect(key["finding"]?.text?.contains(" But: \(text)") == true, "\(key)")
            let device = try Self.explain(service, user: "user-2", more: "&device_id=6E1D3B2A-0C55-4C57-9C0B-8F6A8E1F0A11")
            let wait = "Wait until 2026-03-10T08:20:12.000Z: push_tokens.limits allow no registration before."
            #expect((device["remedy"]?.text?.hasPrefix(wait) == true) == (scope == .device), "\(device)")
            #expect(try Self.open(service, user: "user-2") == 200)
            let steps = try #require(Self.explain(service, user: "user-2")["steps"]?.elements)
            #expect(!steps.contains { $0["text"]?.text?.contains("429 at") == true })
        }
        #expect(try fixture.log.lines().contains { $0.contains("reason=limit_\(scope.rawValue)") })
    }

    @Test func `a limit that was raised is no problem`() throws {
        func json(_ max: Int) -> String {
            ServiceFixture.json(members: #""log":{},"push_tokens":{"limits":[{"per":"app","max":\#(max),"window_seconds":300}]}"#)
        }
        let fixture = try ServiceFixture(json: json(1))
        try fixture.withService { service throws in
            #expect(try Self.register(service, user: "user-1") == 200)
            #expect(try Self.register(service, user: "user-2") == 429)
            #expect(try Self.explain(service, user: "user-2")["outcome"] == "problem")
            try fixture.directory.scratch.write("config.json", json(2))
            #expect(service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) })
            let past = try Self.explain(service, user: "user-2")
            #expect(past["outcome"] == "ok")
            let text = "was answered 429 at \(Self.at), before push_tokens.limits were changed (limit_app)."
            let step = past["steps"]?.elements.first { $0["text"]?.text?.hasSuffix(text) == true }
            #expect(step?["outcome"] == "note", "\(past)")
        }
    }

    @Test func `a failure of a limit that was lifted is translated`() throws {
        let rule = LimitRule(per: .user, max: 1, windowMilliseconds: 300_000)
        var key = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        key.isWithoutDevice = true
        let failure = AuthorizationFailure(LimitRefusal(rule, until: TestTime.now.milliseconds + 1000), at: TestTime.now)
        let step = try #require(Self.known(failure).reservations(key).first)
        #expect(step.outcome == .note)
        #expect(step.text.isTranslated)
        #expect(step.remedy?.isTranslated == true)
        key.limits = [rule]
        #expect(Self.known(failure).reservations(key).first?.outcome == .problem)
    }

    @Test func `a limit is no problem of a user whose device is registered`() throws {
        let limits = #"[{"per":"user","max":1,"window_seconds":300}]"#
        try ServiceFixture(members: #""log":{},"push_tokens":{"limits":\#(limits)}"#).withService { service throws in
            #expect(try Self.register(service, user: "user-1") == 200)
            let other = try PushTokenCases.kit(["instance_id": "\"other\""], token: String(repeating: "0bF9MARK", count: 8))
            #expect(try Self.send(service, path: "/pyrus/push-token", body: other) == 429)
            for more in ["", "&security_key=\(try TestKey().text())"] {
                let limited = try Self.explain(service, more: more)
                #expect(limited["finding"]?.text?.contains("429") == false, "\(limited)")
                let step = limited["steps"]?.elements.first { $0["text"]?.text?.contains("was answered 429") == true }
                #expect(step?["outcome"] == "note")
            }
        }
    }

    @Test(
        arguments: [(true, 1, .problem), (false, 1, .note), (true, 0, .note)] as [(Bool, UInt64, Explanation.Outcome)])
    func `a limit is a problem of a user without a device while it lasts`(
        _ isWithoutDevice: Bool, seconds: UInt64, outcome: Explanation.Outcome
    ) throws {
        var key = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        key.isWithoutDevice = isWithoutDevice
        let step = try #require(Self.limited(seconds: seconds).reservations(key).first)
        #expect(step.outcome == outcome)
        #expect(step.text.english.contains("the next is allowed") == (seconds > 0))
        #expect(step.text.isTranslated)
        #expect(step.remedy?.isTranslated == true)
    }

    @Test func `an reason is translated`() throws {
        let facts = Self.known(AuthorizationFailure(.undecided(.internalError), at: TestTime.now))
        let key = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        let step = try #require(facts.steps(key).first)
        #expect(step.outcome == .problem)
        #expect(step.text.isTranslated)
        #expect(step.remedy?.isTranslated == true)
        #expect(!facts.hasNoRefusal)
        #expect(facts.recovery(key) == nil)
    }
}
