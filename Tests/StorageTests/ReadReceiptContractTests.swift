import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct ReadReceiptContractTests {
    private static let reason = "superseded_by_read"

    private func receipt(
        _ user: String = "user", app: String = "app", ticket: HelpDeskID? = nil, notifiers: [String] = ["apns", "fcm"],
        at time: UnixMilliseconds = 5000, readAt: UnixMilliseconds? = nil
    ) -> ReadReceipt {
        ReadReceipt(
            AppUser(appID: app, userID: user), conversation: ticket, notifiers: notifiers, receivedAt: time, readAt: readAt)
    }

    private func see(_ store: any Store, number: Int, receipt: ReadReceipt, to notifiers: [String] = ["backend"]) throws
        -> ReportOutcome
    {
        try store.take(
            Report(
                receipt, isChannel: false, to: notifiers.map { Subscription(notifier: $0) },
                id: UUIDv7(milliseconds: 1, number: number << 16), lifetimeMilliseconds: 100_000))
    }

    private func accepted(_ number: Int?, superseded: Int) -> ReportOutcome {
        .accepted(events: number.map { [UUIDv7(milliseconds: 1, number: $0 << 16)] } ?? [], remark: nil, superseded: superseded)
    }

    /// Stores comments 1 to 4 for phones and a backend: of tickets 1 and 2, of another person, and of another app.
    private func fill(_ store: any Store) throws {
        let samples = [
            Sample(1), Sample(2).with { $0.ticket = 2 }, Sample(3).with { $0.user = "other" }, Sample(4).with { $0.app = "app2" },
        ]
        for sample in samples { #expect(try store.take(sample.incoming(to: ["apns", "backend"])) == .accepted) }
    }

    private func ended(_ store: any Store) throws -> [String] {
        try store.all().reversed().filter { $0.reason == Self.reason }.map { delivery in
            "\(delivery.event.identity.commentID?.text ?? "") \(delivery.notifier) \(delivery.state.rawValue)"
        }
    }

    @Test(arguments: Backend.allCases) func `the person's pending pushes end, and no other delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        #expect(try see(fixture.store, number: 9, receipt: receipt()) == accepted(9, superseded: 2))
        #expect(try ended(fixture.store) == ["1 apns delivered", "2 apns delivered"])
        #expect(try Set(fixture.store.claim("apns", at: 6000).map(\.event.id)) == [Sample(3).event.id, Sample(4).event.id])
        #expect(try fixture.store.claim("backend", at: 6000).count == 5, "four comments, and that they were read")
    }

    @Test(arguments: Backend.allCases) func `a receipt for one ticket ends only its pushes`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        #expect(try see(fixture.store, number: 9, receipt: receipt(ticket: 2)) == accepted(9, superseded: 1))
        #expect(try ended(fixture.store) == ["2 apns delivered"])
    }

    @Test(arguments: Backend.allCases) func `the event contains the ticket and the time of the receipt`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try see(fixture.store, number: 9, receipt: receipt(ticket: "t-1", at: 1_773_130_512_000))
        let event = try #require(try fixture.store.all().first?.event)
        #expect(event.kind == .conversationSeen)
        #expect(event.userID == "user")
        #expect(event.identity.ticketID == "t-1")
        #expect(String(decoding: event.data, as: UTF8.self) == #"{"ticket_id":"t-1","seen_at":"2026-03-10T08:15:12.000Z"}"#)
    }

    @Test(arguments: Backend.allCases) func `comments that arrive later are pushed`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(Sample(1).with { $0.received = 5001 }.incoming(to: ["apns"]))
        #expect(try see(fixture.store, number: 8, receipt: receipt(at: 5000)) == accepted(8, superseded: 0))
        #expect(try see(fixture.store, number: 9, receipt: receipt(at: 7000)) == accepted(9, superseded: 1))
    }

    /// A webhook may be late: a comment written after the receipt's time is unread, even if it arrived earlier.
    @Test(arguments: Backend.allCases) func `comments that were written after the receipt are pushed`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for (number, time) in [(1, 3001), (2, 3002)] as [(Int, UnixMilliseconds)] {
            _ = try fixture.store.take(Sample(number).with { $0.received = time }.incoming(to: ["apns"]))
        }
        #expect(try see(fixture.store, number: 9, receipt: receipt(readAt: 3000)) == accepted(9, superseded: 1))
        #expect(try ended(fixture.store) == ["1 apns delivered"])
    }

    @Test(arguments: Backend.allCases) func `a running push ends, and its outcome changes nothing`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(Sample(1).incoming(to: ["apns"]))
        let claimed = try #require(try fixture.store.claim("apns", at: 4000).first)
        #expect(try see(fixture.store, number: 9, receipt: receipt()) == accepted(9, superseded: 1))
        try fixture.store.report(claimed, next: .retry(at: 6000), reason: "status_503", at: 5500)
        #expect(try fixture.store.claim("apns", at: 9000).isEmpty)
        #expect(try ended(fixture.store) == ["1 apns delivered"])
    }

    @Test(arguments: Backend.allCases) func `receipts within a second share one event, and new pushes still end`(_ backend: Backend) throws
    {
        let fixture = try backend.store()
        #expect(try see(fixture.store, number: 5, receipt: receipt(at: 5000)) == accepted(5, superseded: 0))
        _ = try fixture.store.take(Sample(1).with { $0.received = 5500 }.incoming(to: ["apns"]))
        #expect(try see(fixture.store, number: 6, receipt: receipt(at: 5999)) == accepted(nil, superseded: 1))
        #expect(try see(fixture.store, number: 7, receipt: receipt(ticket: 1, at: 5999)) == accepted(7, superseded: 0), "of another ticket")
        #expect(try see(fixture.store, number: 8, receipt: receipt("other", at: 5999)) == accepted(8, superseded: 0), "of another person")
        #expect(try see(fixture.store, number: 9, receipt: receipt(at: 6000)) == accepted(9, superseded: 0))
        #expect(
            try see(fixture.store, number: 10, receipt: receipt(at: 3000)) == accepted(10, superseded: 0), "after the clock was set back")
    }

    @Test(arguments: Backend.allCases) func `a receipt without notifiers is stored`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(Sample(1).incoming(to: ["apns"]))
        _ = try see(fixture.store, number: 9, receipt: receipt(), to: [])
        #expect(try ended(fixture.store) == ["1 apns delivered"])
        #expect(try fixture.store.all().count == 1)
    }

    @Test(arguments: Backend.allCases) func `a full queue does not keep pushes pending`(_ backend: Backend) throws {
        let fixture = try backend.store(maxPending: 1)
        _ = try fixture.store.take(Sample(1).incoming(to: ["apns"]))
        guard case .accepted(_, _, _, let superseded) = try see(fixture.store, number: 9, receipt: receipt()) else {
            Issue.record("expected the receipt to be stored")
            return
        }
        #expect(superseded == 1)
    }

    @Test(arguments: Backend.allCases) func `ended pushes are counted, and free space in the queue`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store)
        _ = try see(fixture.store, number: 9, receipt: receipt(), to: [])
        #expect(fixture.store.refused == [RefusedDeliveries(notifier: "apns", ending: .supersededByRead, count: 2)])
        #expect(try fixture.store.pending().map { "\($0.notifier) \($0.count)" } == ["apns 2", "backend 4"])
    }

    @Test(arguments: Backend.allCases) func `the text of a push is erased with its last delivery`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let text = Array(#"{"body":"text"}"#.utf8)
        _ = try fixture.store.take(Sample(1).with { $0.data = text }.incoming(to: ["apns"]))
        _ = try fixture.store.take(Sample(2).with { $0.data = text }.incoming(to: ["apns", "backend"]))
        _ = try see(fixture.store, number: 9, receipt: receipt(), to: [])
        let kept = try fixture.store.all().filter { $0.event.hasData }.map(\.event.id)
        #expect(kept == [Sample(2).event.id, Sample(2).event.id])
    }

    @Test(arguments: Backend.allCases) func `nothing is stored about a forgotten user`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let former = try FormerUser(AppUser(appID: "app", userID: "user"), salt: [UInt8](0..<32))
        _ = try see(fixture.store, number: 8, receipt: receipt())
        _ = try fixture.store.erase(AppUser(appID: "app", userID: "user"), now: 5500, telling: .nobody)
        try fixture.store.revoke(.sample(1, .formerUser(former)))
        #expect(try see(fixture.store, number: 9, receipt: receipt(at: 7000)) == .ignored(reason: nil))
        #expect(try fixture.store.all().isEmpty)
        #expect(try fixture.store.proveErasure(of: PersonTraces(AppUser(appID: "app", userID: "user"))).tables == [])
    }
}
