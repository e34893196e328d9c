import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct StoreContractRateLimitTests {
    static let rateLimits = [
        OutboundRateLimit(per: .person, max: 1, windowMilliseconds: 300_000),
        OutboundRateLimit(per: .device, max: 5, windowMilliseconds: 300_000),
    ]

    private func claim(_ store: any Store, at now: UnixMilliseconds, limit: Int = 100) throws -> Claimed {
        try store.claimDue(.paced(at: now, limit: limit))
    }

    private func reported(_ claimed: Claimed) -> [String] { claimed.deliveries.map { "\($0.event.userID) \($0.event.identity.deviceID)" } }

    @Test(arguments: Backend.allCases) func `a person is called once in a window`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.sign("1", user: "a", at: 1000)
        try fixture.store.sign("2", user: "a", at: 1001)
        try fixture.store.sign("3", user: "b", at: 1002)
        let first = try claim(fixture.store, at: 2000)
        #expect(reported(first) == ["a 1", "b 3"])
        #expect(first.putOff == 1)
        #expect(first.nextDue == 3000)
        let waiting = try #require(try fixture.store.deliveries(DeliveryFilter(reason: "paced"), limit: 9).first)
        #expect(waiting.event.identity.deviceID == "2")
        #expect(waiting.state == .pending)
        #expect(waiting.dueAt == 302_000)
        #expect(try fixture.store.story(of: waiting.id)?.attempts == [], "nobody was asked, so no attempt is counted")
        for delivery in first.deliveries { try fixture.store.report(delivery, next: .delivered, at: 2500) }
        let early = try claim(fixture.store, at: 301_999)
        #expect(reported(early) == [])
        #expect(early.nextDue == 302_000)
        #expect(try reported(claim(fixture.store, at: 302_000)) == ["a 2"])
    }

    @Test(arguments: Backend.allCases) func `a device is called about five times in a window`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...6 { try fixture.store.sign("phone", user: "u\(number)", at: 1000) }
        let claimed = try claim(fixture.store, at: 2000)
        #expect(claimed.deliveries.count == 5)
        #expect(claimed.putOff == 1)
        for delivery in claimed.deliveries { try fixture.store.report(delivery, next: .delivered, at: 2500) }
        #expect(try reported(claim(fixture.store, at: 302_000)) == ["u6 phone"])
    }

    /// The relay decides about these without a call.
    @Test(arguments: Backend.allCases) func `a delivery without a call neither waits nor is counted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.sign("1", token: "old", user: "a", at: 1000)
        try fixture.store.sign("1", token: "new", user: "a", at: 1001)
        let claimed = try claim(fixture.store, at: 2000)
        #expect(claimed.deliveries.map { RegistryChange.Payload($0.event)?.token.text } == ["old", "new"])
        #expect(claimed.putOff == 0)
    }

    @Test(arguments: Backend.allCases) func `a call that never arrived is not counted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.sign("1", user: "a", at: 1000)
        func end(_ delivery: Delivery, attempt: Int, isUncalled: Bool) throws {
            try fixture.store.finish([
                FinishedAttempt(
                    id: delivery.id, attempt: attempt, next: .retry(at: 2100), reason: "r", now: 2050,
                    uncountedCall: isUncalled ? RateLimitedCall(delivery, Self.rateLimits) : nil)
            ])
        }
        let first = try #require(try claim(fixture.store, at: 2000).deliveries.first)
        try end(first, attempt: 1, isUncalled: true)
        let second = try #require(try claim(fixture.store, at: 2100).deliveries.first)
        #expect(second.attempts == 2)
        try end(second, attempt: 1, isUncalled: true)
        try end(second, attempt: 2, isUncalled: false)
        #expect(try claim(fixture.store, at: 2100).putOff == 1, "a report on an earlier attempt gives nothing back")
        #expect(try fixture.store.current(second)?.dueAt == 302_100)
    }

    @Test(arguments: Backend.allCases) func `a clock that was set back costs one window`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.sign("1", user: "a", at: 1000)
        #expect(try claim(fixture.store, at: 9_000_000).deliveries.count == 1)
        try fixture.store.sign("2", user: "a", at: 1001)
        #expect(try claim(fixture.store, at: 500_000).putOff == 1)
        #expect(try fixture.store.deliveries(DeliveryFilter(reason: "paced"), limit: 9).map(\.dueAt) == [800_000])
        #expect(try reported(claim(fixture.store, at: 800_000)) == ["a 2"])
    }

    @Test(arguments: Backend.allCases) func `upkeep deletes calls outside the window`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.sign("1", user: "a", at: 1000)
        #expect(try claim(fixture.store, at: 2000).deliveries.count == 1)
        func purge(at now: UnixMilliseconds, limit: Int = 9) throws -> Int {
            try fixture.store.purge(now: now, deliveredBefore: 0, deadBefore: 0, limit: limit)
        }
        #expect(try purge(at: 302_000) == 0)
        #expect(try purge(at: 302_001, limit: 1) == 1)
        #expect(try purge(at: 302_001) == 1)
        #expect(try purge(at: 302_001) == 0)
    }

    @Test(arguments: Backend.allCases) func `one call defers a limited number`(_ backend: Backend) throws {
        let fixture = try backend.store()
        // The device is called five times.
        for number in 0..<300 { try fixture.store.sign("phone", user: "u\(number)", at: 1000) }
        let first = try claim(fixture.store, at: 2000, limit: 8)
        #expect(first.deliveries.count == 5)
        #expect((1...256).contains(first.putOff))
        #expect(first.nextDue ?? .max <= 2000, "so the rest is asked for at once")
        #expect(try claim(fixture.store, at: 2000, limit: 8).putOff == 295 - first.putOff)
    }

    @Test func `counts survive the process`() throws {
        let directory = try TemporaryDirectory()
        var store = try SQLiteStore(path: directory.path("store.db"))
        try store.sign("1", user: "a", at: 1000)
        let delivery = try #require(try claim(store, at: 2000).deliveries.first)
        try store.report(delivery, next: .retry(at: 2100), at: 2050)
        store.close()
        store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        #expect(try claim(store, at: 2100).putOff == 1)
    }
}

extension Claim {
    /// A claim for `relay` with the rate limits of these tests.
    static func paced(at now: UnixMilliseconds, limit: Int = 100) -> Claim {
        Claim(notifier: "relay", now: now, leaseMilliseconds: 1000, limit: limit, rateLimits: StoreContractRateLimitTests.rateLimits)
    }
}

extension DeliveryFilter {
    init(reason: String) {
        self.init()
        self.reason = reason
    }
}

extension Store {
    /// Signs a user in on a device, with an event for `relay`.
    func sign(_ device: String, token: String? = nil, app: String = "app", user: String, at now: UnixMilliseconds) throws {
        let audience = RegistryAudience([(app, [Subscription(notifier: "relay")])], lifetimeMilliseconds: 1 << 40)
        let payload = try Registration.of(token ?? "T-\(user)-\(device)", app: app, user: user, device: device, at: now)
        let answer = Answer<Registration.Outcome>()
        register(payload, telling: audience) { answer.set($0) }
        _ = try answer.get()
    }
}
