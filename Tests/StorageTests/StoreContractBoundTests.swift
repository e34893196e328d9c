import Core
import Testing
import Time

/// How many deliveries may wait, and what becomes of those that are too many.
@Suite struct StoreContractBoundTests {
    private func states(_ store: any Store) throws -> [String] {
        try store.all().reversed().map { "\($0.notifier) \($0.state.rawValue) \($0.reason)" }
    }

    /// One notifier that is dead must not stop the others.
    @Test(arguments: Backend.allCases) func oneNotifiersQueueIsItsOwn(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 2)
        for number in 1...3 { _ = try fixture.store.take(Sample(number).arrival(to: ["dead", "other"])) }
        let claimed = try fixture.store.claim("other", at: 1000)
        for delivery in claimed { try fixture.store.report(delivery, .delivered, "ok", at: 1001) }
        _ = try fixture.store.take(Sample(4).arrival(to: ["dead", "other"]))
        #expect(
            try states(fixture.store) == [
                "dead pending ", "other delivered ok", "dead pending ", "other delivered ok", "dead dead notifier_queue_full",
                "other dead notifier_queue_full", "dead dead notifier_queue_full", "other pending ",
            ])
        #expect(
            fixture.store.refused == [
                RefusedDeliveries(notifier: "dead", ending: .notifierQueueFull, count: 2),
                RefusedDeliveries(notifier: "other", ending: .notifierQueueFull, count: 1),
            ])
        #expect(fixture.store.refusal == nil)
        let ended = try #require(try fixture.store.all().first { $0.reason == "notifier_queue_full" })
        #expect(ended.endedAt == 1000 && ended.attempts == 0)
        #expect(try fixture.store.retry(DeliveryFilter(), now: 2000, expiresAt: 9000) == 3, "an operator may try again")
    }

    @Test(arguments: Backend.allCases) func countsTheDeliveriesOfOneEvent(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 2)
        for device in 1...3 { try fixture.store.put("T\(device)", device: "d\(device)") }
        _ = try fixture.store.take(Sample(1).with { $0.requiresDevice = true }.arrival())
        #expect(try fixture.store.comments().map(\.state) == [.pending, .pending, .dead])
    }

    /// The help desk sends it again.
    @Test(arguments: Backend.allCases) func refusesACommentWhereTheCommonQueueIsFull(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 2)
        _ = try fixture.store.take(Sample(1).arrival())
        #expect(throws: StoreError.self) { try fixture.store.take(Sample(2).arrival(to: ["a", "b"])) }
        #expect(try fixture.store.take(Sample(3).arrival()) == .accepted)
        #expect(try states(fixture.store) == ["log pending ", "log pending "])
        #expect(fixture.store.refused == [])
    }

    /// Nobody would send it again, and a person must be able to sign in and out.
    @Test(arguments: Backend.allCases) func neverRefusesASignIn(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        try fixture.store.take(Sample(1))
        let rule = LimitRule.fiveMinutes(.user)
        #expect(try fixture.store.wish(.of("A", rule)) == .registered)
        #expect(try fixture.store.put(nil) == .removed)
        #expect(try states(fixture.store) == ["log pending ", "registry dead queue_full", "registry dead queue_full"])
        #expect(fixture.store.refused == [RefusedDeliveries(notifier: "registry", ending: .queueFull, count: 2)])
    }

    @Test(arguments: Backend.allCases) func boundsTheRegistrysOwnNotifier(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 1)
        for device in 1...2 { try fixture.store.put("T\(device)", device: "d\(device)") }
        #expect(try states(fixture.store) == ["registry pending ", "registry dead notifier_queue_full"])
        #expect(try fixture.store.registered() == ["user d1 T1", "user d2 T2"])
    }

    /// A thousand devices with 66 subscriptions are more than the ids of an event's deliveries can number.
    @Test(arguments: Backend.allCases) func boundsTheDeliveriesOfAnEvent(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 40)
        for device in 1...40 { try fixture.store.put("T\(device)", device: "d\(device)") }
        let subscriptions = (1...66).map { Subscription(notifier: "n\($0)") }
        _ = try fixture.store.take(Arrival(Sample(1).event, to: subscriptions))
        let comments = try fixture.store.comments()
        #expect(comments.count == DeliveryPlan.mostRows)
        #expect(comments.dropLast().allSatisfy { $0.state == .pending })
        #expect(comments.last?.state == .dead && comments.last?.reason == "too_many_deliveries")
        #expect(fixture.store.refused.map(\.ending) == [.tooMany])
    }
}
