import Core
import TestSupport
import Testing
import Time

/// Apps that share a notifier take turns in its claims, for any backlog of one of them.
@Suite struct StoreContractTurnTests {
    /// Adds `count` waiting deliveries of an app, each with its own ticket; their numbers begin after `first`.
    private func fill(
        _ store: any Store, app: String, count: Int, after first: Int, due: UnixMilliseconds = 1000,
        change: (inout Sample) -> Void = { _ in }
    ) throws {
        try store.takeAll(
            (1...count).map { number in
                Sample(first + number).with {
                    $0.app = app
                    $0.ticket = HelpDeskID(Int64(number))
                    $0.received = due
                    change(&$0)
                }
            })
    }

    private func claim(_ store: any Store, limit: Int, at now: UnixMilliseconds = 2000) throws -> [HelpDeskID] {
        try store.claim(at: now, limit: limit).compactMap(\.event.identity.commentID)
    }

    @Test(arguments: Backend.allCases) func `apps take turns within a claim`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 5, after: 0)
        try fill(fixture.store, app: "other", count: 2, after: 100, due: 1500)
        #expect(try claim(fixture.store, limit: 4) == [1, 101, 2, 102])
        #expect(try claim(fixture.store, limit: 4) == [3, 4, 5])
    }

    /// If a batch has room for one, the next one is another app's.
    @Test(arguments: Backend.allCases) func `apps take turns across claims`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 9, after: 0)
        try fill(fixture.store, app: "other", count: 2, after: 100, due: 1500)
        #expect(try (1...5).map { _ in try claim(fixture.store, limit: 1) } == [[1], [101], [2], [102], [3]])
    }

    @Test(arguments: Backend.allCases) func `a claim continues where the last one ended`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (place, app) in ["a", "b", "c"].enumerated() { try fill(fixture.store, app: app, count: 3, after: place * 100) }
        #expect(try claim(fixture.store, limit: 2) == [1, 101])
        #expect(try claim(fixture.store, limit: 2) == [201, 2])
        #expect(try claim(fixture.store, limit: 0) == [], "which only asks when the next is due")
        #expect(try claim(fixture.store, limit: 4) == [102, 202, 3, 103])
        #expect(try claim(fixture.store, limit: 9) == [203])
    }

    @Test(arguments: Backend.allCases) func `each notifier has its own turns`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for notifier in ["log", "http"] {
            let first = notifier == "log" ? 0 : 1000
            try fill(fixture.store, app: "app", count: 2, after: first) { $0.notifier = notifier }
            try fill(fixture.store, app: "other", count: 2, after: first + 100) { $0.notifier = notifier }
        }
        #expect(try claim(fixture.store, limit: 1) == [1])
        #expect(try fixture.store.claim("http", at: 2000, limit: 1).map(\.event.identity.commentID) == [1001])
        #expect(try claim(fixture.store, limit: 1) == [101])
    }

    @Test(arguments: Backend.allCases) func `a backlog delays another app by one batch`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 300, after: 0)
        #expect(try claim(fixture.store, limit: 10) == (1...10).map { HelpDeskID($0) })
        try fill(fixture.store, app: "other", count: 1, after: 1000, due: 1900)
        #expect(try claim(fixture.store, limit: 10).contains(1001))
    }

    /// An app without a backlog leaves its share to the others.
    @Test(arguments: Backend.allCases) func `a batch is filled`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 40, after: 0)
        try fill(fixture.store, app: "other", count: 40, after: 100)
        try fill(fixture.store, app: "third", count: 1, after: 200)
        for round in 0..<3 {
            let apps = try fixture.store.claim(at: 2000, limit: 20).map(\.event.identity.appID)
            #expect(apps.count == 20, "\(round)")
            #expect(apps.count { $0 == "third" } == (round == 0 ? 1 : 0), "\(round)")
            #expect((9...10).contains(apps.count { $0 == "other" }), "\(round)")
        }
        #expect(try fixture.store.claim(at: 2000, limit: 100).count == 21)
        #expect(try fixture.store.nextDue(notifier: "log") == 3000, "nothing is left but what is leased")
    }

    /// No delivery is claimed before it is due, in any turn.
    @Test(arguments: Backend.allCases) func `an app without due deliveries is skipped`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 3, after: 0)
        try fill(fixture.store, app: "other", count: 1, after: 100, due: 5000)
        #expect(try claim(fixture.store, limit: 2) == [1, 2])
        #expect(try fixture.store.nextDue(notifier: "log") == 1000)
        #expect(try claim(fixture.store, limit: 9) == [3])
        #expect(try fixture.store.nextDue(notifier: "log") == 3000)
        #expect(try claim(fixture.store, limit: 1, at: 5000) == [101])
    }

    @Test(arguments: Backend.allCases) func `an expired delivery uses no turn`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, app: "app", count: 3, after: 0) { $0.expires = 1500 }
        try fill(fixture.store, app: "app", count: 1, after: 10, due: 1001)
        try fill(fixture.store, app: "other", count: 1, after: 100, due: 1002)
        #expect(try Set(claim(fixture.store, limit: 2)) == [11, 101])
        #expect(try fixture.store.all().count { $0.reason == "expired" } == 3)
    }

    /// One claim gives up a limited number, then another app has its turn.
    @Test(arguments: Backend.allCases, [false, true]) func `an expired backlog delays another app by one claim`(
        _ backend: Backend, keepsOrder: Bool
    ) throws {
        for limit in [1, 10] {
            let fixture = try backend.store()
            try fill(fixture.store, app: "app", count: 600, after: 0) { ($0.expires, $0.keepsOrder) = (1500, keepsOrder) }
            try fill(fixture.store, app: "other", count: 1, after: 1000)
            #expect(try (1...2).flatMap { _ in try claim(fixture.store, limit: limit) } == [1001])
            #expect(try fixture.store.all().count { $0.reason == "expired" } >= 256)
        }
    }

    /// The next delivery of a ticket may be claimed in the same call, before more recent ones of its app.
    @Test(arguments: Backend.allCases) func `the next delivery of a ticket uses a turn of its app`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, expires) in [(1, 1500), (2, 9000)] as [(Int, UnixMilliseconds)] {
            try fixture.store.take(ordered(number) { $0.expires = expires })
        }
        try fill(fixture.store, app: "app", count: 2, after: 10, due: 1001)
        try fill(fixture.store, app: "other", count: 2, after: 100, due: 1002)
        let first = try claim(fixture.store, limit: 3)
        #expect(first.contains(2))
        #expect(first.contains(101))
        #expect(!first.contains(12))
        #expect(try Set(first + claim(fixture.store, limit: 3)) == [2, 11, 12, 101, 102])
    }

    private func ordered(_ number: Int, _ change: (inout Sample) -> Void) -> Sample {
        var sample = Sample(number)
        (sample.ticket, sample.keepsOrder) = (77, true)
        change(&sample)
        return sample
    }

    @Test(arguments: Backend.allCases) func `the order of a ticket is kept`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for app in ["app", "other"] {
            try fill(fixture.store, app: app, count: 3, after: app == "app" ? 0 : 100) {
                $0.ticket = 1
                $0.keepsOrder = true
            }
        }
        for number in 1...3 {
            let now = UnixMilliseconds(2000 + number)
            let claimed = try fixture.store.claim(at: now, limit: 9)
            #expect(claimed.compactMap(\.event.identity.commentID) == [HelpDeskID(Int64(number)), HelpDeskID(Int64(100 + number))])
            for delivery in claimed { try fixture.store.report(delivery, next: .delivered, at: now) }
        }
        #expect(try fixture.store.pending() == [])
    }
}
