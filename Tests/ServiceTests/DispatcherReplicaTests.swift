import Core
import Observability
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Dispatch

/// A dispatcher whose store other processes work on too.
@Suite struct DispatcherReplicaTests {
    @Test func findsWhatAnotherProcessHasAccepted() throws {
        let place = try PostgresPlace()
        let (own, other) = (try place.store(), try place.store())
        let notifier = DeliveryNotifier(.arrived)
        let inbox = Monitor(DispatcherInbox())
        let scratch = try TemporaryDirectory()
        let log = try TestLog(in: scratch, level: .debug)
        let dispatcher = try Dispatcher(
            store: own, audience: { .nobody }, notifiers: ["log": ServedNotifier(notifier)],
            retention: Retention(deliveredMilliseconds: 1 << 40, deadMilliseconds: 1 << 40, idleDeviceMilliseconds: 1 << 40),
            metrics: DeliveryMetrics(registry: MetricsRegistry(), store: own, clocks: .system, inbox: inbox), logger: log.logger,
            clocks: .system, inbox: inbox)
        for number in 1...3 {
            other.accept(Arrival(event(number), to: [Subscription(notifier: "log")]), telling: .nobody) { _ in }
            #expect(notifier.waitForTries(number))
        }
        dispatcher.stop(drainMilliseconds: 20_000)
        let left = try other.pending()
        #expect(left == [])
        for store in [own, other] { store.close() }
    }

    @Test func onlyTheElectedOneDoesTheUpkeep() throws {
        let fixture = try DeliveryFixture([:])
        fixture.store.set(ReplicaStanding(live: 2, isElected: false, isHeard: true))
        // Nobody claims it, so that upkeep alone gives it up.
        fixture.accept(1, for: "nobody", lifeMilliseconds: 1000)
        fixture.advance(61_000)
        #expect(fixture.settle(2))
        #expect(fixture.delivery(1)?.state == .pending)
        fixture.store.set(ReplicaStanding(live: 2, isElected: true, isHeard: true))
        fixture.advance(61_000)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(fixture.delivery(1)?.reason == "expired")
    }

    @Test func startsNothingWhileTheOthersDoNotHearOfIt() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.store.set(ReplicaStanding(live: 1, isElected: false, isHeard: false))
        let before = fixture.store.standingReads
        fixture.advance(0)
        #expect(eventually { fixture.store.standingReads > before })
        fixture.accept(1)
        let accepted = fixture.store.standingReads
        #expect(eventually { fixture.store.standingReads > accepted + 1 })
        #expect(notifier.started.isEmpty)
        fixture.store.set(.alone)
        #expect(notifier.waitForTries(1))
    }

    private func event(_ number: Int) -> Event {
        let now = SystemClock.unixMilliseconds()
        return Event(
            id: DeliveryFixture.event(number), kind: .commentCreated,
            identity: Event.Identity(appID: "app", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
            occurredAt: now, receivedAt: now, expiresAt: now + 3_600_000, data: Event.noData)
    }
}
