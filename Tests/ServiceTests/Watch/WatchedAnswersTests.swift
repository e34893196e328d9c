import Core
import Observability
import Testing
import Time

@testable import HelpDesk
@testable import Service

/// Rejected webhooks by their authentication, read from the counters.
@Suite struct WatchedAnswersTests {
    private let metrics = ServiceMetrics(registry: MetricsRegistry(), version: "test")

    private func found() -> [AnswerWindow.Finding] {
        WatchedAnswers(metrics, clocks: .system).look()
    }

    private func refuse(_ refusal: WebhookRefusal) {
        metrics.helpDesks.webhookRefusals.child("APP", refusal.rawValue).increment(by: 20)
    }

    private func accept(_ count: UInt64) {
        metrics.helpDesks.webhookEvents.child("APP", WebhookResult.accepted.rawValue).increment(by: count)
    }

    @Test(arguments: [WebhookRefusal.noSignature, .signature])
    func `unauthenticated webhooks do not mark an app as closed while authentic ones arrive`(_ refusal: WebhookRefusal) {
        refuse(refusal)
        #expect(found().map(\.isClosed) == [true])
        accept(5)
        #expect(found().map(\.app) == ["APP"])
        #expect(found().map(\.kind) == [.webhooksRefused])
        #expect(found().map(\.isClosed) == [false])
    }

    /// Only the help desk has the secret.
    @Test func `rejected authentic webhooks mark the app as closed`() {
        refuse(.malformed)
        accept(1)
        #expect(found().map(\.isClosed) == [true])
    }

    /// Two problems of one kind and app would be reported as one, and the log could have either text.
    @Test func `an app has one problem with its webhooks`() {
        refuse(.app)
        refuse(.signature)
        #expect(found().map(\.reason) == [WebhookRefusal.app.rawValue])
        #expect(found().map(\.isClosed) == [true])
    }
}
