import Core
import JSON
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// Explanations of deliveries, comments and devices by a command while no service runs.
@Suite struct StoppedServiceExplanationTests {
    private static let time = AdminDeliverFixture.time
    private let store = MemoryStore()

    /// - Returns: the explanation, and the remedy that starts the service with the fixture's configuration.
    private func explain(
        comment: String? = nil, device: String? = nil, delivery: String? = nil
    ) throws -> (answer: JSONValue, start: String) {
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let fixture = try AdminDeliverFixture(port: closed.port, others: #""log":{},"notifiers":{"sink-1":{"type":"log"}}"#)
        let action = try ExplainAction(
            appID: delivery == nil ? "shop" : nil, userID: nil, commentID: comment, deviceID: device, deliveryID: delivery)
        let access = AdminAccess(fixture.configuration, clocks: ServiceFixture.clocks, start: { nil }, conflict: { nil }) {
            action throws(StoreError) in
            try action(store)
        }
        return (try access.perform(action).json, Problem.serviceDown(fixture.configuration.serveLine).remedy.english)
    }

    @Test(arguments: ["status_503", "status_500"]) func `a delivery that is not yet due waits for the service`(_ reason: String) throws {
        try AdminDeliverFixture.accept(store, 1)
        let claim = Claim(notifier: "sink-1", now: Self.time, leaseMilliseconds: 1000, limit: 10)
        #expect(try store.work([], [claim])[0].get().deliveries.count == 1)
        let attempt = FinishedAttempt(
            id: AdminDeliverFixture.id(1), attempt: 1, next: .retry(at: Self.time + 60_000), reason: reason, now: Self.time)
        _ = try store.work([attempt], [])
        for (answer, start) in [try explain(comment: "1"), try explain(delivery: AdminDeliverFixture.id(1).description)] {
            #expect(answer["outcome"] == "problem")
            #expect(answer["finding"]?.text?.contains("It waits for sink-1: service not running. The last of 1 attempt failed") == true)
            #expect(answer["remedy"]?.text == start)
            let attempt = try #require(answer["steps"]?.elements.first { $0["step"] == "attempt" }?["remedy"]?.text)
            #expect(!attempt.contains("tries again"), "\(attempt)")
        }
    }

    @Test func `an unknown comment and an unknown device are reported`() throws {
        for (answer, start) in [try explain(comment: "99"), try explain(device: "phone")] {
            #expect(answer["outcome"] == "problem")
            #expect(answer["finding"]?.text?.hasSuffix(" The service does not run.") == true)
            #expect(answer["remedy"]?.text == start)
            #expect(answer["steps"]?.elements.last?["remedy"]?.text == start)
        }
    }

    @Test func `a registered device is not notified by a stopped service`() {
        let device = Explanation(Explanation.Conclusion(.ok, LocalizedText("It is notified.", "Его уведомляют.")), [])
        let stopped = device.but(.serviceDown("deskgate serve"))
        #expect(stopped.outcome == .problem)
        #expect(stopped.finding.english == "It is notified. But: The service does not run.")
        #expect(stopped.finding.isTranslated)
        #expect(stopped.remedy == Problem.serviceDown("deskgate serve").remedy)
        #expect(stopped.but(.serviceDown("deskgate serve")) == stopped, "it is told once")
        #expect(device.but(.serviceElsewhere("deskgate serve")).outcome == .note)
    }
}
