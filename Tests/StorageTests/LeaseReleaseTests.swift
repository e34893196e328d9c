import Core
import Storage
import TestSupport
import Testing
import Time

/// Leases of a process that has ended. The next process that opens the file releases them at once.
@Suite struct LeaseReleaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> SQLiteStore { try SQLiteStore(path: directory.path("store.db")) }

    private func comments(_ deliveries: [Delivery]) -> [HelpDeskID] { deliveries.compactMap(\.event.identity.commentID) }

    @Test func `a leased delivery is due at once`() throws {
        var store = try open()
        let delivery = try store.take(Sample(1))
        #expect(try store.claim(at: 2000).count == 1)
        store.close()
        store = try open()
        defer { store.close() }
        let story = try #require(try store.story(of: delivery.id))
        #expect(
            story.delivery
                == Delivery(id: delivery.id, notifier: "log", event: delivery.event, attempts: 1, dueAt: 2000, reason: "interrupted"))
        #expect(
            story.attempts == [DeliveryAttempt(number: 1, startedAt: 2000, endedAt: nil, outcome: "interrupted", reason: "interrupted")])
        #expect(try store.nextDue(notifier: "log") == 2000)
        #expect(try store.pending().map(\.count) == [1])
        #expect(try store.claim(at: 2000).map(\.attempts) == [2])
    }

    @Test func `other deliveries do not change`() throws {
        var store = try open()
        for number in 1...5 { try store.take(Sample(number).with { $0.notifier = number == 5 ? "http" : "log" }) }
        let claimed = try store.claim(at: 2000, limit: 3)
        try store.report(claimed[0], next: .delivered, reason: "ok", at: 2001)
        try store.report(claimed[1], next: .dead, reason: "no", at: 2001)
        try store.report(claimed[2], next: .retry(at: 9000), reason: "later", at: 2001)
        let before = try store.all().map { try store.story(of: $0.id) }
        store.close()
        store = try open()
        defer { store.close() }
        #expect(try store.all().map { try store.story(of: $0.id) } == before)
    }

    @Test func `an attempt is interrupted once`() throws {
        var store = try open()
        let delivery = try store.take(Sample(1))
        _ = try store.claim(at: 2000)
        store.close()
        store = try open()
        let again = try #require(try store.claim(at: 3000).first)
        try store.report(again, next: .retry(at: 9000), reason: "timeout", at: 3100)
        store.close()
        store = try open()
        defer { store.close() }
        #expect(try store.current(delivery)?.dueAt == 9000)
        #expect(try store.story(of: delivery.id)?.attempts.map(\.outcome) == ["interrupted", "retry"])
    }

    @Test func `the order of a ticket is kept`() throws {
        var store = try open()
        for number in 1...4 {
            try store.take(
                Sample(number).with {
                    $0.keepsOrder = true
                    $0.ticket = number == 4 ? 2 : 1
                })
        }
        #expect(comments(try store.claim(at: 2000)) == [1, 4])
        store.close()
        store = try open()
        defer { store.close() }
        let claimed = try store.claim(at: 2000)
        #expect(comments(claimed) == [1, 4])
        try store.report(claimed[0], next: .delivered, at: 2001)
        #expect(comments(try store.claim(at: 2001)) == [2])
    }

    @Test func `a delivery that has expired in the meantime is given up`() throws {
        var store = try open()
        let delivery = try store.take(Sample(1).with { $0.expires = 2500 })
        _ = try store.claim(at: 2000)
        store.close()
        store = try open()
        defer { store.close() }
        #expect(try store.claim(at: 2600) == [])
        #expect(try store.current(delivery)?.reason == "expired")
        #expect(try store.pending() == [])
    }
}
