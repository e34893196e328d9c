import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct DispatcherBoundTests {
    @Test func `one dead notifier stops no other`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(concurrency: 1), "b": DeliveryNotifier(.arrived)])
        for number in 1...DeliveryStore.perNotifier { fixture.accept(number, for: "a") }
        // These events also go to `b`; an event for `a` alone would be refused.
        for number in 1...20 { fixture.accept(DeliveryStore.perNotifier + number, for: "a", "b") }
        #expect(fixture.waitForReason("notifier_queue_full", of: DeliveryStore.perNotifier + 1))
        #expect(eventually { fixture.delivery(DeliveryStore.perNotifier + 1, 1)?.state == .delivered })
        #expect(
            eventually {
                fixture.sample(#"deskgate_deliveries_total{notifier="a",outcome="dead",reason="notifier_queue_full"}"#) == "20"
            })
        #expect(fixture.store.refusal == nil)
        // The attempt at `a` never ends, so the test does not wait for it.
        fixture.stop(drainMilliseconds: 0)
    }
}
