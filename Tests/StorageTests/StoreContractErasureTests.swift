import Core
import Storage
import TestSupport
import Testing
import Time

/// Erasure of persons, for every kind of store.
@Suite struct StoreContractErasureTests {
    private static let person = AppUser(appID: "app", userID: "user")
    private static let salt = [UInt8](0..<32)
    private static let audience = RegistryAudience(
        [("app", [Subscription(notifier: "relay"), Subscription(notifier: "crm", keepsOrder: true)])], relays: ["relay"],
        lifetimeMilliseconds: 100_000)

    private func former() throws -> FormerUser { try FormerUser(Self.person, salt: Self.salt) }

    /// Revokes the person, and announces it to `crm`.
    private func revoke(_ store: any Store, at now: UnixMilliseconds = 3000) throws {
        let event = Event(
            forgetting: Self.person, id: UUIDv7(milliseconds: 5, number: 1 << 16).event, now: now, lifetimeMilliseconds: 100_000)
        try store.revoke(
            .sample(1, .formerUser(try former())),
            announcing: IncomingEvent(event, to: Self.audience.listeners(of: "app"), isErased: true))
    }

    private func erase(_ store: any Store, at now: UnixMilliseconds = 3000) throws -> Erasure {
        try store.erase(Self.person, now: now, telling: Self.audience)
    }

    private func proof(_ store: any Store) throws -> ErasureProof { try store.proveErasure(of: PersonTraces(Self.person)) }

    /// Whether any data visible to operators contains the person.
    private func isNamed(_ store: any Store) throws -> Bool {
        let isInDeliveries = try store.all().contains {
            $0.event.userID == "user" || $0.deviceID == "phone" || $0.event.identity.deviceID == "phone"
        }
        return try isInDeliveries || store.registered().contains { $0.hasPrefix("user ") }
    }

    /// The person with a device and three comments, one delivered and one given up, and another person.
    private func filled(_ backend: Backend) throws -> StoreFixture {
        let fixture = try backend.store()
        let store = fixture.store
        try store.put("token-1", device: "phone")
        try store.put("token-2", device: "tablet")
        try store.put(nil, device: "tablet")
        try store.put("token-3", user: "other")
        for number in 1...3 {
            try store.take(Sample(number).with { ($0.device, $0.data) = ("phone", Array(#"{"body":"secret"}"#.utf8)) })
        }
        let claimed = try store.claim(at: 2000)
        try store.report(claimed[0], next: .delivered, at: 2001)
        try store.report(claimed[1], next: .dead, at: 2001)
        try store.take(Sample(4).with { $0.user = "other" })
        return fixture
    }

    @Test(arguments: Backend.allCases) func `all data of the person is erased`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        let store = fixture.store
        try revoke(store)
        let erasure = try erase(store)
        // Three comments, and the registry's events for `registry` about three changes.
        #expect(erasure.devices == 1)
        #expect(erasure.events == 6)
        #expect(erasure.deliveries == 6)
        #expect(erasure.pending == [ByteKey("log"): 1, ByteKey("registry"): 3])
        #expect(try store.registered() == ["other d1 token-3"])
        #expect(try store.comments().map(\.event.userID) == ["other"])
        #expect(try store.pending().map { "\($0.notifier) \($0.count)" } == ["crm 1", "log 1", "registry 1", "relay 1"])
        #expect(try erase(store) == Erasure(), "a repeated call finds nothing")
        for number in 1...3 {
            let repeated = try store.take(Sample(number).with { $0.device = "phone" }.incoming())
            #expect(repeated == .duplicate(of: Sample(number).event.id))
        }
        #expect(try proof(store).tables.isEmpty, "nor does a repeated webhook leave anything")
    }

    @Test(arguments: Backend.allCases) func `the event of the erasure loses the person's name when it ends`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        let store = fixture.store
        try revoke(store)
        _ = try erase(store)
        let waiting = [Erasure.Deliveries(notifier: "crm", count: 1), Erasure.Deliveries(notifier: "relay", count: 1)]
        let before = try proof(store)
        #expect(before.tables.isEmpty)
        #expect(before.waiting == waiting)
        #expect(try isNamed(store))

        let reported = try #require(try store.claim("crm", at: 4000).first)
        #expect(reported.event.kind == .userForgotten)
        #expect(reported.event.userID == "user")
        try store.report(reported, next: .retry(at: 4500), at: 4001)
        #expect(try proof(store).waiting == waiting)
        let again = try #require(try store.claim("crm", at: 4500).first)
        try store.report(again, next: .delivered, at: 4501)
        #expect(try proof(store).waiting == [waiting[1]])

        let removal = try #require(try store.claim("relay", at: 4000).first)
        #expect(announcement(removal.event) == "forgotten user phone token-1")
        #expect(removal.device == nil)
        try store.report(removal, next: .dead, at: 4001)
        let after = try proof(store)
        #expect(after.tables.isEmpty)
        #expect(after.waiting.isEmpty)
        #expect(try !isNamed(store))
        let states = try store.all().filter { ["crm", "relay"].contains($0.notifier) }.map { "\($0.notifier) \($0.state)" }
        #expect(states.sorted() == ["crm delivered", "relay dead"], "what became of them is still seen")
        var dead = DeliveryFilter()
        dead.notifier = "relay"
        #expect(try store.retryAll(dead, now: 5000, expiresAt: 9000).kept == [.forgotten: 1], "there is nothing to send")
    }

    /// The clock of the other tests is behind, because they begin at its zero.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `a wrong clock keeps the event of the erasure`(ahead: Int64) throws {
        let fixture = try Backend.postgres.store(aheadMilliseconds: ahead)
        let store = fixture.store
        let now = SystemClock.unixMilliseconds().advanced(by: ahead)
        try revoke(store, at: now)
        _ = try erase(store, at: now)
        #expect(try proof(store).waiting == [Erasure.Deliveries(notifier: "crm", count: 1)])
        let reported = try #require(try store.claim("crm", at: now + 1000).first)
        #expect(reported.event.kind == .userForgotten)
        #expect(reported.event.userID == "user")
        try store.report(reported, next: .delivered, at: now + 1001)
        #expect(try !isNamed(store))
    }

    @Test(arguments: Backend.allCases) func `an expired event loses the person's name too`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        let store = fixture.store
        try revoke(store)
        _ = try erase(store)
        _ = try store.giveUpExpired(now: 200_000, limit: 100)
        #expect(try proof(store).waiting.isEmpty)
        #expect(try !isNamed(store))
    }

    /// Without room no notifier gets the event, and no data contains the person.
    @Test(arguments: Backend.allCases) func `a full queue gets no event of the erasure`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        let store = fixture.store
        try store.take(Sample(1).with { $0.user = "other" })
        try revoke(store)
        #expect(try proof(store).waiting.isEmpty)
        #expect(try !isNamed(store))
        #expect(store.refused.map(\.notifier) == ["crm"])
    }

    /// A comment that waited behind the person's in a ticket is next.
    @Test(arguments: Backend.allCases) func `other comments of the ticket continue`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.take(Sample(1).with { $0.keepsOrder = true })
        let second = try store.take(Sample(2).with { ($0.keepsOrder, $0.user) = (true, "other") })
        _ = try erase(store)
        #expect(try store.claim(at: 4000).map(\.id) == [second.id])
    }

    /// The outcome of a running attempt changes nothing.
    @Test(arguments: Backend.allCases) func `a running attempt may end`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.put("token-1", device: "phone")
        try store.take(Sample(1).with { $0.device = "phone" })
        let running = try #require(try store.claim(at: 2000).first)
        _ = try erase(store)
        try store.report(running, next: .retry(at: 2500), at: 2400)
        #expect(try store.claim(at: 3000).isEmpty)
        #expect(try store.current(running) == nil)
    }

    @Test(arguments: Backend.allCases) func `the revocation is permanent`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        #expect(try store.formerSalt() == nil)
        try revoke(store)
        #expect(try store.formerSalt() == Self.salt)
        let revocation = Revocation.sample(1, .formerUser(try former()))
        let named = AppUser(appID: "app", userID: try former().name)
        #expect(try store.revocations(of: named, after: nil, limit: 9) == [revocation])
        #expect(try store.revocations(of: Self.person, after: nil, limit: 9).isEmpty)
        #expect(try store.removeRevocation(revocation.id) == nil)
        #expect(try store.revocations(of: nil, after: nil, limit: 9) == [revocation])
    }

    @Test(arguments: Backend.allCases) func `a search finds the remaining data`(_ backend: Backend) throws {
        let fixture = try filled(backend)
        try fixture.store.revoke(.sample(2, .user("user")))
        let tables = try proof(fixture.store).tables.map { "\($0.name) \($0.rows)" }
        #expect(tables.filter { !$0.hasPrefix("persons") } == ["events 6", "devices 2", "revocations 1"])
        #expect(try fixture.store.proveErasure(of: PersonTraces(AppUser(appID: "none", userID: "user"))).tables.isEmpty)
    }
}
