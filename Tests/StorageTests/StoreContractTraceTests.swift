import Core
import Storage
import TestSupport
import Testing
import Time

/// The trace of an event's request, for every kind of store.
@Suite struct StoreContractTraceTests {
    private static let trace = TraceContext(traceID: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, spanID: 1 << 63 | 7, isSampled: true)
    private static let audience = RegistryAudience([("app", [Subscription(notifier: "registry")])], lifetimeMilliseconds: 100_000)

    @Test(arguments: Backend.allCases) func `is returned with every delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        _ = try store.take(Sample(1).with { $0.trace = Self.trace }.incoming(to: ["log", "http"]))
        try store.take(Sample(2).with { $0.trace = Self.trace.sampled(false) })
        try store.take(Sample(3))
        let traces: [TraceContext?] = [Self.trace, Self.trace.sampled(false), nil]
        let claimed = try store.claim(at: 1000)
        #expect(claimed.map(\.event.trace) == traces)
        #expect(claimed.allSatisfy { $0.attempt == nil })
        #expect(try store.claim("http", at: 1000).map(\.event.trace) == [Self.trace])
        #expect(try store.current(claimed[0])?.event.trace == Self.trace)
        // It is kept longer than the data.
        try store.report(claimed[1], next: .delivered, at: 1001)
        #expect(try store.current(claimed[1])?.event.trace == Self.trace.sampled(false))
        #expect(try store.comments().map(\.event.trace) == [Self.trace, Self.trace, Self.trace.sampled(false), nil])
        var filter = DeliveryFilter()
        (filter.appID, filter.commentID) = ("app", 1)
        #expect(try store.deliveries(filter, limit: 9).map(\.event.trace) == [Self.trace, Self.trace])
    }

    @Test(arguments: Backend.allCases) func `of a registration is that of its events`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let answer = Answer<Registration.Outcome>()
        fixture.store.register(try .of("A"), telling: Self.audience.caused(by: Self.trace)) { answer.set($0) }
        #expect(try answer.get() == .registered)
        let next = Answer<Registration.Outcome>()
        fixture.store.register(try .of("B"), telling: Self.audience) { next.set($0) }
        #expect(try next.get() == .registered)
        #expect(try fixture.store.all().reversed().map(\.event.trace) == [Self.trace, nil])
    }

    /// The client chose its id, so it is erased with the person.
    @Test(arguments: Backend.allCases) func `is erased with a forgotten person`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        let person = AppUser(appID: "app", userID: "user")
        let event = Event(
            id: Sample(1).event.id, kind: .userForgotten,
            identity: Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: ""),
            userID: "user", occurredAt: 3000, receivedAt: 3000, expiresAt: 100_000, data: Event.emptyData, trace: Self.trace)
        try store.revoke(
            .sample(1, .formerUser(try FormerUser(person, salt: [UInt8](0..<32)))),
            announcing: IncomingEvent(event, to: [Subscription(notifier: "crm")], isErased: true))
        let claimed = try #require(try store.claim("crm", at: 3000).first)
        #expect(claimed.event.trace == Self.trace)
        #expect(claimed.event.userID == "user")
        try store.report(claimed, next: .delivered, at: 3001)
        let reported = try #require(try store.current(claimed)).event
        #expect(reported.userID.isEmpty)
        #expect(reported.trace == nil)
    }

    @Test func `survives a restart`() throws {
        let directory = try TemporaryDirectory()
        for attempt in 1...2 {
            let store = try SQLiteStore(path: directory.path("store.db"))
            defer { store.close() }
            if attempt == 1 { try store.take(Sample(1).with { $0.trace = Self.trace }) }
            #expect(try store.all().map(\.event.trace) == [Self.trace])
        }
    }

    @Test func `another replica finds it`() throws {
        let place = try PostgresSchemaFixture()
        let (first, second) = (try place.store(), try place.store())
        defer {
            first.close()
            second.close()
        }
        try first.take(Sample(1).with { $0.trace = Self.trace })
        #expect(try second.all().map(\.event.trace) == [Self.trace])
    }
}
