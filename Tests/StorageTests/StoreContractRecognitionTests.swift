import Core
import TestSupport
import Testing
import Time

/// For how long a comment is recognised that comes again, whatever has become of its deliveries.
@Suite struct StoreContractRecognitionTests {
    /// Who has captured a signed webhook may send it at any time.
    @Test(arguments: Backend.allCases, [FinishedAttempt.Next.delivered, .dead, nil])
    func `recognises for long what it purged`(_ backend: Backend, _ next: FinishedAttempt.Next?) throws {
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

    /// What is left of an event is recognised by all that makes it the same.
    @Test(arguments: Backend.allCases) func `takes others for new ones`(_ backend: Backend) throws {
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

    /// Operators are told of it although nothing else is left.
    @Test(arguments: Backend.allCases) func `reports when what it forgot came`(_ backend: Backend) throws {
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

    /// An operator purges at once, and by a clock that may be wrong.
    @Test(arguments: Backend.allCases) func `recognises what an operator forgot`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.take(Sample(1))
        try fixture.store.report(try fixture.store.claim(at: 1001)[0], next: .delivered, at: 1002)
        #expect(try fixture.store.forget(.delivered, endedBefore: .max, limit: 9) == 1)
        #expect(try fixture.store.take(Sample(1).incoming()) == .duplicate(of: Sample(1).event.id))
    }

    /// Nobody repeats it, so that nothing of it need be known.
    @Test(arguments: Backend.allCases) func `keeps nothing of a registration that it purged`(_ backend: Backend) throws {
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

    @Test(arguments: Backend.allCases) func `forgets events that nobody gets`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<5 { _ = try fixture.store.take(Sample(number).incoming(to: [])) }
        func purge(at now: UnixMilliseconds) throws -> Int {
            try fixture.store.purge(now: now, deliveredBefore: 0, deadBefore: 0, limit: 3)
        }
        #expect(try [1000, 1001, 1001].map { try purge(at: $0 + Deduplication.milliseconds) } == [0, 3, 2])
        #expect(try fixture.store.take(Sample(0).incoming(to: [])) == .accepted)
    }
}
