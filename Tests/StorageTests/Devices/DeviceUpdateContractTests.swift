import Core
import Testing
import Time

@Suite struct DeviceUpdateContractTests {
    /// Registers at 1000, and claims a comment for the device at 2000.
    private func claimed(_ store: any Store) throws -> Delivery {
        try store.put("A")
        try store.take(
            Sample(1).with {
                $0.device = "d1"
                $0.requiresDevice = true
            })
        return try #require(try store.claim(at: 2000).first)
    }

    private func report(_ store: any Store, _ update: FinishedAttempt.DeviceUpdate, of delivery: Delivery, attempt: Int? = nil) throws {
        try store.finish([
            FinishedAttempt(
                id: delivery.id, attempt: attempt ?? delivery.attempts, next: .dead, reason: "unregistered", now: 3000,
                device: delivery.device, update: update)
        ])
    }

    /// A provider's time is by its own clock, and no store converts it.
    @Test(arguments: Backend.allCases, [nil, 1001] as [UnixMilliseconds?])
    func `an unregistered device is removed`(_ backend: Backend, _ since: UnixMilliseconds?) throws {
        let fixture = try backend.store(aheadMilliseconds: 0)
        let delivery = try claimed(fixture.store)
        try report(fixture.store, .gone(since: since), of: delivery)
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.announced() == ["registered user d1 A", "gone user d1 A"])
        #expect(try fixture.store.current(delivery)?.state == .dead)
        try fixture.store.take(
            Sample(2).with {
                $0.device = "d1"
                $0.requiresDevice = true
                $0.token = delivery.device?.token
            })
        #expect(try fixture.store.registered() == [], "a webhook with the same token does not bring it back")
        #expect(try fixture.store.put("A", at: 4000) == .registered)
    }

    /// It registered again after the provider's time, or after the attempt began.
    @Test(arguments: Backend.allCases) func `a device that was seen in the meantime stays`(_ backend: Backend) throws {
        for (since, seen) in [(1000, nil), (1500, 1500), (1500, 2500), (nil, 1001)] as [(UnixMilliseconds?, UnixMilliseconds?)] {
            let fixture = try backend.store(aheadMilliseconds: 0)
            let delivery = try claimed(fixture.store)
            if let seen { try fixture.store.put("A", at: seen) }
            try report(fixture.store, .gone(since: since), of: delivery)
            #expect(try fixture.store.registered() == ["user d1 A"])
            #expect(try fixture.store.announced().count == 1)
            #expect(try fixture.store.current(delivery)?.state == .dead)
        }
    }

    @Test(arguments: Backend.allCases) func `a device with another token stays`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.put("B")
        try report(fixture.store, .gone(since: nil), of: delivery)
        try report(fixture.store, .gone(since: 9999), of: delivery)
        #expect(try fixture.store.registered() == ["user d1 B"])
    }

    @Test(arguments: Backend.allCases) func `a removal is announced once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.put(nil)
        for _ in 1...2 { try report(fixture.store, .gone(since: nil), of: delivery) }
        #expect(try fixture.store.announced() == ["registered user d1 A", "unsubscribed user d1 A"])
        _ = try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: 1)
        try report(fixture.store, .environment("production"), of: delivery)
        #expect(try fixture.store.announced().count == 2)
    }

    @Test(arguments: Backend.allCases) func `an unknown attempt removes nothing`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try report(fixture.store, .gone(since: nil), of: delivery, attempt: 2)
        #expect(try fixture.store.registered() == ["user d1 A"])
        #expect(try fixture.store.claim(at: 9000).map(\.attempts) == [2])
        try report(fixture.store, .gone(since: nil), of: delivery)
        #expect(try fixture.store.registered() == [], "a late report on an earlier try is news all the same")
        #expect(try fixture.store.current(delivery)?.state == .pending)
    }

    @Test(arguments: Backend.allCases) func `the environment is stored until the token changes`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.finish([
            FinishedAttempt(
                id: delivery.id, attempt: 1, next: .delivered, reason: "ok", now: 3000, device: delivery.device,
                update: .environment("sandbox"))
        ])
        #expect(try fixture.store.device()?.environment == "sandbox")
        #expect(try fixture.store.put("A", at: 4000) == .unchanged)
        let device = try #require(try fixture.store.device())
        #expect(device.environment == "sandbox")
        #expect(device.registeredAt == 1000)
        #expect(device.seenAt == 4000)
        try fixture.store.take(Sample(2).with { $0.device = "d1" })
        #expect(try fixture.store.claim(at: 5000).first?.device?.environment == "sandbox")
        #expect(try fixture.store.put("B", at: 6000) == .registered)
        #expect(try fixture.store.device()?.environment == nil)
        #expect(try fixture.store.announced().count == 2, "it is nobody else's business")
    }

    @Test(arguments: Backend.allCases) func `the environment of another token is ignored`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try claimed(fixture.store)
        try fixture.store.put("B")
        try report(fixture.store, .environment("sandbox"), of: delivery)
        #expect(try fixture.store.device()?.environment == nil)
    }
}
