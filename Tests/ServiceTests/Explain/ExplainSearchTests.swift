import Core
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI

@Suite struct ExplainSearchTests {
    private let store: any Store = MemoryStore()
    private static let now = TestTime.now.milliseconds

    @Test func `finds revocations among the newest`() throws {
        let key = try #require(SecurityKey(try TestKey().text().utf8.span))
        try store.revoke(.sample(1, appID: "shop", .keyID(1)))
        try store.revoke(.sample(2, appID: "shop", .user("ann")))
        func search() throws -> RevocationSearch { try RevocationSearch(store, appID: "shop", userID: "ann", key: key, maximumRead: 50) }
        let few = try search()
        #expect(few.found.map(\.id) == [Revocation.sample(2, appID: "shop", .user("ann")).id, Revocation.sample(1, .keyID(1)).id])
        #expect(!few.isCut)
        // Of other apps, other key ids and other people.
        try store.revoke(.sample(3, appID: "bank", .everyKey, issuedBefore: 5))
        try store.revoke(.sample(4, appID: "shop", .keyID(2)))
        for number in 5..<UInt64(5 + 50) { try store.revoke(.sample(number, appID: "shop", .user("bob"))) }
        let many = try search()
        #expect(many.isCut && many.found.map(\.issuedBefore) == [nil], "the person's own is found by the index, the older one is not")
        var facts = KeyFacts(appID: "shop", userID: "ann", key: key, now: TestTime.now)
        facts.revocations = many
        (facts.revocations.named, facts.revocations.shared) = ([], [])
        #expect(facts.revocationSentence.english.contains("5000 newest"))
        #expect(facts.revocationRemedy.english.contains("revocations list --all"))
    }

    private func accept(_ number: UInt64, user: String) throws {
        let done = Monitor(false)
        let event = Event(
            id: UUIDv7(milliseconds: Self.now + number, random: InlineArray(repeating: 1)).event, kind: .commentCreated,
            identity: Event.Identity(appID: "shop", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: user,
            occurredAt: Self.now, receivedAt: Self.now, expiresAt: Self.now + 1000, data: Event.emptyData)
        store.accept(IncomingEvent(event, to: [Subscription(notifier: "sink")]), telling: .nobody) { _ in done.update { $0 = true } }
        try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
    }

    @Test func `finds deliveries among the newest`() throws {
        func search(_ user: String, wanted: Int = 5) throws -> DeliverySearch {
            try DeliverySearch(store, DeliveryFilter(), wanted: wanted, maximumRead: 20) { $0.event.userID == user }
        }
        for number in 1...7 as ClosedRange<UInt64> { try accept(number, user: number == 4 ? "bob" : "ann") }
        let ann = try search("ann")
        #expect(ann.found.map(\.event.identity.commentID) == [7, 6, 5, 3, 2])
        #expect(ann.isCut)
        #expect(ann.step("deskgate deliveries list")?.remedy?.english == "For older ones: deskgate deliveries list.")
        let bob = try search("bob")
        #expect(bob.found.count == 1)
        #expect(!bob.isCut)
        #expect(bob.step("x") == nil)
        for number in 8...UInt64(8 + 20) { try accept(number, user: "cid") }
        #expect(try search("bob").found.isEmpty)
        #expect(try search("bob").isCut)
    }
}
