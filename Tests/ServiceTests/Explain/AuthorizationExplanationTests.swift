import Crypto
import HTTPServer
import JSON
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Core
@testable import HelpDesk
@testable import Service

/// Explanations of a user whose requests were denied or allowed (`GET /v1/explain`).
@Suite struct AuthorizationExplanationTests {
    private static let members = #""log":{},"security_keys":{"longest_life_seconds":7776000}"#
    private static let at = "2026-03-10T08:15:12.000Z"

    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture(members: Self.members)
    }

    private struct Answer {
        let outcome, finding: String
        let remedy: String?
        /// The steps for the user's requests.
        let steps: [JSONValue]
        let text: String
    }

    private func admin(_ service: RunningService, _ head: String, body: String = "") throws -> ReceivedResponse {
        let client = try SocketClient(service.adminAddress)
        try client.send(
            "\(head) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ServiceFixture.token)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    private func explain(_ service: RunningService, user: String = "user-1", more: String = "") throws -> Answer {
        let response = try admin(service, "GET /v1/explain?user_id=\(user)\(more)")
        let json = try JSONDocument(parsing: response.body.span).value()
        return Answer(
            outcome: json["outcome"]?.text ?? "", finding: json["finding"]?.text ?? "", remedy: json["remedy"]?.text,
            steps: json["steps"]?.elements.filter { $0["step"]?.text == "authorization" } ?? [], text: response.text)
    }

    private func post(_ service: RunningService, _ key: TestKey, path: String = "/pyrus/authorize") throws -> Int {
        let body = try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
        let client = try SocketClient(service.publicAddress)
        try client.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        return try client.readResponse().status
    }

    private static let denied: [String: (phrase: String, remedy: String)] = [
        "wrong_mac": (
            "wrong signature (wrong_mac) with the key id 1",
            "Check in this order: the file's keys are in force (deskgate config show --diff); the user_id is byte for byte"
        ),
        "unknown_key": ("unknown key id (unknown_key)", "Either the secret has left the configuration"),
        "issued_in_future": ("issued in the future (issued_in_future) with the key id 1", "Set the clock of the machine"),
        "expired": ("key expired (expired) with the key id 1", "Have the app fetch a new key from its backend"),
        "too_old": ("key too old (too_old) with the key id 1", "Have the app fetch a new key from its backend"),
    ]

    private static func key(_ reason: String) -> TestKey {
        let now = TestTime.now
        return switch reason {
        case "wrong_mac": TestKey(secret: 9)
        case "unknown_key": TestKey(keyID: 3, secret: 3)
        case "issued_in_future": TestKey(issuedAt: now + 61)
        case "expired": TestKey(issuedAt: now - 100, expiresAt: now - 61)
        default: TestKey(issuedAt: now - 7_776_061)
        }
    }

    @Test(arguments: denied.keys.sorted()) func `reports the reason of a denial`(reason: String) throws {
        let (phrase, remedy) = try #require(Self.denied[reason])
        try fixture.withService { (service) throws in
            for _ in 0..<4 { #expect(try post(service, Self.key(reason)) == 403) }
            let denied = try explain(service)
            #expect(denied.outcome == "problem")
            #expect(denied.finding == "This user was denied 4 times in ten minutes, last at \(Self.at): \(phrase).")
            #expect(denied.remedy?.hasPrefix(remedy) == true, "\(denied.remedy ?? "")")
            #expect(denied.steps.map { $0["outcome"]?.text } == ["problem"])
            #expect(denied.steps.first?["at"]?.text == Self.at)
            #expect(try post(service, TestKey()) == 200)
            let allowed = try explain(service)
            #expect(allowed.outcome == "ok")
            #expect(allowed.finding.hasPrefix("Nothing keeps this user out"))
            #expect(allowed.finding.hasSuffix("The latest request was allowed, at \(Self.at)."))
            #expect(allowed.steps.map { $0["outcome"]?.text } == ["ok", "note"])
        }
    }

    @Test func `reports one denial and the earlier reasons`() throws {
        try fixture.withService { (service) throws in
            #expect(try post(service, TestKey()) == 200)
            #expect(try post(service, Self.key("expired")) == 403)
            let once = try explain(service)
            #expect(once.finding == "This user was denied once in ten minutes, at \(Self.at): key expired (expired) with the key id 1.")
            #expect(once.steps.map { $0["outcome"]?.text } == ["problem", "note"])
            #expect(once.steps.last?["text"]?.text == "This user was last allowed at \(Self.at) with the key id 1.")
            #expect(try post(service, Self.key("wrong_mac")) == 403)
            let twice = try explain(service)
            #expect(twice.finding.hasPrefix("This user was denied 2 times in ten minutes"))
            #expect(
                twice.steps.last?["text"]?.text
                    == "Before that, this user was denied at \(Self.at): key expired (expired) with the key id 1.")
        }
    }

    @Test(arguments: ["/pyrus/authorize", "/pyrus/push-token"]) func `a malformed key is reported`(_ path: String) throws {
        try fixture.withService { (service) throws in
            let body = try AuthorizeCases.json(["security_key": "\"dgk1.x\""])
            let request = ExchangeCase(name: path, path: path, body: body, status: 400, answer: "")
            #expect(try request.send(to: SocketClient(service.publicAddress)).status == 400)
            let denied = try explain(service)
            #expect(denied.outcome == "problem")
            let reason = "malformed security key, answered 400 (not_a_security_key)."
            #expect(denied.finding == "This user was denied once in ten minutes, at \(Self.at): \(reason)")
            #expect(denied.remedy?.contains("wrapped in quotes") == true)
            #expect(try explain(service, user: "user-2").outcome == "ok")
            #expect(try post(service, TestKey()) == 200)
            #expect(try explain(service).outcome == "ok")
        }
    }

    @Test func `denials of unknown keys do not hide the reason of the user's own`() throws {
        try fixture.withService { (service) throws in
            #expect(try post(service, Self.key("expired")) == 403)
            for keyID in [1, 2, 3] as [UInt32] { #expect(try post(service, TestKey(keyID: keyID, secret: 9)) == 403) }
            let denied = try explain(service)
            #expect(denied.finding.contains("last at \(Self.at): unknown key id (unknown_key). Any client can cause this denial."))
            let own = "This user's own key was last denied at \(Self.at): key expired (expired) with the key id 1."
            #expect(denied.finding.hasSuffix(own))
            #expect(denied.remedy?.hasPrefix("Have the app fetch a new key from its backend") == true)
            #expect(denied.remedy?.contains("Either the secret has left the configuration") == true)
        }
    }

    @Test func `the record in memory answers while the store is unavailable`() throws {
        let store = try DeliveryStore()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        defer {
            graph.backends.close()
            graph.admin.stop()
            graph.store.close()
        }
        var key = TestKey(secret: 9)
        key.issuedAt = TestTime.now - 10
        let body = try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
        #expect(InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: body).status == 403)
        store.refuse(.revocationLists, times: 100)
        let response = InProcessClient(graph.adminRouter).send(.get, "/v1/explain?user_id=user-1", headers: AdminCases.authorization)
        #expect(response.status == 200)
        let answer = try response.object()
        #expect(answer["outcome"]?.text == "problem")
        #expect(answer["finding"]?.text?.hasPrefix("This user was denied once in ten minutes") == true, "\(response.text)")
        #expect(response.text.contains("The revocations could not be read from the store (refused by the test)"))
    }

    @Test func `the record in memory reports that all are denied while the store is unavailable`() throws {
        let store = try DeliveryStore()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        defer {
            graph.backends.close()
            graph.admin.stop()
            graph.store.close()
        }
        let body = try AuthorizeCases.json(["user_id": "\"user-2\"", "security_key": "\"dgk1.x\""])
        for _ in 0..<5 { #expect(InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: body).status == 400) }
        store.refuse(.revocationLists, times: 100)
        let response = InProcessClient(graph.adminRouter).send(.get, "/v1/explain?user_id=user-1", headers: AdminCases.authorization)
        let answer = try response.object()
        #expect(answer["outcome"]?.text == "problem")
        #expect(answer["finding"]?.text?.hasPrefix("5 authorizations within 10 minutes were malformed") == true, "\(response.text)")
        #expect(answer["remedy"]?.text?.contains("wrapped in quotes") == true)
        #expect(response.text.contains("The revocations could not be read from the store (refused by the test)"))
    }

    @Test func `reports a revoked key`() throws {
        try fixture.withService { (service) throws in
            let revocation = #"{"app_id":"shop","security_key":"\#(try TestKey().text())"}"#
            #expect(try admin(service, "POST /v1/revocations", body: revocation).status == 201)
            #expect(try post(service, TestKey()) == 403)
            let denied = try explain(service)
            #expect(denied.outcome == "problem")
            #expect(denied.finding.hasSuffix("key revoked or user blocked (revoked) with the key id 1."), "\(denied.finding)")
            #expect(denied.remedy?.contains("deskgate revocations list --all") == true)
            #expect(denied.remedy?.contains("deskgate revocations remove ID") == true)
            #expect(denied.text.contains("revocations of single keys do not name their users"))
            #expect(try post(service, TestKey(salt: 8)) == 200)
            #expect(try explain(service).outcome == "ok")
        }
    }

    @Test func `status reports a revoked key that mints`() throws {
        try fixture.withService { (service) throws in
            let minting = try #require(service.graph.helpDeskState.current.authorizer.applications.first?.mintingKey(at: Self.now))
            #expect(try !ClosedChatTests.kinds(service).contains("app_key_ends"))
            let revocation = #"{"app_id":"shop","key_id":\#(minting.id)}"#
            #expect(try admin(service, "POST /v1/revocations", body: revocation).status == 201)
            #expect(try ClosedChatTests.kinds(service).contains("app_key_ends"))
        }
    }

    /// The revocation of one key does not name the user.
    @Test func `a sign-out does not hide that the key itself is revoked`() throws {
        try fixture.withService { (service) throws in
            let earlier = #"{"app_id":"shop","user_id":"user-1","issued_before":\#(TestTime.now - 9000)}"#
            #expect(try admin(service, "POST /v1/revocations", body: earlier).status == 201)
            let single = #"{"app_id":"shop","security_key":"\#(try TestKey().text())"}"#
            #expect(try admin(service, "POST /v1/revocations", body: single).status == 201)
            #expect(try post(service, TestKey()) == 403)
            let remedy = try explain(service).remedy
            let command = "the key itself may be revoked: deskgate explain --app shop --user user-1 --key - shows the revocation"
            #expect(remedy?.contains(command) == true, "\(remedy ?? "")")
        }
    }

    @Test func `the remedy for a forgotten user is not to try again`() throws {
        try fixture.withService { (service) throws in
            let person = #"{"app_id":"shop","user_id":"user-1"}"#
            #expect(try admin(service, "POST /v1/users/sign-out", body: person).status == 200)
            #expect(try admin(service, "POST /v1/users/forget", body: person).status == 200)
            #expect(try post(service, TestKey()) == 403)
            let forgotten = try explain(service)
            #expect(forgotten.finding.hasPrefix("This user is denied with any key: forgotten"))
            let remedy = "This cannot be undone. If the person returns, give them another user_id."
            #expect(forgotten.remedy == remedy)
            #expect(forgotten.steps.first?["remedy"]?.text == remedy)
            #expect(!forgotten.text.contains("the key itself may be revoked"))
        }
    }

    /// A sign-out has its own remedy, and a block is reported before all denials.
    @Test func `reports the revocation first`() throws {
        try fixture.withService { (service) throws in
            let person = #"{"app_id":"shop","user_id":"user-1"}"#
            #expect(try admin(service, "POST /v1/users/sign-out", body: person).status == 200)
            #expect(try post(service, TestKey()) == 403)
            #expect(try explain(service).remedy?.hasPrefix("This revocation covers no key that is minted now") == true)
            #expect(try admin(service, "POST /v1/users/block", body: person).status == 200)
            let blocked = try explain(service)
            #expect(blocked.finding.hasPrefix("This user is denied with any key: blocked"))
            #expect(blocked.remedy?.hasPrefix("To let the user in again") == true)
        }
    }

    @Test func `registrations of devices are part of the record`() throws {
        try fixture.withService { (service) throws in
            #expect(try post(service, Self.key("wrong_mac"), path: "/pyrus/push-token") == 403)
            #expect(try explain(service).finding.contains("denied once in ten minutes"))
            // The key is valid, and the request without a device is malformed.
            #expect(try post(service, TestKey(), path: "/pyrus/push-token") == 400)
            #expect(try explain(service).outcome == "ok")
        }
    }

    @Test func `reports the start of the record`() throws {
        try fixture.withService { (service) throws in
            #expect(try post(service, Self.key("wrong_mac")) == 403)
            let other = try explain(service, user: "user-2")
            #expect(other.outcome == "ok")
            #expect(other.steps.map { $0["text"]?.text } == ["No denial of this user is known since the start at \(Self.at)."])
        }
    }

    @Test func `a reload keeps the record and forgetting a user erases it`() throws {
        try fixture.withService { (service) throws in
            #expect(try post(service, Self.key("wrong_mac")) == 403)
            #expect(service.reload { () throws(ConfigurationError) in fixture.configuration })
            #expect(try explain(service).finding.contains("denied once in ten minutes"))
            let forgotten = try admin(service, "POST /v1/users/forget", body: #"{"app_id":"shop","user_id":"user-1"}"#)
            #expect(forgotten.status == 200, "\(forgotten.text)")
            #expect(try explain(service).steps.map { $0["outcome"]?.text } == ["note"])
        }
    }

    /// The earlier records name users by a digest with the former secret, so none could be found or forgotten.
    @Test func `a new secret discards the records of an app`() throws {
        func authorizer(secret: Int) throws -> Authorizer {
            let key = Application.Key(id: 1, secret: try HMACKey(secret: TestSecret.bytes(secret).span))
            return try Authorizer([Application(id: "shop", keys: [key])])
        }
        let clock = Monitor(Self.now)
        let recorder = AuthorizationRecorder { clock.withLock { $0 } }
        let user = KeyedDigest(low: 1, high: 2)
        for app in recorder.records(of: try authorizer(secret: 1)).apps {
            app.withLock { $0.record(.denied(.wrongMac, keyID: 1), of: user, now: Self.now) }
        }
        clock.withLock { $0 = Self.now + 60 }
        _ = recorder.records(of: try authorizer(secret: 1))
        let kept = try #require(recorder.known(appID: "shop", user: user))
        #expect(kept.history?.isDenied == true)
        #expect(kept.completeSince == Self.now)
        _ = recorder.records(of: try authorizer(secret: 2))
        let ended = try #require(recorder.known(appID: "shop", user: user))
        #expect(ended.history == nil)
        #expect(ended.startedAt == Self.now)
        #expect(ended.completeSince == Self.now + 60)
    }

    @Test func `reports no text of a client`() throws {
        let key = try Self.key("wrong_mac").text()
        try fixture.withService { (service) throws in
            #expect(try post(service, Self.key("wrong_mac")) == 403)
            #expect(try !explain(service).text.contains(key.dropFirst(5)))
            #expect(try !explain(service, user: "user-2").text.contains("user-1"))
        }
        let log = try fixture.log.lines().joined(separator: "\n")
        #expect(!log.contains("user-1"))
        #expect(!log.contains(key.dropFirst(5)))
    }

    private static let now = TestTime.now

    static func known(_ verdicts: [Verdict], at: UnixSeconds = now, silentReplicas: Int = 0) -> AuthorizationFacts {
        var recent = RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: now - 9000)
        let user = KeyedDigest(low: 1, high: 2)
        for verdict in verdicts { recent.record(verdict, of: user, now: at) }
        var known = KnownAuthorizations(
            startedAt: now - 9000, completeSince: recent.completeSince, history: recent.history(of: user))
        known.silentReplicas = silentReplicas
        return .known(known)
    }

    @Test func `an old denial is still the latest response`() throws {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        let denial = try #require(Self.known([.denied(.wrongMac, keyID: 1)], at: Self.now - 3600).denial(key))
        #expect(
            denial.text.english
                == "This user was last denied at 2026-03-10T07:15:12.000Z, and has not been allowed since: wrong signature (wrong_mac) with the key id 1."
        )
    }

    @Test(arguments: [false, true]) func `a denial because of a backend failure has its cause`(_ isOver: Bool) throws {
        var key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        key.backend = "https://backend.test"
        key.backendStatus = BackendStatus(
            breaker: isOver ? .working : .failing, limitsNewKeys: false,
            lastFailure: BackendFailure(.backendUnreachable, cause: "cannot_connect", isOver: isOver))
        let facts = Self.known([.denied(.backendUndecided, keyID: 1)])
        let denial = try #require(facts.denial(key))
        #expect(denial.outcome == (isOver ? .note : .problem))
        #expect(denial.text.english.hasSuffix("(cannot_connect).") == !isOver)
        #expect(denial.text.english.contains(" The last call to https://backend.test failed: ") == !isOver)
        #expect(denial.text.english.hasSuffix(" the backend has decided again: have the person try again.") == isOver)
        #expect(denial.text.isTranslated)
        #expect(denial.remedy?.isTranslated == true)
        #expect((facts.refusal(key) == nil) == isOver)
        #expect((facts.recovery(key) == nil) != isOver)
    }

    @Test func `reports a user whom only shadow mode allowed`() throws {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        let facts = Self.known([.denied(.wrongMac, keyID: 1), .shadowed(.wrongMac, keyID: 1)])
        let step = try #require(facts.steps(key).first)
        #expect(step.outcome == .note)
        #expect(step.text.english.hasSuffix(" with the key id 1, only because of the shadow mode."))
        #expect(step.text.isTranslated)
        #expect(facts.recovery(key)?.english.hasSuffix(", only because of the shadow mode.") == true)
        #expect(facts.recovery(key)?.isTranslated == true)
    }

    @Test func `reports that records were evicted`() throws {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        let known = KnownAuthorizations(startedAt: Self.now - 9000, completeSince: Self.now - 60, history: nil)
        let step = try #require(AuthorizationFacts.known(known).steps(key).first)
        #expect(step.text.english.hasPrefix("No denial of this user is known since 2026-03-10T08:14:12.000Z; older records are gone."))
        #expect(step.text.isTranslated)
    }

    @Test(arguments: [(1, "1 other replica did"), (2, "2 other replicas did")]) func `reports silent replicas`(count: Int, text: String)
        throws
    {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        for verdicts in [[], [Verdict.authorized(keyID: 1)], [Verdict.denied(.wrongMac, keyID: 1)]] {
            let step = try #require(Self.known(verdicts, silentReplicas: count).reservations(key).last)
            #expect(step.text.english.hasPrefix(text))
            #expect(step.outcome == .problem)
            #expect(step.text.isTranslated)
            #expect(step.remedy?.isTranslated == true)
        }
    }

    /// The log has the field's name, which is known here.
    @Test(arguments: ValidationError.Problem.allCases) func `a malformed key has the remedy of keys`(_ problem: ValidationError.Problem)
        throws
    {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        let denial = try #require(Self.known([.malformed(ValidationError(.securityKey, problem))]).denial(key))
        #expect(denial.remedy == ValidationError.Problem.notASecurityKey.remedy)
    }

    @Test(arguments: Denial.allCases) func `is translated`(_ denial: Denial) {
        let key = KeyFacts(appID: "shop", userID: "user-1", now: Self.now)
        for keyID in [nil, 1] as [UInt32?] {
            let denied = Verdict.denied(denial, keyID: keyID)
            for verdicts in [
                [denied], [denied, denied], [denied, .authorized(keyID: keyID)], [denied, .denied(.wrongMac, keyID: 1)],
                [denied, .malformed(ValidationError(.securityKey, .empty))], [denied, .undecided(.backendTimeout)], [],
            ] {
                let facts = Self.known(verdicts)
                for step in facts.steps(key) + AuthorizationFacts.unknown.steps(key) {
                    #expect(step.text.isTranslated, "\(step.text.russian)")
                    #expect(step.remedy?.isTranslated != false, "\(step.remedy?.russian ?? "")")
                }
                #expect(facts.recovery(key)?.isTranslated != false)
            }
        }
    }
}
