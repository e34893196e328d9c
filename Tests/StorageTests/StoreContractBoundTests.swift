import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct StoreContractBoundTests {
    private func states(_ store: any Store) throws -> [String] {
        try store.all().reversed().map { "\($0.notifier) \($0.state.rawValue) \($0.reason)" }
    }

    /// A failing notifier must not block the others.
    @Test(arguments: Backend.allCases) func `each notifier has a queue of its own`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 2)
        for number in 1...2 { _ = try fixture.store.take(Sample(number).incoming(to: ["dead", "other"])) }
        let claimed = try fixture.store.claim("other", at: 1000)
        for delivery in claimed { try fixture.store.report(delivery, next: .delivered, reason: "ok", at: 1001) }
        for number in 3...4 { _ = try fixture.store.take(Sample(number).incoming(to: ["dead", "other"])) }
        #expect(
            try states(fixture.store) == [
                "dead pending ", "other delivered ok", "dead pending ", "other delivered ok", "dead dead notifier_queue_full",
                "other pending ", "dead dead notifier_queue_full", "other pending ",
            ])
        #expect(fixture.store.refused == [RefusedDeliveries(notifier: "dead", ending: .notifierQueueFull, count: 2)])
        #expect(fixture.store.refusal == nil)
        let ended = try #require(try fixture.store.all().first { $0.reason == "notifier_queue_full" })
        #expect(ended.endedAt == 1000)
        #expect(ended.attempts == 0)
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 2000, expiresAt: 9000).kept == [.notifierQueueFull: 2])
        for delivery in try fixture.store.claim("dead", at: 2000, limit: 1) {
            try fixture.store.report(delivery, next: .delivered, reason: "ok", at: 2001)
        }
        let again = try fixture.store.retryAll(DeliveryFilter(), now: 2000, expiresAt: 9000)
        #expect(again.retried == 1, "there is room for one")
        #expect(again.kept == [.notifierQueueFull: 1])
    }

    /// Two apps share a failing notifier: the backlog of one leaves room for the other.
    @Test(arguments: Backend.allCases) func `each app gets its share of a notifier's queue`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 4)
        func take(_ number: Int, _ app: String) throws { try fixture.store.take(Sample(number).with { $0.app = app }) }
        for number in 1...4 { try take(number, "app") }
        for number in 5...6 { try take(number, "other") }
        #expect(throws: StoreError.self, "two apps have something waiting, so a share is two") { try take(7, "other") }
        #expect(throws: StoreError.self) { try take(8, "app") }
        try take(9, "third")
        #expect(throws: StoreError.self) { try take(10, "third") }
        #expect(try fixture.store.pending().map(\.count) == [7])
        #expect(try fixture.store.all().allSatisfy { $0.state == .pending })
    }

    /// For any number of apps, a failing notifier leaves room for the others.
    @Test(arguments: Backend.allCases) func `the shares of many apps end at twice the limit`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 16, perNotifier: 4)
        for number in 1...4 { try fixture.store.take(Sample(number).with { $0.app = "first" }) }
        var refused = 0
        for app in 1...30 {
            do throws(StoreError) {
                _ = try fixture.store.take(Sample(100 + app).with { $0.app = "app\(app)" }.incoming())
            } catch {
                #expect(error.description.contains("raise max_pending_per_notifier"))
                refused += 1
            }
        }
        #expect(refused == 26)
        #expect(try fixture.store.pending().map(\.count) == [8])
        #expect(fixture.store.refusal == nil)
        for number in 201...204 { try fixture.store.take(Sample(number).with { $0.notifier = "other" }) }
        #expect(try fixture.store.pending().map(\.count) == [8, 4])
    }

    @Test(arguments: Backend.allCases) func `a delivery frees room for its app`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 4)
        func take(_ number: Int, _ app: String) throws { try fixture.store.take(Sample(number).with { $0.app = app }) }
        for number in 1...4 { try take(number, "app") }
        for number in 5...6 { try take(number, "other") }
        let own = try fixture.store.claim(at: 2000).filter { $0.event.identity.appID == "app" }
        for delivery in own.prefix(2) { try fixture.store.report(delivery, next: .delivered, at: 2001) }
        #expect(throws: StoreError.self, "four wait, and two of them are its share") { try take(7, "app") }
        try fixture.store.report(own[2], next: .dead, at: 2002)
        try take(8, "app")
        #expect(throws: StoreError.self) { try take(9, "app") }
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 3000, expiresAt: 1_000_000).kept == [.notifierQueueFull: 1])
        try fixture.store.report(own[3], next: .delivered, at: 3001)
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 3002, expiresAt: 1_000_000).retried == 1)
        #expect(throws: StoreError.self, "what an operator has brought back counts") { try take(10, "app") }
    }

    /// The help desk repeats the webhook. If it were stored, it would be lost although it was answered as accepted.
    @Test(arguments: Backend.allCases) func `a comment that would reach no notifier is rejected`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 1)
        _ = try fixture.store.take(Sample(1).incoming(to: ["a", "b"]))
        let error = try #require(throws: StoreError.self) { try fixture.store.take(Sample(2).incoming(to: ["a", "b"])) }
        #expect(error.kind == .queueFull)
        #expect(error.description.contains("raise max_pending_per_notifier"))
        #expect(try states(fixture.store) == ["a pending ", "b pending "])
        #expect(fixture.store.refused == [])
        #expect(fixture.store.refusal == nil, "other apps are not refused")
        let first = try fixture.store.take(Sample(1).with { $0.data = [] }.incoming(to: ["a", "b"]))
        #expect(first == .duplicate(of: Sample(1).event.id), "what is stored is recognised")
        for delivery in try fixture.store.claim("a", at: 2000) {
            try fixture.store.report(delivery, next: .delivered, reason: "ok", at: 2001)
        }
        #expect(try fixture.store.take(Sample(2).incoming(to: ["a", "b"])) == .accepted)
        #expect(try states(fixture.store) == ["a delivered ok", "b pending ", "a pending ", "b dead notifier_queue_full"])
    }

    /// A delivery that never had a device does not use the queue.
    @Test(arguments: Backend.allCases) func `a comment without a device is rejected if the rest finds no room`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 1)
        _ = try fixture.store.take(Sample(1).incoming())
        let subscriptions = [Subscription(notifier: "phone", requiresDevice: true), Subscription(notifier: "log")]
        #expect(throws: StoreError.self) { try fixture.store.take(IncomingEvent(Sample(2).event, to: subscriptions)) }
        #expect(try fixture.store.take(IncomingEvent(Sample(3).event, to: Array(subscriptions.prefix(1)))) == .accepted)
        #expect(try states(fixture.store) == ["log pending ", "phone no_target no_target"])
    }

    /// The counts in memory are rebuilt by app.
    @Test func `a reopened file keeps the shares`() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maxPendingPerNotifier = 2
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        for number in 1...2 { try store.take(Sample(number)) }
        store.close()
        let again = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { again.close() }
        #expect(throws: StoreError.self) { try again.take(Sample(3)) }
        try again.take(Sample(4).with { $0.app = "other" })
    }

    @Test(arguments: Backend.allCases) func `the number of an event's deliveries is stored`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 2)
        for device in 1...3 { try fixture.store.put("T\(device)", device: "d\(device)") }
        _ = try fixture.store.take(Sample(1).with { $0.requiresDevice = true }.incoming())
        #expect(try fixture.store.comments().map(\.state) == [.pending, .pending, .dead])
    }

    /// The help desk repeats the webhook.
    @Test(arguments: Backend.allCases) func `a comment is rejected when the common queue is full`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 2)
        _ = try fixture.store.take(Sample(1).incoming())
        #expect(throws: StoreError.self) { try fixture.store.take(Sample(2).incoming(to: ["a", "b"])) }
        #expect(try fixture.store.take(Sample(3).incoming()) == .accepted)
        #expect(try states(fixture.store) == ["log pending ", "log pending "])
        #expect(fixture.store.refused == [])
    }

    /// No one would repeat it, and a person must always be able to sign in and out.
    @Test(arguments: Backend.allCases) func `a registration is never rejected`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        try fixture.store.take(Sample(1))
        let rule = LimitRule.fiveMinutes(.user)
        #expect(try fixture.store.payload(.of("A", rule)) == .registered)
        #expect(try fixture.store.put(nil) == .removed)
        #expect(try states(fixture.store) == ["log pending ", "registry dead queue_full", "registry dead queue_full"])
        #expect(fixture.store.refused == [RefusedDeliveries(notifier: "registry", ending: .queueFull, count: 2)])
    }

    @Test(arguments: Backend.allCases) func `the queue of the registry's notifier is limited`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 1)
        for device in 1...2 { try fixture.store.put("T\(device)", device: "d\(device)") }
        #expect(try states(fixture.store) == ["registry pending ", "registry dead notifier_queue_full"])
        #expect(try fixture.store.registered() == ["user d1 T1", "user d2 T2"])
    }

    /// A thousand devices with 66 subscriptions exceed the ids of an event's deliveries.
    @Test(arguments: Backend.allCases) func `the deliveries of an event are limited`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 40)
        for device in 1...40 { try fixture.store.put("T\(device)", device: "d\(device)") }
        let subscriptions = (1...66).map { Subscription(notifier: "n\($0)") }
        _ = try fixture.store.take(IncomingEvent(Sample(1).event, to: subscriptions))
        let comments = try fixture.store.comments()
        #expect(comments.count == DeliveryPlan.maximumRows)
        #expect(comments.dropLast().allSatisfy { $0.state == .pending })
        #expect(comments.last?.state == .dead)
        #expect(comments.last?.reason == "too_many_deliveries")
        #expect(fixture.store.refused.map(\.ending) == [.tooMany])
    }
}
