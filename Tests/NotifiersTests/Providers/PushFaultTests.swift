import Core
import Notifiers
import Simulators
import Testing
import Time

/// Providers that stall, send GOAWAY, or lose connections during requests.
@Suite struct PushFaultTests {
    private func deliveries(_ count: Int) throws -> [Delivery] {
        try (0..<count).map { _ in try PushFixture.delivery() }
    }

    private func token(_ delivery: Delivery) -> String {
        delivery.device?.token.text ?? ""
    }

    /// Injects a fault into one of many pushes. Each push must end once, arrive when it is retried, and keep one id.
    private func survive(_ effect: Fault.Effect, _ kind: ProviderKind, location: SourceLocation = #_sourceLocation) throws {
        try PushFixture.run { fixture in
            let deliveries = try deliveries(120)
            let notifier = try kind.notifier(fixture, timeoutMilliseconds: 20_000)
            fixture.simulators.faults.add(Fault(effect, token: token(deliveries[60])))
            let ends = fixture.deliverPatiently(deliveries, notifier)
            #expect(ends.allSatisfy { $0?.verdict == .delivered }, sourceLocation: location)
            for delivery in deliveries {
                let pushes = fixture.pushes(to: token(delivery))
                #expect(!pushes.isEmpty, sourceLocation: location)
                if kind == .apns { #expect(pushes.allSatisfy { $0.id == delivery.id.description }, sourceLocation: location) }
            }
        }
    }

    @Test(arguments: [ProviderKind.apns, .fcm])
    func `a connection is reset`(_ kind: ProviderKind) throws { try survive(.resetConnection, kind) }

    @Test(arguments: [ProviderKind.apns, .fcm])
    func `a connection is closed`(_ kind: ProviderKind) throws { try survive(.closeConnection, kind) }

    @Test(arguments: [ProviderKind.apns, .fcm])
    func `a connection carries garbage`(_ kind: ProviderKind) throws { try survive(.garbage, kind) }

    @Test(arguments: [ProviderKind.apns, .fcm])
    func `a stream is reset`(_ kind: ProviderKind) throws { try survive(.resetStream(errorCode: 2), kind) }

    @Test(arguments: [Fault.GoAway.this, .all, .abrupt])
    func `APNs sends GOAWAY`(_ goAway: Fault.GoAway) throws { try survive(.goAway(goAway, reason: "Shutdown"), .apns) }

    @Test func `APNs reduces its streams`() throws { try survive(.limitStreams(2), .apns) }

    @Test func `a push on a lost connection is retried at once`() throws {
        try PushFixture.run { fixture in
            let (delivery, notifier) = (try PushFixture.delivery(), try ProviderKind.apns.notifier(fixture))
            fixture.simulators.faults.add(Fault(.resetStream(errorCode: 2), token: token(delivery)))
            #expect(fixture.deliver(delivery, notifier).verdict == .delivered)
            fixture.simulators.faults.add(Fault(.resetStream(errorCode: 2), token: token(delivery), times: 2))
            #expect(fixture.deliver(delivery, notifier) == DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "connection_reset"))
        }
    }

    /// The first push on a connection delays the others, but not until their deadline.
    @Test(arguments: [ProviderKind.apns, .hms])
    func `a stalled push ends at its deadline`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let deliveries = try deliveries(20)
            let notifier = try kind.notifier(
                fixture, timeoutMilliseconds: 15_000, monotonicMilliseconds: { SystemClock.monotonicMilliseconds() })
            fixture.simulators.faults.add(Fault(.stallStream, token: token(deliveries[0]), times: nil))
            let stalled = fixture.deliver(deliveries, notifier)[0]
            #expect(stalled == DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "timeout"))
            #expect(fixture.deliverPatiently(Array(deliveries[1...]), notifier).allSatisfy { $0?.verdict == .delivered })
        }
    }

    @Test func `a stalled connection is abandoned`() throws {
        try PushFixture.run { fixture in
            let deliveries = try deliveries(20)
            let notifier = try ProviderKind.apns.notifier(
                fixture, timeoutMilliseconds: 4000, monotonicMilliseconds: { SystemClock.monotonicMilliseconds() })
            fixture.simulators.faults.add(Fault(.stallConnection, token: token(deliveries[10])))
            #expect(fixture.deliverPatiently(deliveries, notifier).allSatisfy { $0?.verdict == .delivered })
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func `a push to an unreachable provider is retried later`(_ kind: ProviderKind) throws {
        try PushFixture.runAlone { fixture in
            let notifier = try kind.notifier(fixture)
            fixture.simulators.faults.add(HandshakeFault(.close, times: nil))
            let outcome = try fixture.deliver(PushFixture.delivery(), notifier)
            guard case .retry = outcome.verdict else {
                Issue.record("\(outcome)")
                return
            }
        }
    }
}
