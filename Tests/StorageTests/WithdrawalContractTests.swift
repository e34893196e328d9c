import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct WithdrawalContractTests {
    private static let phones = Subscription(
        notifier: "apns", deviceTypes: .only(["ios"]), requiresDevice: true, isForEachDevice: true)
    private static let audience = [Subscription(notifier: "backend"), phones]

    private func see(
        _ store: any Store, _ number: Int, user: String = "user", ticket: HelpDeskID? = 1, at time: UnixMilliseconds = 5000,
        life: UInt64 = 100_000_000, to audience: [Subscription] = audience
    ) throws -> ReportOutcome {
        let mark = ReadReceipt(
            AppUser(appID: "app", userID: user), conversation: ticket, notifiers: ["apns"], receivedAt: time)
        return try store.take(
            Report(
                mark, isChannel: false, to: audience, id: UUIDv7(milliseconds: 1, number: number << 16), lifetimeMilliseconds: life))
    }

    private func shown(_ deliveries: [Delivery]) -> [String] {
        deliveries.map { "\($0.notifier) \($0.deviceID ?? "") \($0.state.rawValue)\($0.reason.isEmpty ? "" : " ")\($0.reason)" }.sorted()
    }

    /// The deliveries of read receipts; registrations have others.
    private func seen(_ store: any Store) throws -> [Delivery] {
        try store.all().filter { $0.event.kind == .conversationSeen }
    }

    private func fill(_ store: any Store) throws {
        try store.put("token1")
        try store.put("token2", device: "d2")
        try store.put("token3", device: "d3", type: "android")
        try store.put("token4", user: "other", device: "d4")
        try store.put("token5", app: "app2", device: "d5")
        try store.put("token6", device: "d6")
        try store.put(nil, device: "d6", at: 2000)
    }

    @Test(arguments: Backend.allCases) func `each served device gets one, and the backend one event`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 9)
        #expect(try shown(seen(fixture.store)) == ["apns d1 pending", "apns d2 pending", "backend  pending"])
    }

    @Test(arguments: Backend.allCases) func `a person without a device gets none`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 8, user: "nobody")
        #expect(try shown(seen(fixture.store)) == ["backend  pending"])
        _ = try see(fixture.store, 9, user: "nobody", ticket: 2, to: [Self.phones])
        #expect(try shown(seen(fixture.store)) == ["backend  pending"])
    }

    @Test(arguments: Backend.allCases) func `it waits for later receipts, and the backend's event does not`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 9)
        #expect(try fixture.store.claim("backend", at: 5000).count == 1)
        #expect(try fixture.store.claim("apns", at: 9999).isEmpty)
        #expect(try fixture.store.claim("apns", at: 10_000).compactMap(\.device?.key.deviceID).sorted() == ["d1", "d2"])
    }

    @Test(arguments: Backend.allCases) func `it expires after an hour, or with its event`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 8)
        _ = try see(fixture.store, 9, user: "other", life: 60_000)
        let expiries = try seen(fixture.store).map { "\($0.notifier) \($0.deviceID ?? "") \($0.event.expiresAt.rawValue)" }.sorted()
        #expect(
            expiries == ["apns d1 3605000", "apns d2 3605000", "apns d4 65000", "backend  100005000", "backend  65000"])
    }

    @Test(arguments: Backend.allCases) func `a later receipt replaces those that wait`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        for number in 1...20 { _ = try see(fixture.store, number, at: UnixMilliseconds(rawValue: 5000 + UInt64(number) * 1000)) }
        let waiting = try fixture.store.claim("apns", at: 40_000)
        #expect(waiting.map(\.event.receivedAt) == [25_000, 25_000])
        #expect(try fixture.store.claim("backend", at: 40_000).count == 20)
    }

    /// The backend gets one event a second; a receipt without an event must not cancel the withdrawal of the previous one.
    @Test(arguments: Backend.allCases) func `within a second the last receipt is still withdrawn`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 8)
        _ = try see(fixture.store, 9, at: 5500)
        #expect(
            try shown(seen(fixture.store)) == [
                "apns d1 delivered superseded_by_read", "apns d1 pending", "apns d2 delivered superseded_by_read", "apns d2 pending",
                "backend  pending",
            ])
        #expect(try fixture.store.claim("apns", at: 20_000).map(\.event.receivedAt) == [5500, 5500])
    }

    @Test(arguments: Backend.allCases) func `a receipt of another conversation or person replaces nothing`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 7)
        _ = try see(fixture.store, 8, ticket: 2, at: 7000)
        _ = try see(fixture.store, 9, user: "other", at: 7000)
        #expect(try fixture.store.claim("apns", at: 20_000).compactMap(\.deviceID).sorted() == ["d1", "d1", "d2", "d2", "d4"])
    }

    @Test(arguments: Backend.allCases) func `a receipt for all tickets replaces that of one`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 8)
        _ = try see(fixture.store, 9, ticket: nil, at: 7000)
        #expect(try fixture.store.claim("apns", at: 20_000).map(\.event.identity.ticketID) == [nil, nil])
    }

    @Test(arguments: Backend.allCases) func `a forgotten person gets none`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, 8)
        _ = try fixture.store.erase(AppUser(appID: "app", userID: "user"), now: 5500, telling: .nobody)
        let former = try FormerUser(AppUser(appID: "app", userID: "user"), salt: [UInt8](0..<32))
        try fixture.store.revoke(.sample(1, .formerUser(former)))
        #expect(try see(fixture.store, 9, at: 7000) == .ignored(reason: nil))
        #expect(try fixture.store.claim("apns", at: 20_000).isEmpty)
        #expect(try fixture.store.proveErasure(of: PersonTraces(AppUser(appID: "app", userID: "user"))).tables == [])
    }
}
