import Core
import Testing
import Time

@Suite struct StoreContractOrderTests {
    private func claim(_ store: any Store, at now: UnixMilliseconds, limit: Int = 100) throws -> [HelpDeskID] {
        try store.claim(at: now, limit: limit).compactMap(\.event.identity.commentID)
    }

    private func delivery(_ store: any Store, comment: HelpDeskID) throws -> Delivery {
        var filter = DeliveryFilter()
        filter.commentID = comment
        return try #require(try store.deliveries(filter, limit: 1).first)
    }

    @Test(arguments: Backend.allCases) func `attempts one delivery of a ticket at a time`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { try fixture.store.take(ordered(number)) }
        try fixture.store.take(ordered(4) { $0.ticket = 2 })
        #expect(try claim(fixture.store, at: 2000) == [1, 4])
        #expect(try claim(fixture.store, at: 2000) == [])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .delivered, at: 2001)
        #expect(try claim(fixture.store, at: 2001) == [2])
    }

    @Test(arguments: Backend.allCases) func `waits for a retry of the first delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...2 { try fixture.store.take(ordered(number)) }
        #expect(try claim(fixture.store, at: 2000) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .retry(at: 9000), at: 2001)
        #expect(try claim(fixture.store, at: 8999) == [])
        #expect(try fixture.store.nextDue(notifier: "log") == 9000, "what waits for another is not due")
        #expect(try claim(fixture.store, at: 9000) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .dead, at: 9001)
        #expect(try claim(fixture.store, at: 9001) == [2])
    }

    @Test(arguments: Backend.allCases) func `keeps an order for each ticket, app and notifier`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.take(ordered(1))
        try fixture.store.take(ordered(2) { $0.app = "other" })
        try fixture.store.take(ordered(3) { $0.notifier = "http" })
        #expect(try claim(fixture.store, at: 2000) == [1, 2])
        #expect(try fixture.store.claim("http", at: 2000).count == 1)
    }

    @Test(arguments: Backend.allCases) func `continues after an expired first delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...5 { try fixture.store.take(ordered(number) { $0.expires = number == 4 ? 9000 : 1500 }) }
        try fixture.store.take(
            ordered(6) {
                $0.ticket = 2
                $0.received = 1001
            })
        #expect(try claim(fixture.store, at: 2000, limit: 1) == [4])
        #expect(try claim(fixture.store, at: 2000, limit: 1) == [6])
    }

    @Test(arguments: Backend.allCases) func `returns a retried delivery to its place`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { try fixture.store.take(ordered(number)) }
        #expect(try claim(fixture.store, at: 2000) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .dead, at: 2001)
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 3000, expiresAt: 9000).retried == 1)
        #expect(try claim(fixture.store, at: 3000) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .delivered, at: 3001)
        #expect(try claim(fixture.store, at: 3001) == [2])
    }

    @Test(arguments: Backend.allCases) func `a retried later delivery does not overtake`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { try fixture.store.take(ordered(number) { $0.expires = number == 2 ? 1500 : 9000 }) }
        #expect(try claim(fixture.store, at: 1400) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .retry(at: 5000), at: 1401)
        #expect(try fixture.store.giveUpExpired(now: 2000, limit: 10) == [ExpiredDeliveries(notifier: "log", count: 1)])
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 2002, expiresAt: 9000).retried == 1)
        #expect(try claim(fixture.store, at: 2002) == [])
        #expect(try claim(fixture.store, at: 5000) == [1])
        try fixture.store.report(try delivery(fixture.store, comment: 1), next: .delivered, at: 5001)
        #expect(try claim(fixture.store, at: 5001) == [2])
    }

    @Test(arguments: Backend.allCases) func `has no order unless configured`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...2 { try fixture.store.take(Sample(number)) }
        for number in 3...4 { try fixture.store.take(ordered(number)) }
        #expect(try claim(fixture.store, at: 2000) == [1, 2, 3])
    }

    @Test(arguments: Backend.allCases) func `allows another delivery first in the same call`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...3 { try fixture.store.take(ordered(number)) }
        func work(_ next: FinishedAttempt.Next, at time: UnixMilliseconds) throws -> [HelpDeskID?] {
            let running = try fixture.store.all().filter { $0.state == .pending && $0.attempts > 0 && $0.dueAt > time }
            let claim = Claim(notifier: "log", now: time, leaseMilliseconds: 1000, limit: 9)
            let finished = running.map { FinishedAttempt(id: $0.id, attempt: $0.attempts, next: next, reason: "", now: time) }
            return try fixture.store.work(finished, [claim])[0].get().deliveries.map(\.event.identity.commentID)
        }
        #expect(try claim(fixture.store, at: 2000) == [1])
        #expect(try work(.retry(at: 2300), at: 2100) == [], "the same one goes first")
        #expect(try work(.delivered, at: 2300) == [1])
        #expect(try work(.delivered, at: 2400) == [2])
        #expect(try work(.dead, at: 2500) == [3])
        #expect(try work(.givenUp(.expired), at: 2600) == [], "nothing is left")
    }

    private func ordered(_ number: Int, _ change: (inout Sample) -> Void = { _ in }) -> Sample {
        var sample = Sample(number)
        sample.keepsOrder = true
        change(&sample)
        return sample
    }
}
