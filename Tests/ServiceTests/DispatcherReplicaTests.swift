import Core
import Observability
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Dispatch

/// A dispatcher whose store other processes share.
@Suite struct DispatcherReplicaTests {
    @Test func `finds a delivery that another process has accepted`() throws {
        let place = try PostgresSchemaFixture()
        let notifier = DeliveryNotifier(.arrived)
        let (own, other) = (try DispatcherReplica(place, ["log": notifier]), try DispatcherReplica(place, [:]))
        for number in 1...3 {
            other.accept(number, for: "log")
            #expect(notifier.waitForTries(number))
        }
        own.stop()
        #expect(try other.store.pending() == [])
    }

    /// Simulates a claim whose result was lost. The lease would last an hour.
    @Test func `releases an unknown claim and keeps a running one`() throws {
        let notifier = DeliveryNotifier(concurrency: 1)
        let replica = try DispatcherReplica(try PostgresSchemaFixture(), ["log": notifier])
        func story(_ number: Int) -> [String] {
            let story = try? replica.store.story(of: DeliveryFixture.id(number))
            return story?.attempts.map { "\($0.outcome) \($0.reason)" } ?? []
        }
        replica.accept(1, for: "log")
        #expect(notifier.waitForTries(1))
        replica.accept(2, for: "log")
        let claim = Claim(notifier: "log", now: SystemClock.unixMilliseconds(), leaseMilliseconds: 3_600_000, limit: 1)
        #expect(eventually { (try? replica.store.work([], [claim], telling: .nobody)[0].get())?.deliveries.count == 1 })
        #expect(eventually { story(2) == ["retry claim_lost"] })
        #expect(story(1) == [" "])
        #expect(notifier.started.map(DeliveryFixture.number) == [1])
        notifier.answer(.arrived)
        notifier.end(.arrived)
        #expect(eventually { story(2) == ["retry claim_lost", "delivered arrived"] })
        #expect(eventually { story(1) == ["delivered arrived"] })
        #expect(notifier.started.map(DeliveryFixture.number) == [1, 2])
    }

    @Test func `only the elected process does the upkeep`() throws {
        let fixture = try DeliveryFixture([:])
        fixture.store.set(ReplicaStatus(isElected: false, isOnline: true))
        #expect(fixture.beginPass())
        // No notifier claims it, so only upkeep can expire it.
        fixture.accept(1, for: "nobody", lifetimeMilliseconds: 1000)
        fixture.advance(61_000)
        #expect(fixture.settle(2))
        #expect(fixture.delivery(1)?.state == .pending)
        fixture.store.set(ReplicaStatus(isElected: true, isOnline: true))
        fixture.advance(61_000)
        #expect(fixture.waitForState(.dead, of: 1))
        #expect(fixture.delivery(1)?.reason == "expired")
    }

    @Test func `starts nothing while it cannot notify the other processes`() throws {
        let notifier = DeliveryNotifier(.arrived)
        let fixture = try DeliveryFixture(["a": notifier])
        fixture.store.set(ReplicaStatus(isElected: false, isOnline: false))
        #expect(fixture.beginPass())
        fixture.accept(1)
        let accepted = fixture.store.standingReads
        #expect(eventually { fixture.store.standingReads > accepted + 1 })
        #expect(notifier.started.isEmpty)
        fixture.store.set(.alone)
        #expect(notifier.waitForTries(1))
    }
}
