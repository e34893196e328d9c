import Core
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Notifiers that are paused and resumed, and notifiers that a reload replaces.
@Suite struct DispatcherReloadTests {
    private static let minute: Int64 = 60_000

    private func log(_ fixture: DeliveryFixture, _ text: String) throws -> Int {
        try fixture.log.lines().filter { $0.contains(text) }.count
    }

    @Test func `a probe resumes a notifier`() throws {
        let notifier = DeliveryNotifier(.gone, concurrency: 1, probeIntervalMilliseconds: UInt64(Self.minute))
        let fixture = try DeliveryFixture(["a": notifier])
        for number in 1...3 { fixture.accept(number) }
        #expect(fixture.waitForReason("gone", of: 1))
        fixture.advance(Self.minute - 1)
        #expect(fixture.settle(100))
        #expect(notifier.started.count == 1)
        fixture.advance(1)
        #expect(notifier.waitForTries(2))
        #expect(fixture.settle(101))
        #expect(notifier.started.count == 2, "one try is enough to know")
        #expect(try log(fixture, "a notifier is paused") == 1)
        notifier.answer(.arrived)
        fixture.advance(Self.minute)
        for number in 1...3 { #expect(fixture.waitForState(.delivered, of: number)) }
        #expect(fixture.inbox.withLock { $0.paused.isEmpty })
        #expect(eventually { (try? log(fixture, "a notifier works again")) == 1 })
    }

    @Test func `another notifier takes over the name and the queue`() throws {
        let (old, next) = (DeliveryNotifier(.gone, concurrency: 1), DeliveryNotifier(.arrived))
        let fixture = try DeliveryFixture(["a": old])
        for number in 1...3 { fixture.accept(number) }
        #expect(fixture.waitForReason("gone", of: 1))
        fixture.reload(["a": ServedNotifier(next)])
        for number in 1...3 { #expect(fixture.waitForState(.delivered, of: number)) }
        #expect(old.started.count == 1)
        #expect(fixture.inbox.withLock { $0.paused.isEmpty })
    }

    @Test func `an attempt ends with the notifier that began it`() throws {
        let (old, next) = (DeliveryNotifier(), DeliveryNotifier(.arrived))
        let fixture = try DeliveryFixture(["a": old])
        fixture.accept(1)
        #expect(old.waitForTries(1))
        let replacement = ServedNotifier(next)
        fixture.reload(["a": replacement])
        fixture.accept(2)
        #expect(fixture.waitForState(.delivered, of: 2))
        #expect(!fixture.isClosed("a"))
        old.end(.arrived)
        #expect(fixture.waitForState(.delivered, of: 1))
        #expect(eventually { fixture.isClosed("a") })
        #expect(!replacement.hasClosed)
    }

    @Test func `a new notifier is served`() throws {
        let fixture = try DeliveryFixture([:])
        fixture.accept(1, for: "new")
        #expect(fixture.settle(100))
        fixture.reload(["new": ServedNotifier(DeliveryNotifier(.arrived))])
        #expect(fixture.waitForState(.delivered, of: 1))
    }

    @Test func `a removed notifier is not called`() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.remove("a")
        #expect(eventually { fixture.isClosed("a") })
        fixture.accept(1)
        #expect(fixture.settle(100))
        #expect(fixture.delivery(1)?.state == .pending)
        #expect(notifier.started.isEmpty)
    }

    @Test func `an unregistered device is counted`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.deviceGone)])
        fixture.accept(1)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(
            eventually {
                String(decoding: fixture.metrics.render(), as: UTF8.self).contains(
                    #"deskgate_deliveries_total{notifier="a",outcome="gone",reason="unregistered"} 1"#)
            })
    }

    @Test func `the expiry of a certificate is shown`() throws {
        let fixture = try DeliveryFixture([:])
        let expiry = DeliveryFixture.start.seconds + 3600
        fixture.reload(["a": ServedNotifier(DeliveryNotifier(), credentialExpiresAt: expiry)])
        #expect(fixture.sample(#"deskgate_credential_expiry_timestamp_seconds{notifier="a"}"#) == "\(expiry)")
        #expect(fixture.sample(#"deskgate_credential_expiry_timestamp_seconds{notifier="z"}"#) == nil)
    }

    private func metrics(_ fixture: DeliveryFixture) -> String {
        String(decoding: fixture.metrics.render(), as: UTF8.self)
    }
}
