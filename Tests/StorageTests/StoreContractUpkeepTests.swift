import Core
import Storage
import TestSupport
import Testing
import Threading
import Time

@Suite struct StoreContractUpkeepTests {
    /// Purges more than an hour after all deliveries were accepted.
    private func purge(_ store: any Store, delivered: UnixMilliseconds = 0, dead: UnixMilliseconds = 0, limit: Int = 1000) throws -> Int {
        try store.purge(now: 7_200_000, deliveredBefore: delivered, deadBefore: dead, limit: limit)
    }

    /// Gives up expired deliveries.
    /// - Returns: the numbers by notifier.
    private func expire(_ store: any Store, now: UnixMilliseconds, limit: Int = 1000) throws -> [String] {
        try store.giveUpExpired(now: now, limit: limit).map { "\($0.count) \($0.notifier)" }
    }

    private func take(_ store: any Store, numbers: Range<Int>, next: FinishedAttempt.Next, at time: UnixMilliseconds) throws {
        for number in numbers { try store.take(Sample(number)) }
        for delivery in try store.claim(at: time - 1) { try store.report(delivery, next: next, at: time) }
    }

    @Test(arguments: Backend.allCases) func `retries a single delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try take(fixture.store, numbers: 0..<3, next: .dead, at: 2000)
        var filter = DeliveryFilter()
        filter.id = Sample(1).delivery().id
        #expect(try fixture.store.retryAll(filter, now: 3000, expiresAt: 9000).retried == 1)
        #expect(try fixture.store.retryAll(filter, now: 3000, expiresAt: 9000).retried == 0, "it is not dead any more")
        let claimed = try fixture.store.claim(at: 3000)
        #expect(claimed.map(\.id) == [Sample(1).delivery().id])
        #expect(claimed.map(\.attempts) == [2])
        #expect(try fixture.store.claim(at: 8999).count == 1)
        #expect(try fixture.store.claim(at: 9999).count == 0, "the new expiry holds")
    }

    @Test(arguments: Backend.allCases) func `retries more than one step holds`(_ backend: Backend) throws {
        let fixture = try backend.store { $0.rowsPerCommit = 50 }
        try fixture.store.takeAll((0..<121).map { Sample($0).with { $0.expires = 1001 } })
        while try !expire(fixture.store, now: 2000, limit: 50).isEmpty {}
        #expect(try fixture.store.pending() == [])
        #expect(try fixture.store.retryAll(DeliveryFilter(), now: 3000, expiresAt: 9000).retried == 121)
        #expect(try fixture.store.pending().map(\.count) == [121])
    }

    @Test(arguments: Backend.allCases) func `purges in small steps`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try take(fixture.store, numbers: 0..<10, next: .delivered, at: 2000)
        try take(fixture.store, numbers: 10..<20, next: .dead, at: 2000)
        #expect(try purge(fixture.store, delivered: 2000, dead: 2000) == 0)
        #expect(try purge(fixture.store, delivered: 2001, limit: 4) == 4)
        #expect(try purge(fixture.store, delivered: 2001, dead: 2001, limit: 8) == 8)
        #expect(try fixture.store.all().count == 8)
        #expect(try purge(fixture.store, delivered: 2001, dead: 2001, limit: 9) == 8)
        #expect(try fixture.store.all() == [])
    }

    @Test(arguments: Backend.allCases) func `purges the attempts and the event with the last delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let sample = Sample(1)
        let incoming = sample.incoming(to: ["log", "http"])
        _ = try fixture.store.take(incoming)
        try fixture.store.report(try fixture.store.claim(at: 2000)[0], next: .delivered, at: 2001)
        #expect(try purge(fixture.store, delivered: 3000) == 1)
        #expect(try fixture.store.story(of: sample.delivery(0).id) == nil)
        #expect(try fixture.store.take(sample.incoming(to: [])) == .duplicate(of: sample.event.id), "the other one still needs it")
        try fixture.store.report(try fixture.store.claim("http", at: 2000)[0], next: .delivered, at: 2001)
        #expect(try purge(fixture.store, delivered: 3000) == 1)
        #expect(try fixture.store.story(of: sample.delivery(1).id) == nil)
        #expect(try fixture.store.take(incoming) == .duplicate(of: sample.event.id), "it is still recognised")
    }

    /// Two deliveries in each state, ended at 2000. Each state is purged alone, not before its time, and in steps.
    @Test(arguments: Backend.allCases) func `purges one state alone`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try take(fixture.store, numbers: 0..<2, next: .delivered, at: 2000)
        try take(fixture.store, numbers: 2..<4, next: .dead, at: 2000)
        for number in 4..<6 {
            try fixture.store.take(
                Sample(number).with {
                    $0.requiresDevice = true
                    $0.received = 2000
                })
        }
        for number in 6..<8 { try fixture.store.take(Sample(number)) }
        _ = try fixture.store.take(Sample(8).incoming(to: []))
        var left = ["delivered": 2, "dead": 2, "no_target": 2, "pending": 2]
        func expectTheRest() throws {
            #expect(Dictionary(grouping: try fixture.store.all(), by: \.state.rawValue).mapValues(\.count) == left)
        }
        #expect(try fixture.store.forget(.pending, endedBefore: 9000, limit: 10) == 0)
        for state in [Delivery.State.noTarget, .delivered, .dead] {
            #expect(try fixture.store.forget(state, endedBefore: 2000, limit: 10) == 0)
            try expectTheRest()
            #expect(try fixture.store.forget(state, endedBefore: 2001, limit: 1) == 1)
            #expect(try fixture.store.forget(state, endedBefore: 2001, limit: 10) == 1)
            left[state.rawValue] = nil
            try expectTheRest()
        }
        #expect(try fixture.store.take(Sample(0).incoming()) == .duplicate(of: Sample(0).event.id), "it is still recognised")
        #expect(try fixture.store.take(Sample(8).incoming(to: [])) == .duplicate(of: Sample(8).event.id), "it has no delivery that ended")
    }

    @Test(arguments: Backend.allCases) func `gives up deliveries that no process claims`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<3 { try fixture.store.take(Sample(number).with { $0.expires = 1999 + UInt64(number) }) }
        let leased = try #require(try fixture.store.claim(at: 1500, limit: 1).first)
        #expect(try expire(fixture.store, now: 2000) == ["1 log"], "one runs, one has not expired")
        #expect(try fixture.store.current(leased)?.state == .pending)
        #expect(try expire(fixture.store, now: 9000, limit: 1) == ["1 log"])
        #expect(try expire(fixture.store, now: 9000, limit: 5) == ["1 log"])
        #expect(try fixture.store.all().map(\.reason) == ["expired", "expired", "expired"])
    }

    /// After a retry of many deliveries, which have long been due and expire late.
    @Test(arguments: Backend.allCases) func `gives up the first to expire before those that are longer due`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<9 { try fixture.store.take(Sample(number)) }
        let late = try [1990, 1980, 1970].enumerated().map { place, expiry in
            try fixture.store.take(
                Sample(9 + place).with {
                    $0.received = 1900
                    $0.expires = UnixMilliseconds(expiry)
                    $0.keepsOrder = true
                })
        }
        #expect(try fixture.store.pending().map(\.oldestReceivedAt) == [1900], "what expires later does not count as older")
        #expect(try expire(fixture.store, now: 2000, limit: 2) == ["2 log"])
        #expect(try late.map { try fixture.store.current($0)?.state } == [.pending, .dead, .dead])
        #expect(try expire(fixture.store, now: 2000, limit: 2) == ["1 log"])
        #expect(try expire(fixture.store, now: 2000, limit: 2) == [])
        #expect(try fixture.store.pending().map(\.count) == [9])
    }

    @Test(arguments: Backend.allCases) func `returns the notifiers of expired deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 0..<5 { _ = try fixture.store.take(Sample(number).with { $0.expires = 1500 }.incoming(to: ["log", "http"])) }
        #expect(try expire(fixture.store, now: 1499) == [])
        #expect(try fixture.store.claimDue(Claim(notifier: "log", now: 1500, leaseMilliseconds: 1, limit: 9)).expired == 5)
        #expect(try expire(fixture.store, now: 1500, limit: 2) == ["2 http"])
        _ = try fixture.store.retryAll(DeliveryFilter(), now: 1500, expiresAt: 1600)
        #expect(try expire(fixture.store, now: 2000) == ["5 http", "5 log"])
        #expect(try expire(fixture.store, now: 2000) == [])
    }

    @Test(arguments: Backend.allCases) func `counts waiting deliveries`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.pending() == [])
        for number in 0..<6 {
            try fixture.store.take(
                Sample(number).with {
                    $0.notifier = number < 4 ? "log" : "http"
                    $0.received = 1000 + UInt64(number)
                })
        }
        let claimed = try fixture.store.claim(at: 2000, limit: 2)
        #expect(
            try fixture.store.pending() == [
                PendingDeliveries(notifier: "http", count: 2, oldestReceivedAt: 1004),
                PendingDeliveries(notifier: "log", count: 4, oldestReceivedAt: 1000),
            ])
        try fixture.store.report(claimed[0], next: .delivered, at: 2001)
        try fixture.store.report(claimed[1], next: .retry(at: 9000), at: 2001)
        for delivery in try fixture.store.claim("http", at: 2000) { try fixture.store.report(delivery, next: .dead, at: 2001) }
        #expect(try fixture.store.pending() == [PendingDeliveries(notifier: "log", count: 3, oldestReceivedAt: 1001)])
    }

    @Test(arguments: Backend.allCases) func `a closed store fails every call`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.take(Sample(1))
        store.close()
        store.close()
        #expect(store.refusal?.kind.rawValue == "closed")
        let calls: [() throws -> Void] = [
            { try store.take(Sample(2)) }, { _ = try store.claim(at: 1) }, { try store.finish([]) },
            { _ = try store.nextDue(notifier: "log") }, { _ = try store.all() },
            { _ = try store.story(of: Sample(1).delivery().id) }, { _ = try store.retryAll(DeliveryFilter(), now: 1, expiresAt: 2) },
            { _ = try store.purge(now: 1, deliveredBefore: 1, deadBefore: 1, limit: 1) },
            { _ = try store.forget(.dead, endedBefore: 1, limit: 1) }, { _ = try store.giveUpExpired(now: 1, limit: 1) },
            { _ = try store.giveUpPending(notifier: "log", now: 1, limit: 1) }, { _ = try store.pending() },
        ]
        for call in calls { #expect(throws: StoreError(.closed, "the store is closed: the service is stopping")) { try call() } }
    }

    @Test(arguments: Backend.allCases) func `completes every call that began before closing`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let answers = Monitor(0)
        for number in 0..<500 {
            fixture.store.accept(Sample(number).incoming()) { result in
                if (try? result.get()) == .accepted { answers.update { $0 += 1 } }
            }
        }
        fixture.store.close()
        #expect(answers.withLock { $0 } == 500)
    }
}
