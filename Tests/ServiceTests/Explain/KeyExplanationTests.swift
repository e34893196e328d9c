import Core
import Crypto
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration

@Suite struct KeyExplanationTests {
    private static let now = TestTime.now

    private static func facts(
        _ verdict: Verdict?, issuedAt: UnixSeconds = now - 100, expiresAt: UnixSeconds = 0, shadowUntil: UnixSeconds? = nil,
        mode: VerifyMode = .key, revocations: [Revocation] = []
    ) throws -> KeyFacts {
        let text = try TestKey(issuedAt: issuedAt, expiresAt: expiresAt).text()
        var facts = KeyFacts(appID: "shop", userID: verdict == nil ? nil : "user-1", key: SecurityKey(text.utf8.span), now: now)
        facts.application = Application(
            id: "shop", keys: [Application.Key(id: 1, secret: try HMACKey(secret: TestSecret.bytes(1).span))], shadowUntil: shadowUntil,
            verification: mode)
        facts.policy = KeyPolicy(clockSkewSeconds: 60, maximumLifetimeSeconds: 1000)
        facts.verdict = verdict
        facts.revocations.shared = revocations
        return facts
    }

    @Test(arguments: Denial.allCases) func `every denial is named with its remedy`(_ denial: Denial) throws {
        let block = Revocation.sample(1, appID: "shop", .user("user-1"), reason: "rude")
        let facts = try Self.facts(.denied(denial, keyID: 1), revocations: denial == .revoked ? [block] : [])
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.hasPrefix("Authorization answers 403 (\(denial.rawValue)): "))
        #expect(explanation.finding.english.hasSuffix("."))
        #expect(!explanation.finding.english.contains("  "))
        #expect(explanation.remedy?.english.hasSuffix(".") == true)
        #expect(explanation.remedy == (denial == .revoked ? block.remedy(at: 0) : denial.remedy(facts)))
        let failed = try #require(explanation.steps.last)
        #expect(failed.outcome == .problem)
        #expect(failed.subject == denial.check.subject)
        // What was asked before has passed, in the order in which it is asked.
        #expect(explanation.steps.dropLast().map(\.subject) == KeyCheck.allCases.filter { $0 < denial.check }.map(\.subject))
        #expect(explanation.steps.dropLast().allSatisfy { $0.outcome == .ok && $0.remedy == nil })
    }

    @Test func `a revocation that is not found may have been removed`() throws {
        let remedy = Denial.revoked.remedy(try Self.facts(.denied(.revoked, keyID: 1)))
        #expect(remedy.english.hasPrefix("If its revocation was removed since then, the next request is allowed."))
        #expect(remedy.russian.hasPrefix("Если отзыв с тех пор снят, следующий запрос примут."))
    }

    /// Each denial has words of its own, so that none stands for another.
    @Test func `no two denials are the same`() throws {
        let all = try Denial.allCases.map { denial in
            let facts = try Self.facts(.denied(denial, keyID: 1))
            return (denial.sentence(facts) + denial.remedy(facts)).english
        }
        #expect(Set(all).count == Denial.allCases.count)
    }

    @Test func `times are reported`() throws {
        let future = try Self.facts(.denied(.issuedInFuture, keyID: 1), issuedAt: Self.now + 300)
        #expect(Explanation(future).finding.english.contains("2026-03-10T08:20:12.000Z, which is 5 minutes ahead of this machine's clock"))
        let expired = try Self.facts(.denied(.expired, keyID: 1), expiresAt: Self.now - 7200)
        #expect(Explanation(expired).finding.english.contains("expired at 2026-03-10T06:15:12.000Z, 2 hours ago"))
        #expect(Explanation(expired).remedy?.english.contains("If new keys are denied too, compare the clock of this machine") == true)
        let old = try Self.facts(.denied(.tooOld, keyID: 1), issuedAt: Self.now - 86_400 * 3)
        #expect(Explanation(old).finding.english.contains("3 days ago, and keys of this app may be 16 minutes old"))
        let never = try Self.facts(.authorized(keyID: 1))
        #expect(Explanation(never).steps.contains { $0.subject == .life && $0.text.english.hasSuffix("and never expires.") })
    }

    @Test func `what is allowed is fine`() throws {
        let explanation = Explanation(try Self.facts(.authorized(keyID: 1)))
        #expect(explanation.outcome == .ok)
        #expect(explanation.remedy == nil)
        #expect(explanation.steps.map(\.subject) == [.key, .app, .keyID, .signature, .life, .revocations])
        #expect(explanation.steps.allSatisfy { $0.outcome == .ok })
    }

    private static let mostDenied = Problem(
        .nearlyAllDenied, of: "shop", LocalizedText("Nearly all users are denied.", "Почти никого не пускают."),
        remedy: LocalizedText("Compare the secrets.", "Сравните секреты."))

    @Test(
        arguments: [
            (.authorized(keyID: 1), .serviceDown("deskgate serve"), .problem),
            (.unconfirmed(keyID: nil), .serviceDown("deskgate serve"), .problem),
            (.authorized(keyID: 1), .serviceElsewhere("deskgate serve"), .note), (.authorized(keyID: 1), mostDenied, .note),
            (.unconfirmed(keyID: nil), mostDenied, .problem),
        ] as [(Verdict, Problem, Explanation.Outcome)])
    func `a key is not well while the chat is closed`(_ verdict: Verdict, problem: Problem, outcome: Explanation.Outcome) throws {
        var facts = try Self.facts(verdict, mode: .backend)
        let open = Explanation(facts)
        facts.closing = ChatClosure([problem])
        let closed = Explanation(facts)
        #expect(closed.outcome == outcome)
        #expect(closed.finding.english == "\(open.finding.english) But: \(problem.text.english)")
        #expect(closed.finding.isTranslated)
        #expect(closed.remedy == problem.remedy)
        #expect(closed.steps.last?.text == problem.text)
    }

    private static let otherKeys = Problem(
        .replicaKeys, LocalizedText("Other keys are in force in b.", "В b действуют другие ключи."),
        remedy: LocalizedText("Reload b.", "Перечитайте настройки b."))

    @Test(arguments: [(Denial.unknownKey, Explanation.Outcome.problem), (.expired, .ok)])
    func `a key is not well while another replica denies the user`(_ denial: Denial, _ outcome: Explanation.Outcome) throws {
        var facts = try Self.facts(.authorized(keyID: 1))
        facts.closing = ChatClosure([Self.otherKeys])
        #expect(Explanation(facts).outcome == .ok)
        #expect(Explanation(facts).steps.last?.outcome == .note)
        #expect(Explanation(facts).steps.last?.text == Self.otherKeys.text)
        facts.authorizations = AuthorizationExplanationTests.known([.denied(denial, keyID: nil), .authorized(keyID: 1)])
        #expect(Explanation(facts).outcome == outcome)
        #expect(Explanation(facts).remedy == (outcome == .problem ? Self.otherKeys.remedy : nil))
    }

    @Test func `a replica that does not know a key may need a reload`() throws {
        var facts = try Self.facts(.denied(.unknownKey, keyID: 1))
        let reload = "copy the configuration and the secrets here and run deskgate reload"
        #expect(!Denial.unknownKey.remedy(facts).english.contains(reload))
        facts.closing = ChatClosure([Self.otherKeys])
        #expect(Denial.unknownKey.remedy(facts).english.contains(reload))
        #expect(Denial.unknownKey.remedy(facts).isTranslated)
    }

    @Test func `a key that is denied is reported before why the chat is closed`() throws {
        var facts = try Self.facts(.denied(.wrongMac, keyID: 1))
        let open = Explanation(facts)
        facts.closing = ChatClosure([.serviceDown("deskgate serve")])
        let closed = Explanation(facts)
        #expect(closed.finding.english == "\(open.finding.english) The service does not run.")
        #expect(closed.remedy == open.remedy)
    }

    @Test func `a good key of a user who was denied lately`() throws {
        var facts = try Self.facts(.authorized(keyID: 1))
        facts.authorizations = AuthorizationExplanationTests.known([.denied(.expired, keyID: 1)])
        facts.reference = "u-1"
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .note)
        let start = "Authorization answers 200: this key is allowed now. But: This user was denied once in ten minutes"
        #expect(explanation.finding.english.hasPrefix(start))
        #expect(explanation.finding.isTranslated)
        #expect(explanation.remedy == Denial.expired.remedy(facts))
        #expect(explanation.steps.last?.references.map(\.text) == ["u-1"])
        #expect(explanation.steps.last?.remedy?.english == "Search the log for user_ref u-1.")
    }

    @Test func `a good key of a user of whom another replica may know more`() throws {
        var facts = try Self.facts(.authorized(keyID: 1))
        facts.authorizations = AuthorizationExplanationTests.known([.authorized(keyID: 1)], silentReplicas: 1)
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .note)
        #expect(explanation.finding.english.contains(" But: 1 other replica did not answer in time"))
    }

    @Test func `the log is not searched where no denial is known`() throws {
        var facts = try Self.facts(.authorized(keyID: 1))
        facts.authorizations = AuthorizationExplanationTests.known([.authorized(keyID: 1)])
        facts.reference = "u-1"
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .ok)
        #expect(explanation.steps.last?.references.map(\.text) == ["u-1"])
        #expect(explanation.steps.last?.remedy == nil)
    }

    @Test func `shadow mode is no permission`() throws {
        let explanation = Explanation(try Self.facts(.shadowed(.wrongMac, keyID: 1), shadowUntil: Self.now + 60))
        #expect(explanation.outcome == .note)
        #expect(
            explanation.finding.english.contains(
                "only because of the app's shadow mode until 2026-03-10T08:16:12.000Z, then 403 (wrong_mac)"))
        #expect(explanation.steps.map(\.subject) == [.key, .app, .keyID, .signature, .shadowMode])
        #expect(explanation.remedy?.english.hasPrefix("Check in this order") == true)
        let over = Explanation(try Self.facts(.denied(.wrongMac, keyID: 1), shadowUntil: Self.now))
        #expect(over.outcome == .problem)
        #expect(!over.steps.contains { $0.subject == .shadowMode })
    }

    /// Somebody who is blocked is denied in spite of it.
    @Test(arguments: [Denial.revoked, .wrongMac, .expired]) func `shadow mode is none for who is blocked`(_ denial: Denial) throws {
        let block = Revocation.sample(1, appID: "shop", .user("user-1"), reason: "rude")
        let facts = try Self.facts(.denied(denial, keyID: 1), shadowUntil: Self.now + 60, revocations: [block])
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.hasPrefix("Authorization answers 403 (\(denial.rawValue)): "))
        let step = try #require(explanation.steps.first { $0.subject == .shadowMode })
        #expect(step.text.english.contains("except for blocked users"))
    }

    @Test func `the backend is named and not asked`() throws {
        var facts = try Self.facts(.unconfirmed(keyID: 1), mode: .keyAndBackend)
        facts.backend = "https://backend.test"
        let explanation = Explanation(facts)
        #expect(explanation.outcome == .note)
        #expect(explanation.finding.english.contains("(https://backend.test) has the last word"))
        #expect(explanation.steps.last?.subject == .backend)
        facts = try Self.facts(.unconfirmed(keyID: nil), mode: .backend)
        facts.key = nil
        #expect(Explanation(facts).steps.map(\.subject) == [.app, .revocations, .backend])
        facts = try Self.facts(nil, mode: .backend)
        #expect(Explanation(facts).outcome == .note)
        #expect(Explanation(facts).finding.english.contains("backend alone decides"))
    }

    @Test(
        arguments: [
            (.unconfirmed(keyID: nil), .open, false, ["The backend of shop has failed so often"]),
            (.unconfirmed(keyID: nil), .halfOpen, false, ["The backend of shop has failed so often"]),
            (.unconfirmed(keyID: nil), .working, true, ["The backend of shop fails for new keys"]),
            (.unconfirmed(keyID: nil), .open, true, ["The backend of shop has failed so often", "The backend of shop fails for new keys"]),
            (.unconfirmed(keyID: nil), .working, false, []), (.unconfirmed(keyID: nil), .failing, false, []),
            (nil, .working, true, ["The backend of shop fails for new keys"]),
            // The backend would not be asked.
            (.denied(.revoked, keyID: nil), .open, true, []),
        ] as [(Verdict?, BreakerStatus, Bool, [String])])
    func `a backend in trouble is explained`(verdict: Verdict?, breaker: BreakerStatus, limitsNewKeys: Bool, starts: [String]) throws {
        var facts = try Self.facts(verdict, mode: .backend)
        facts.backendStatus = BackendStatus(breaker: breaker, limitsNewKeys: limitsNewKeys)
        let troubles = Explanation(facts).steps.filter { $0.text.english.hasPrefix("The backend of shop") }
        #expect(troubles.count == starts.count)
        #expect(zip(troubles, starts).allSatisfy { $0.text.english.hasPrefix($1) })
    }

    @Test func `the remedy is that of the check that the finding is about`() throws {
        let block = Revocation.sample(1, appID: "shop", .user("user-1"))
        var facts = try Self.facts(.unconfirmed(keyID: nil), mode: .backend, revocations: [block])
        facts.backendStatus = BackendStatus(breaker: .open, limitsNewKeys: false)
        let explanation = Explanation(facts)
        #expect(explanation.finding.english.hasPrefix("Nothing speaks against this key here."))
        #expect(explanation.remedy?.english.hasPrefix("If the chat is denied nevertheless, see backend_denied") == true)
    }

    @Test(arguments: UndecidedReason.allCases) func `every indecision is reported apart from a denial`(_ reason: UndecidedReason) throws {
        let explanation = Explanation(try Self.facts(.undecided(reason)))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.contains("503 (\(reason.rawValue))"))
        #expect(explanation.remedy != nil)
    }

    @Test func `a malformed key is reported without its text`() throws {
        var facts = try Self.facts(.malformed(ValidationError(.securityKey, .notASecurityKey)))
        facts.key = nil
        let explanation = Explanation(facts)
        #expect(explanation.finding.english.contains("400"))
        #expect(explanation.remedy?.english.contains("cut off") == true)
        #expect(explanation.steps.map(\.subject) == [.key])
    }

    @Test func `without a person only what can be said is said`() throws {
        let well = Explanation(try Self.facts(nil))
        #expect(well.outcome == .note)
        #expect(well.remedy?.english == "Ask again with user_id.")
        let expired = Explanation(try Self.facts(nil, expiresAt: Self.now - 61))
        #expect(expired.outcome == .problem)
        #expect(expired.finding.english.contains("denied (expired)"))
        let revocation = Revocation.sample(1, appID: "shop", .keyID(1))
        let revoked = Explanation(try Self.facts(nil, revocations: [revocation]))
        #expect(revoked.outcome == .problem)
        #expect(revoked.finding.english.contains("denied (revoked)"))
        var stranger = try Self.facts(nil)
        (stranger.key, stranger.appID) = (nil, nil)
        #expect(Explanation(stranger).outcome == .problem)
    }

    @Test func `the remedy of a key id does not promise that new keys count`() throws {
        let keyID = Revocation.sample(1, appID: "shop", .keyID(1))
        let all = Revocation.sample(2, appID: "shop", .everyKey, issuedBefore: Self.now)
        let remedy = Explanation(try Self.facts(.denied(.revoked, keyID: 1), revocations: [keyID, all])).remedy?.english
        let another =
            "mint with another active key of the app, which deskgate status names; if there is none, deskgate secret rotate adds one."
        #expect(remedy?.hasPrefix("This revocation covers later keys with the key id 1, too: \(another)") == true)
        #expect(remedy?.contains("deskgate revocations remove \(keyID.id). This revocation covers no key that is minted now") == true)
    }

    /// Whoever gets a new key for an expired one is told that it would be denied as well.
    @Test func `a block is reported beside what decides`() throws {
        let block = Revocation.sample(1, appID: "shop", .user("user-1"))
        let explanation = Explanation(try Self.facts(.denied(.expired, keyID: 1), expiresAt: Self.now - 100, revocations: [block]))
        #expect(explanation.steps.suffix(2).map(\.subject) == [.life, .revocations])
    }

    @Test func `a key is explained while the store is away`() throws {
        var facts = try Self.facts(.denied(.revoked, keyID: 1))
        facts.storeProblem = "no database"
        let explanation = Explanation(facts)
        #expect(explanation.finding.english.contains("403 (revoked): The key is revoked; the author is unknown"))
        #expect(explanation.remedy?.english.contains("deskgate status") == true)
        #expect(explanation.steps.last?.text.english.contains("(no database)") == true)
        #expect(explanation.steps.last?.text.english.hasSuffix("Authorization continues with the last known revocations.") == true)
        #expect(explanation.steps.last?.remedy?.english.hasPrefix("Make the store usable again, then repeat the command") == true)
    }

    @Test func `nothing continues with revocations that nobody knows`() throws {
        var facts = try Self.facts(.undecided(.revocationsUnknown))
        facts.storeProblem = "no database"
        let unknown = Problem(
            .revocationsUnknown, LocalizedText("Nobody knows.", "Неизвестно."), remedy: LocalizedText("Mend it.", "Исправьте."))
        facts.closing = ChatClosure([unknown])
        let explanation = Explanation(facts)
        #expect(explanation.steps.contains { $0.text.english.hasSuffix("(no database).") })
        #expect(!explanation.steps.contains { $0.text.english.contains("goes on") })
    }

    /// A path may hold a secret.
    @Test func `of a backend only the origin is shown`() {
        let verify = Configuration.Verify(
            mode: .backend, url: "https://backend.test:8443/hook/secret?x=y", secrets: [], timeoutMilliseconds: 500,
            lifetimes: AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10), whenUndecided: .error)
        #expect(verify.origin == "https://backend.test:8443")
    }

    @Test func `commands are safe to copy`() {
        #expect(TextFragments.word("user-1@shop.test") == "user-1@shop.test")
        #expect(TextFragments.word("a b") == "'a b'")
        #expect(TextFragments.word("$(x)'y") == #"'$(x)'\''y'"#)
        #expect(TextFragments.word("") == "''")
        let block = Revocation.sample(1, appID: "shop", .user("a; b"))
        #expect(block.remedy(at: 0).english.contains("--user 'a; b'"))
    }

    /// Memory knows the last revocations, and how the latest requests were answered.
    @Test(arguments: [false, true]) func `a user is explained while the store is away`(_ isBlocked: Bool) {
        var facts = KeyFacts(appID: "shop", userID: "user-1", now: TestTime.now)
        facts.storeProblem = "no database"
        let explanation = Explanation(RememberedUser(key: facts, isBlocked: isBlocked))
        #expect(explanation.outcome == .problem)
        #expect(explanation.finding.english.hasPrefix("This user is denied with any key") == isBlocked)
        #expect(explanation.finding.english.contains("unknown while the store is away") == !isBlocked)
        #expect(explanation.finding.isTranslated)
        #expect(explanation.steps.contains { $0.text.english.contains("(no database)") })
        let remedy = explanation.remedy?.english
        #expect(remedy?.contains("deskgate status shows") == true)
        #expect(remedy?.contains("deskgate users unblock --app shop --user user-1.") == isBlocked)
        #expect(explanation.remedy?.isTranslated == true)
    }
}
