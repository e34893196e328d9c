import Core
import TestSupport
import Testing
import Time

/// The time during which a repeated comment is a duplicate, for any state of its deliveries.
@Suite struct StoreContractRecognitionTests {
    /// An attacker may replay a captured signed webhook at any time.
    @Test(arguments: Backend.allCases, [FinishedAttempt.Next.delivered, .dead, nil])
    func `deduplicates purged events for a long time`(_ backend: Backend, _ next: FinishedAttempt.Next?) throws {
        let fixture = try backend.store()
        let incoming = Sample(1).incoming(to: next == nil ? [] : ["log"])
        _ = try fixture.store.take(incoming)
        if let next { try fixture.store.report(try fixture.store.claim(at: 1001)[0], next: next, at: 1002) }
        func purge(at now: UnixMilliseconds) throws -> Int {
            try fixture.store.purge(now: now, deliveredBefore: now, deadBefore: now, limit: 9)
        }
        #expect(try purge(at: 1003) == (next == nil ? 0 : 1))
        #expect(try purge(at: 1000 + Deduplication.milliseconds) == 0)
        #expect(try fixture.store.all() == [])
        #expect(try fixture.store.take(incoming) == .duplicate(of: Sample(1).event.id))
        #expect(try purge(at: 1001 + Deduplication.milliseconds) == 1)
        #expect(try fixture.store.take(incoming) == .accepted)
    }

    /// The remaining record of an event is compared by its complete identity.
    @Test(arguments: Backend.allCases) func `other events are new`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let first = Sample(1).with { ($0.comment, $0.device) = (7, "d1") }
        _ = try fixture.store.take(first.incoming(to: []))
        #expect(try fixture.store.take(first.incoming(to: [])) == .duplicate(of: first.event.id))
        let others: [(inout Sample) -> Void] = [{ $0.app = "b" }, { $0.comment = 8 }, { $0.ticket = 2 }, { $0.device = "d2" }]
        for (number, change) in others.enumerated() {
            var other = Sample(number + 2).with { ($0.comment, $0.device) = (7, "d1") }
            change(&other)
            #expect(try fixture.store.take(other.incoming(to: [])) == .accepted)
        }
    }

    /// Operators see the time although nothing else is left.
    @Test(arguments: Backend.allCases) func `reports when a purged event was received`(_ backend: Backend) throws {
        let fixture = try backend.store()
        func incoming(_ comment: HelpDeskID, _ app: String) throws -> UnixMilliseconds? {
            try fixture.store.incoming(ofForgotten: comment, appID: app)
        }
        let sample = Sample(1)
        let identity = sample.event.identity
        let comment = try #require(identity.commentID)
        #expect(try incoming(comment, identity.appID) == nil)
        try fixture.store.take(sample)
        #expect(try incoming(comment, identity.appID) == nil, "it is not forgotten yet")
        try fixture.store.report(try fixture.store.claim(at: 1001)[0], next: .delivered, at: 1002)
        #expect(try fixture.store.forget(.delivered, endedBefore: .max, limit: 9) == 1)
        #expect(try incoming(comment, identity.appID) == sample.event.receivedAt)
        #expect(try incoming(comment, "another") == nil)
        #expect(try incoming("another", identity.appID) == nil)
    }

    /// An operator purges at once, and the clock may be wrong.
    @Test(arguments: Backend.allCases) func `deduplicates events purged by an operator`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.take(Sample(1))
        try fixture.store.report(try fixture.store.claim(at: 1001)[0], next: .delivered, at: 1002)
        #expect(try fixture.store.forget(.delivered, endedBefore: .max, limit: 9) == 1)
        #expect(try fixture.store.take(Sample(1).incoming()) == .duplicate(of: Sample(1).event.id))
    }

    /// A registration is not repeated, so no record is needed.
    @Test(arguments: Backend.allCases) func `keeps no record of a purged registration`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let comment = Sample(1).event
        let event = Event(
            id: comment.id, kind: .pushTokenRegistered,
            identity: Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: "d"), userID: "user", occurredAt: 1,
            receivedAt: 1000, expiresAt: 9000, data: comment.data)
        _ = try fixture.store.take(IncomingEvent(event, to: Sample(1).incoming().subscriptions))
        try fixture.store.report(try fixture.store.claim(at: 1001)[0], next: .delivered, at: 1002)
        #expect(try fixture.store.purge(now: 1003, deliveredBefore: 1003, deadBefore: 0, limit: 9) == 1)
        #expect(
            try fixture.store.purge(now: UnixMilliseconds(2 * Deduplication.milliseconds), deliveredBefore: 0, deadBefore: 0, limit: 9)
                == 0,
            "the event is gone with its delivery")
    }

    @Test(arguments: Backend.allCases) func `purges events without deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<5 { _ = try fixture.store.take(Sample(number).incoming(to: [])) }
        func purge(at now: UnixMilliseconds) throws -> Int {
            try fixture.store.purge(now: now, deliveredBefore: 0, deadBefore: 0, limit: 3)
        }
        #expect(try [1000, 1001, 1001].map { try purge(at: $0 + Deduplication.milliseconds) } == [0, 3, 2])
        #expect(try fixture.store.take(Sample(0).incoming(to: [])) == .accepted)
    }
}
