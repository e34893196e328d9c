import Core
import TestSupport
import Testing
import Time

@testable import Storage

/// Processes with different clocks on one database.
@Suite struct PostgresClockTests {
    /// The upper bound of the error of a measured offset on a busy machine, in milliseconds.
    private static let tolerance: UInt64 = 60_000

    /// Round trips in the contract suites cannot detect a time that is converted neither when written nor when read.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `each process reads times of its own clock`(ahead: Int64) throws {
        let place = try PostgresSchemaFixture()
        let (right, wrong) = (try place.store(), try place.store(aheadMilliseconds: ahead))
        defer { for store in [right, wrong] { store.close() } }
        let now = SystemClock.unixMilliseconds()
        try right.put("token", at: now)
        for number in 1...2 { try right.take(Sample(number).with { ($0.received, $0.expires) = (now, now + 100_000) }) }
        let claimed = try #require(try right.claim(at: now, limit: 1).first)
        try right.report(claimed, next: .delivered, at: now)
        let condition = OperatorCondition(OperatorCondition.Key(.diskLow, "store"), since: now, data: Array("{}".utf8))
        #expect(try right.raise(condition, announcing: nil))
        let id = UUIDv7(milliseconds: 1, number: 9)
        try right.revoke(
            Revocation(id: id, appID: "app", subject: .keyID(1), issuedBefore: nil, reason: "", author: "test", createdAt: now))
        try right.record([KeyUse(appID: "app", keyID: 1, since: now, usedAt: now)])

        let story = try #require(try wrong.story(of: claimed.id))
        let (device, use) = (try wrong.device(), try wrong.keyUses().first)
        let registered = try wrong.all().first { $0.event.kind == .pushTokenRegistered }
        let reported = [
            ("registered", device?.registeredAt), ("seen", device?.seenAt), ("received", story.delivery.event.receivedAt),
            ("ended", story.delivery.endedAt), ("began", story.attempts.first?.startedAt), ("finished", story.attempts.first?.endedAt),
            ("due", registered?.dueAt),
            ("waits since", try wrong.pending().first?.oldestReceivedAt), ("condition", try wrong.conditions().first?.since),
            ("revocation", try wrong.revocations(of: nil, after: nil, limit: 1).first?.createdAt),
            ("recorded since", use?.since), ("used", use?.usedAt),
        ]
        let wrongNow = now.advanced(by: ahead)
        for (name, moment) in reported {
            #expect(try #require(moment, "\(name)").offset(from: wrongNow).magnitude < Self.tolerance, "\(name)")
        }
        let target = try #require(registered?.device)
        #expect(target.seenAt.offset(from: now).magnitude < Self.tolerance, "a provider's time is compared with it")

        var filter = DeliveryFilter()
        (filter.receivedFrom, filter.receivedBefore) = (wrongNow - Self.tolerance, wrongNow + Self.tolerance)
        #expect(try wrong.deliveries(filter, limit: 9).count == 3)
        #expect(try right.deliveries(filter, limit: 9).isEmpty)
        #expect(try wrong.forget(.delivered, endedBefore: wrongNow - Self.tolerance, limit: 9) == 0)
        #expect(try wrong.forget(.delivered, endedBefore: wrongNow + Self.tolerance, limit: 9) == 1)
        let comment = try #require(claimed.event.identity.commentID)
        let arrivedAt = try #require(try wrong.incoming(ofForgotten: comment, appID: "app"))
        #expect(arrivedAt.offset(from: wrongNow).magnitude < Self.tolerance)
    }

    /// A receiver gets the same time from any process that delivers, also in a retry.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `events of Deskgate have the time of the database's clock`(ahead: Int64)
        throws
    {
        let place = try PostgresSchemaFixture()
        let (right, wrong) = (try place.store(), try place.store(aheadMilliseconds: ahead))
        defer { for store in [right, wrong] { store.close() } }
        let now = SystemClock.unixMilliseconds()
        try wrong.put("token", at: now.advanced(by: ahead))
        let condition = OperatorCondition(
            OperatorCondition.Key(.diskLow, "store"), since: now.advanced(by: ahead), data: Array("{}".utf8))
        let begun = condition.begun(id: UUIDv7(milliseconds: 1, number: 1 << 16), lifetimeMilliseconds: 100_000)
        #expect(try wrong.raise(condition, announcing: IncomingEvent(begun, to: [Subscription(notifier: "log")])))
        for store in [right, wrong] {
            let events = try store.all().map(\.event)
            #expect(Set(events.map(\.kind)) == [.pushTokenRegistered, .diskLow])
            for event in events { #expect(event.occurredAt.offset(from: now).magnitude < Self.tolerance, "\(event.kind)") }
        }
    }

    /// A time that is stored with one offset and read with another would differ.
    @Test func `an offset is kept until another one differs by more than the tolerance`() {
        let tolerance = Int64(TimeLimit.milliseconds(1000))
        let offset = ClockOffset.none.adjusted(to: 7_200_000)
        #expect(ClockOffset.none.adjusted(to: tolerance - 1) == .none)
        #expect(ClockOffset.none.adjusted(to: -tolerance) != .none)
        #expect(offset.adjusted(to: 7_200_000 + tolerance - 1) == offset)
        #expect(offset.adjusted(to: 7_200_000 - tolerance) != offset)
        #expect(offset.adjusted(to: 0) == .none)
    }

    /// Otherwise the bound of a sign-out would be wrong by the delay of the response to a heartbeat.
    @Test(
        arguments: [
            (former: (1000, 2), later: (1900, 1000), known: 1000), (former: (1000, 2), later: (2500, 1000), known: 2500),
            (former: (1900, 1000), later: (1000, 2), known: 1000), (former: (1000, 2), later: (1001, 2), known: 1001),
            (former: nil, later: (1900, 1000), known: 1900),
        ] as [(former: (UInt64, UInt64)?, later: (UInt64, UInt64), known: Int64)])
    func `a slow response does not replace a better measurement`(former: (UInt64, UInt64)?, later: (UInt64, UInt64), known: Int64) {
        func measured(_ ahead: UInt64, _ error: UInt64) -> DatabaseClock {
            DatabaseClock(showing: UnixMilliseconds(rawValue: ahead), at: 0, within: error, beside: { 0 })
        }
        let clock = measured(later.0, later.1).refined(by: former.map { measured($0.0, $0.1) })
        #expect(clock.aheadOfStart == known)
    }

    /// Otherwise a replica with a correct clock would set the bound of a sign-out wrong by a second.
    @Test(arguments: [(60_000, true), (1000, false)] as [(UInt64, Bool)])
    func `clocks within the error of measurement are equal`(error: UInt64, areEqual: Bool) {
        let clock = DatabaseClock(
            showing: SystemClock.unixMilliseconds() + 30_000, at: SystemClock.bootMilliseconds(), within: error,
            beside: { SystemClock.unixMilliseconds() })
        #expect((clock.aheadMilliseconds == 0) == areEqual)
    }

    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `the maximum time is not converted`(ahead: Int64) {
        let offset = ClockOffset.none.adjusted(to: ahead)
        for never in [UnixMilliseconds.max, UnixMilliseconds(rawValue: UInt64(Int64.max))] {
            #expect(offset.databaseTime(never) == never)
            #expect(offset.localTime(never) == never)
        }
        let moment: UnixMilliseconds = 1_700_000_000_000
        #expect(offset.databaseTime(moment) == moment.advanced(by: ahead))
        #expect(offset.localTime(offset.databaseTime(moment)) == moment)
    }

    @Test func `no time is before the clock's zero`() {
        let offset = ClockOffset.none.adjusted(to: -7_200_000)
        #expect(offset.databaseTime(1000 as UnixMilliseconds) == 0)
    }
}
