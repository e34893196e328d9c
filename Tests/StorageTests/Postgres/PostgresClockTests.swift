import Core
import TestSupport
import Testing
import Time

@testable import Storage

/// Processes on one database whose clocks differ.
@Suite struct PostgresClockTests {
    /// Measuring an offset on a busy machine is off by less, in milliseconds.
    private static let tolerance: UInt64 = 60_000

    /// Round trips in the contract suites cannot show a moment that is converted neither on its way in nor on its way out.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `each is reported the time of its own clock`(ahead: Int64) throws {
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

    /// A receiver is told the same by whichever process delivers, also if it tries again.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `events of our own happen by the databases clock`(ahead: Int64) throws {
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

    /// A moment that is stored with one offset and told with the next one would be another moment.
    @Test func `an offset counts until another one differs by more than the tolerance`() {
        let tolerance = Int64(TimeLimit.milliseconds(1000))
        let offset = ClockOffset.none.adjusted(to: 7_200_000)
        #expect(ClockOffset.none.adjusted(to: tolerance - 1) == .none)
        #expect(ClockOffset.none.adjusted(to: -tolerance) != .none)
        #expect(offset.adjusted(to: 7_200_000 + tolerance - 1) == offset)
        #expect(offset.adjusted(to: 7_200_000 - tolerance) != offset)
        #expect(offset.adjusted(to: 0) == .none)
    }

    /// The bound of a sign-out would be off by as much as the answer to a heartbeat was late.
    @Test(
        arguments: [
            (former: (1000, 2), later: (1900, 1000), known: 1000), (former: (1000, 2), later: (2500, 1000), known: 2500),
            (former: (1900, 1000), later: (1000, 2), known: 1000), (former: (1000, 2), later: (1001, 2), known: 1001),
            (former: nil, later: (1900, 1000), known: 1900),
        ] as [(former: (UInt64, UInt64)?, later: (UInt64, UInt64), known: Int64)])
    func `a slow answer spoils no better measurement`(former: (UInt64, UInt64)?, later: (UInt64, UInt64), known: Int64) {
        func measured(_ ahead: UInt64, _ error: UInt64) -> DatabaseClock {
            DatabaseClock(showing: UnixMilliseconds(rawValue: ahead), at: 0, within: error, beside: { 0 })
        }
        let clock = measured(later.0, later.1).refined(by: former.map { measured($0.0, $0.1) })
        #expect(clock.aheadOfStart == known)
    }

    /// A replica whose clock is right would set the bound of a sign-out a second off.
    @Test(arguments: [(60_000, true), (1000, false)] as [(UInt64, Bool)])
    func `clocks that no measurement tells apart are equal`(error: UInt64, areEqual: Bool) {
        let clock = DatabaseClock(
            showing: SystemClock.unixMilliseconds() + 30_000, at: SystemClock.bootMilliseconds(), within: error,
            beside: { SystemClock.unixMilliseconds() })
        #expect((clock.aheadMilliseconds == 0) == areEqual)
    }

    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `never is the same by every clock`(ahead: Int64) {
        let offset = ClockOffset.none.adjusted(to: ahead)
        for never in [UnixMilliseconds.max, UnixMilliseconds(rawValue: UInt64(Int64.max))] {
            #expect(offset.databaseTime(never) == never)
            #expect(offset.localTime(never) == never)
        }
        let moment: UnixMilliseconds = 1_700_000_000_000
        #expect(offset.databaseTime(moment) == moment.advanced(by: ahead))
        #expect(offset.localTime(offset.databaseTime(moment)) == moment)
    }

    @Test func `nothing is before the clocks zero`() {
        let offset = ClockOffset.none.adjusted(to: -7_200_000)
        #expect(offset.databaseTime(1000 as UnixMilliseconds) == 0)
    }
}
