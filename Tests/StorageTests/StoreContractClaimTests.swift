import Core
import TestSupport
import Testing
import Time

@Suite struct StoreContractClaimTests {
    @Test(arguments: Backend.allCases) func `claims the longest due first`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, due) in [50, 20, 40, 20, 30].enumerated() {
            try fixture.store.take(
                Sample(number).with {
                    $0.ticket = HelpDeskID(Int64(number))
                    $0.received = UnixMilliseconds(due)
                })
        }
        #expect(try fixture.store.claim(at: 40, limit: 3).map(\.event.identity.ticketID) == [1, 3, 4])
        #expect(try fixture.store.claim(at: 40, limit: 3).map(\.event.identity.ticketID) == [2])
        #expect(try fixture.store.claim(at: 40, limit: 3) == [])
    }

    @Test(arguments: Backend.allCases) func `counts the attempt and leases`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let delivery = try fixture.store.take(Sample(1))
        let claimed = try #require(try fixture.store.claim(at: 5000).first)
        #expect(claimed == Delivery(id: delivery.id, notifier: "log", event: delivery.event, attempts: 1, dueAt: 6000))
        #expect(try fixture.store.current(delivery) == claimed)
        #expect(try fixture.store.claim(at: 5999) == [])
        #expect(try fixture.store.claim(at: 6000).map(\.attempts) == [2], "nobody reported, so it comes back")
    }

    @Test(arguments: Backend.allCases) func `does not claim for other notifiers`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let sample = Sample(1)
        _ = try fixture.store.take(sample.incoming(to: ["log", "http"]))
        #expect(try fixture.store.claim("http", at: 2000).map(\.notifier) == ["http"])
        #expect(try fixture.store.current(sample.delivery(0)) == sample.delivery(0))
        #expect(try fixture.store.claim("nobody", at: 2000) == [])
    }

    @Test(arguments: Backend.allCases) func `claims nothing with a limit of zero`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.take(Sample(1))
        #expect(try fixture.store.claim(at: 2000, limit: 0) == [])
    }

    @Test(arguments: Backend.allCases) func `gives up expired deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let old = try fixture.store.take(Sample(1).with { $0.expires = 3000 })
        let fresh = try fixture.store.take(Sample(2).with { $0.expires = 3001 })
        #expect(try fixture.store.claim(at: 3000).map(\.id) == [fresh.id])
        let ended = try #require(try fixture.store.current(old))
        #expect(ended.state == .dead)
        #expect(ended.reason == "expired")
        #expect(ended.endedAt == 3000)
        #expect(ended.attempts == 0)
    }

    @Test(arguments: Backend.allCases) func `lets a running attempt end after the expiry`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.take(Sample(1).with { $0.expires = 3000 })
        let claimed = try #require(try fixture.store.claim(at: 2999).first)
        #expect(try fixture.store.claim(at: 3500) == [])
        try fixture.store.report(claimed, next: .delivered, at: 3600)
        #expect(try fixture.store.current(claimed)?.state == .delivered)
    }

    @Test(arguments: Backend.allCases, [false, true]) func `gives up a limited number per claim`(_ backend: Backend, keepsOrder: Bool)
        throws
    {
        let fixture = try backend.store()
        try fixture.store.takeAll(
            (0..<600).map { number in
                Sample(number).with {
                    $0.expires = 1500
                    $0.keepsOrder = keepsOrder
                }
            })
        let fresh = try fixture.store.take(Sample(1000).with { $0.received = 1001 })
        var counts: [Int] = []
        var claimed: [Delivery] = []
        while claimed.isEmpty, try fixture.store.nextDue(notifier: "log") ?? .max <= 2000 {
            claimed = try fixture.store.claim(at: 2000)
            counts.append(try fixture.store.pending()[0].count)
        }
        #expect(counts == [345, 89, 1])
        #expect(claimed.map(\.id) == [fresh.id])
    }

    @Test(arguments: Backend.allCases, [false, true])
    func `claims deliveries deferred before the clock was set back`(_ backend: Backend, keepsOrder: Bool) throws {
        let fixture = try backend.store()
        for number in 1...3 {
            try fixture.store.take(
                Sample(number).with {
                    $0.ticket = HelpDeskID(Int64(number))
                    $0.keepsOrder = keepsOrder
                    $0.received = UnixMilliseconds(number * 10_000)
                })
        }
        let other = try fixture.store.take(
            Sample(4).with {
                $0.notifier = "http"
                $0.received = 90_000
            })
        let claim = Claim(
            notifier: "log", now: 500, leaseMilliseconds: 1000, limit: 9, longestDelayMilliseconds: 19_500)
        let claimed = try fixture.store.claimDue(claim).deliveries
        #expect(claimed.map(\.event.identity.commentID) == [3])
        #expect(claimed.first?.dueAt == 1500)
        #expect(try fixture.store.nextDue(notifier: "log") == 1500)
        #expect(try fixture.store.claim(at: 20_000).map(\.event.identity.commentID) == [3, 1, 2], "the others keep their times")
        #expect(try fixture.store.current(other)?.dueAt == 90_000)
    }

    @Test(arguments: Backend.allCases) func `returns the next due time`(_ backend: Backend) throws {
        let fixture = try backend.store()
        func nextDue() throws -> UnixMilliseconds? { try fixture.store.nextDue(notifier: "log") }
        #expect(try nextDue() == nil)
        try fixture.store.take(Sample(1).with { $0.received = 7000 })
        try fixture.store.take(Sample(2).with { $0.received = 6000 })
        try fixture.store.take(Sample(3).with { $0.notifier = "http" })
        #expect(try nextDue() == 6000)
        let claimed = try #require(try fixture.store.claim(at: 6500).first)
        #expect(try nextDue() == 7000)
        try fixture.store.report(claimed, next: .retry(at: 6800), at: 6600)
        #expect(try nextDue() == 6800)
        for delivery in try fixture.store.claim(at: 9000) { try fixture.store.report(delivery, next: .dead, at: 9001) }
        #expect(try nextDue() == nil)
    }

    /// The dispatcher has one lane for each notifier, but the order of claims holds for any caller.
    @Test(arguments: Backend.allCases) func `two claims of one notifier do not overlap`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { try fixture.store.take(Sample(number)) }
        let claim = Claim(notifier: "log", now: 9000, leaseMilliseconds: 1000, limit: 2)
        let claimed = try fixture.store.work([], [claim, claim], telling: .nobody).map { try $0.get().deliveries.count }
        #expect(claimed == [2, 1])
    }
}
