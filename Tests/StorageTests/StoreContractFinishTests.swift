import Core
import Testing
import Time

@Suite struct StoreContractFinishTests {
    private func claimed(_ store: any Store) throws -> Delivery {
        try store.take(Sample(1))
        return try #require(try store.claim(at: 2000).first)
    }

    @Test(arguments: Backend.allCases) func `ends a delivered one`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .delivered, reason: "status_200", at: 2100)
        let story = try #require(try fixture.store.story(of: delivery.id))
        #expect(
            story.delivery
                == Delivery(
                    id: delivery.id, notifier: "log", event: delivery.event, state: .delivered, attempts: 1, dueAt: 3000, endedAt: 2100,
                    reason: "status_200"))
        #expect(
            story.attempts == [DeliveryAttempt(number: 1, startedAt: 2000, endedAt: 2100, outcome: "delivered", reason: "status_200")])
        #expect(try fixture.store.claim(at: 9000) == [])
    }

    @Test(arguments: Backend.allCases) func `defers a retry`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .retry(at: 7000), reason: "timeout", at: 2100)
        let waiting = try #require(try fixture.store.current(delivery))
        #expect((waiting.state, waiting.dueAt, waiting.endedAt) == (.pending, 7000, nil))
        #expect(waiting.reason == "timeout")
        #expect(try fixture.store.claim(at: 6999) == [])
        let again = try #require(try fixture.store.claim(at: 7000).first)
        #expect(again.attempts == 2)
        #expect(again.reason == "timeout")
        #expect(again.id == delivery.id)
    }

    @Test(arguments: Backend.allCases) func `ends one that is given up`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .dead, reason: "status_410", at: 2100)
        let dead = try #require(try fixture.store.current(delivery))
        #expect((dead.state, dead.endedAt, dead.reason) == (.dead, 2100, "status_410"))
        #expect(try fixture.store.pending() == [])
    }

    @Test(arguments: Backend.allCases) func `keeps the last attempt's reason with the final one`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .givenUp(.expired), reason: "timeout", at: 2100)
        let story = try #require(try fixture.store.story(of: delivery.id))
        #expect((story.delivery.state, story.delivery.endedAt, story.delivery.reason) == (.dead, 2100, "expired"))
        #expect(story.attempts == [DeliveryAttempt(number: 1, startedAt: 2000, endedAt: 2100, outcome: "expired", reason: "timeout")])
        #expect(try fixture.store.pending() == [])
    }

    @Test(arguments: Backend.allCases) func `accepts a report after the lease if no other attempt began`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .delivered, at: 90_000)
        #expect(try fixture.store.current(delivery)?.state == .delivered)
    }

    @Test(arguments: Backend.allCases) func `records a stale report without changing the state`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let first = try claimed(fixture.store)
        let second = try #require(try fixture.store.claim(at: 3000).first)
        try fixture.store.report(first, next: .dead, reason: "timeout", at: 3100)
        #expect(try fixture.store.current(first) == second)
        try fixture.store.report(second, next: .delivered, reason: "status_200", at: 3200)
        #expect(
            try fixture.store.story(of: first.id)?.attempts == [
                DeliveryAttempt(number: 1, startedAt: 2000, endedAt: 3100, outcome: "dead", reason: "timeout"),
                DeliveryAttempt(number: 2, startedAt: 3000, endedAt: 3200, outcome: "delivered", reason: "status_200"),
            ])
    }

    @Test(arguments: Backend.allCases) func `reports an attempt without an outcome`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        #expect(
            try fixture.store.story(of: delivery.id)?.attempts
                == [DeliveryAttempt(number: 1, startedAt: 2000, endedAt: nil, outcome: "", reason: "")])
    }

    @Test(arguments: Backend.allCases) func `uses the first of several reports`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.report(delivery, next: .retry(at: 7000), reason: "timeout", at: 2100)
        try fixture.store.report(delivery, next: .dead, reason: "late", at: 2200)
        try fixture.store.report(delivery, next: .delivered, reason: "later", at: 2300)
        let story = try #require(try fixture.store.story(of: delivery.id))
        #expect(story.delivery.state == .pending)
        #expect(story.attempts.map(\.reason) == ["timeout"])
    }

    @Test(arguments: Backend.allCases) func `ignores unknown deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        let reports = [
            FinishedAttempt(id: UUIDv7(milliseconds: 9, number: 9), attempt: 1, next: .delivered, reason: "", now: 2100),
            FinishedAttempt(id: delivery.id, attempt: 2, next: .delivered, reason: "", now: 2100),
            FinishedAttempt(id: delivery.id, attempt: 0, next: .delivered, reason: "", now: 2100),
        ]
        try fixture.store.finish(reports)
        #expect(try fixture.store.current(delivery) == delivery)
    }

    @Test(arguments: Backend.allCases) func `accepts many reports at once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<50 { try fixture.store.take(Sample(number)) }
        let claimed = try fixture.store.claim(at: 2000)
        try fixture.store.finish(
            claimed.enumerated().map { number, delivery in
                FinishedAttempt(
                    id: delivery.id, attempt: 1, next: number.isMultiple(of: 2) ? .delivered : .dead, reason: "", now: 2000 + UInt64(number)
                )
            })
        let states = try fixture.store.all().map(\.state)
        #expect(states.count { $0 == .delivered } == 25)
        #expect(states.count { $0 == .dead } == 25)
    }

    @Test(arguments: Backend.allCases) func `gives up all deliveries of one notifier`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<4 {
            _ = try fixture.store.take(Sample(number).with { $0.keepsOrder = true }.incoming(to: ["log", "http"]))
        }
        let running = try #require(try fixture.store.claim(at: 2000).first)
        #expect(try fixture.store.giveUpPending(notifier: "log", now: 2001, limit: 3) == 3)
        #expect(try fixture.store.giveUpPending(notifier: "log", now: 2001, limit: 3) == 1)
        #expect(try fixture.store.giveUpPending(notifier: "log", now: 2001, limit: 3) == 0)
        #expect(try fixture.store.pending() == [PendingDeliveries(notifier: "http", count: 4, oldestReceivedAt: 1000)])
        try fixture.store.report(running, next: .delivered, reason: "late", at: 2002)
        let story = try #require(try fixture.store.story(of: running.id))
        #expect(story.delivery.state == .dead)
        #expect(story.delivery.reason == "purged")
        #expect(story.delivery.endedAt == 2001)
        #expect(story.attempts.map(\.outcome) == ["delivered"])
        #expect(try fixture.store.claim(at: 9000) == [])
    }
}
