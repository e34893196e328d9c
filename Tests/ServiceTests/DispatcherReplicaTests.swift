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
        let notifier = DeliveryNotifier(.arrived)
        let (own, other) = (try DispatcherReplica(place, ["log": notifier]), try DispatcherReplica(place, [:]))
        for number in 1...3 {
            other.accept(number, for: "log")
            #expect(notifier.waitForTries(number))
        }
        own.stop()
        #expect(try other.store.pending() == [])
    }

    @Test func onlyTheElectedOneDoesTheUpkeep() throws {
        let fixture = try DeliveryFixture([:])
        fixture.store.set(ReplicaStanding(isElected: false, isHeard: true))
        #expect(fixture.beginPass())
        // Nobody claims it, so that upkeep alone gives it up.
        fixture.accept(1, for: "nobody", lifeMilliseconds: 1000)
        fixture.advance(61_000)
        #expect(fixture.settle(2))
        #expect(fixture.delivery(1)?.state == .pending)
        fixture.store.set(ReplicaStanding(isElected: true, isHeard: true))
        fixture.advance(61_000)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(fixture.delivery(1)?.reason == "expired")
    }

    @Test func startsNothingWhileTheOthersDoNotHearOfIt() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.store.set(ReplicaStanding(isElected: false, isHeard: false))
        #expect(fixture.beginPass())
        fixture.accept(1)
        let accepted = fixture.store.standingReads
        #expect(eventually { fixture.store.standingReads > accepted + 1 })
        #expect(notifier.started.isEmpty)
        fixture.store.set(.alone)
        #expect(notifier.waitForTries(1))
    }
}
