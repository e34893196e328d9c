import Core
import Crypto
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration

/// Every text for operators has a Russian translation. The compiler requires both; these tests detect English text in the Russian one.
@Suite struct TranslationTests {
    private static let now = TestTime.now

    private static func check(_ explanation: Explanation) {
        let texts = [explanation.finding, explanation.remedy].compactMap(\.self)
        for reported in texts + explanation.steps.flatMap({ [$0.text, $0.remedy].compactMap(\.self) }) {
            #expect(reported.isTranslated, "\(reported.english) | \(reported.russian)")
            #expect(!reported.russian.contains("  "), "\(reported.russian)")
        }
    }

    private static func facts(_ verdict: Verdict?, _ change: (inout KeyFacts) -> Void = { _ in }) throws -> KeyFacts {
        let text = try TestKey(issuedAt: now - 100).text()
        var facts = KeyFacts(appID: "shop", userID: "user-1", key: SecurityKey(text.utf8.span), now: now)
        facts.application = Application(
            id: "shop", keys: [Application.Key(id: 1, secret: try HMACKey(secret: TestSecret.bytes(1).span))], shadowUntil: nil,
            verification: .key)
        facts.verdict = verdict
        change(&facts)
        return facts
    }

    @Test(arguments: Denial.allCases) func `denials are translated`(_ denial: Denial) throws {
        Self.check(Explanation(try Self.facts(.denied(denial, keyID: 1))))
        Self.check(
            Explanation(
                try Self.facts(.denied(denial, keyID: 1)) {
                    $0.application = nil; $0.similarApp = "shop"
                }))
        Self.check(Explanation(try Self.facts(.denied(denial, keyID: 1)) { $0.storeProblem = "away" }))
    }

    @Test(arguments: UndecidedReason.allCases) func `undecided verdicts are translated`(_ reason: UndecidedReason) throws {
        Self.check(Explanation(try Self.facts(.undecided(reason))))
    }

    @Test(arguments: ValidationError.Problem.allCases, CredentialField.allCases)
    func `malformed requests are translated`(_ problem: ValidationError.Problem, _ field: CredentialField) throws {
        Self.check(Explanation(try Self.facts(.malformed(ValidationError(field, problem)))))
    }

    @Test func `other verdicts are translated`() throws {
        for verdict in [Verdict.authorized(keyID: 1), .unconfirmed(keyID: 1), nil] {
            Self.check(Explanation(try Self.facts(verdict)))
            Self.check(Explanation(try Self.facts(verdict) { ($0.userID, $0.key) = (nil, nil) }))
        }
    }

    private static let waits = [
        nil, "notifier paused (status_410)", "notifier failing", AdminContext.notConfigured, AdminContext.serviceIsDown,
    ]
    private static let reasons =
        DeliveryEnding.allCases.map(\.reason) + RetryDecision.Ending.allCases.map(\.rawValue)
        + ["", "purged", "stopped", "claim_lost", "superseded", "not_for_relay", "no_key", "timeout", "status_404", "something_new"]

    @Test(arguments: Delivery.State.allCases, reasons) func `deliveries are translated`(_ state: Delivery.State, _ reason: String) {
        // Only a delivery that has not failed yet has no reason.
        if state != .pending, reason.isEmpty { return }
        let cause = reason.isEmpty ? "status_500" : reason
        for wait in Self.waits {
            for isConfigured in [true, false] {
                let attempts = ["interrupted", "retry", "delivered"].enumerated().map { index, outcome in
                    DeliveryAttempt(
                        number: index + 1, startedAt: Self.now.milliseconds, endedAt: Self.now.milliseconds, outcome: outcome,
                        reason: cause)
                }
                let event = Event(
                    id: UUIDv7(milliseconds: Self.now.milliseconds, random: InlineArray(repeating: 1)).event, kind: .commentCreated,
                    identity: Event.Identity(appID: "shop", ticketID: 17, commentID: 4711, deviceID: "phone"), userID: "ann",
                    deviceType: "ios", occurredAt: Self.now.milliseconds - 7_200_000, receivedAt: Self.now.milliseconds,
                    expiresAt: Self.now.milliseconds + 1000, data: Event.emptyData)
                let delivery = Delivery(
                    id: event.id.delivery(0), notifier: "sink", event: event, deviceID: "phone", state: state, attempts: 3,
                    dueAt: Self.now.milliseconds, endedAt: state == .pending ? nil : Self.now.milliseconds, reason: reason)
                let facts = DeliveryFacts(
                    delivery, attempts: attempts, hold: wait,
                    notifier: isConfigured ? Configuration.Notifier(name: "sink", kind: .log) : nil)
                Self.check(Explanation(facts))
            }
        }
    }

    @Test func `texts about stored data are translated`() throws {
        let fixture = try AdminDeliverFixture()
        for query in [
            "user_id=user-1", "user_id=stranger", "comment_id=1", "comment_id=2", "comment_id=999", "device_id=phone", "device_id=tv",
            "delivery_id=\(AdminDeliverFixture.id(2))", "delivery_id=\(AdminDeliverFixture.id(90))", "user_id=user-1&device_id=none",
        ] {
            let russian = fixture.send(.get, "/v1/explain?app_id=shop&lang=ru&\(query)")
            #expect(russian.status == 200, "\(russian.text)")
            let object = try russian.object()
            var texts = [object["finding"]?.text, object["remedy"]?.text]
            for step in object["steps"]?.elements ?? [] { texts += [step["text"]?.text, step["remedy"]?.text] }
            for text in texts.compactMap(\.self) { #expect(LocalizedText(verbatim: text).isTranslated, "\(text)") }
            #expect(
                try fixture.send(.get, "/v1/explain?app_id=shop&lang=en&\(query)").object()
                    == fixture.send(.get, "/v1/explain?app_id=shop&\(query)").object())
        }
        #expect(fixture.send(.get, "/v1/explain?app_id=shop&user_id=user-1&lang=fr").status == 400)
        for path in ["/v1/status", "/v1/notifiers"] {
            #expect(fixture.send(.get, "\(path)?lang=ru").status == 200)
            #expect(fixture.send(.get, "\(path)?lang=fr").status == 400)
        }
    }

    // An operator's own text is not translated.
    private static let revocations =
        Revocation.samples(appID: "shop").filter { !$0.reason.contains(" ") } + [.sample(10, appID: "shop", .user("ann"), reason: "rude")]

    @Test(arguments: revocations) func `revocations are translated`(_ revocation: Revocation) throws {
        #expect(revocation.sentence.isTranslated, "\(revocation.sentence.russian)")
        #expect(revocation.remedy(at: 0).isTranslated, "\(revocation.sentence.russian)")
        Self.check(Explanation(try Self.facts(.denied(.revoked, keyID: 1)) { $0.revocations.named = [revocation] }))
    }
}
