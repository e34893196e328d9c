import Core
import TestSupport
import Testing
import Time

@Suite struct PushWithdrawalTests {
    private static let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))
    private static let now: UnixMilliseconds = 1_773_130_512_000

    private func event(ticketID: HelpDeskID? = nil, channel: HelpDeskID? = nil, readAt: UnixMilliseconds? = nil) -> Event {
        let mark = ReadReceipt(
            AppUser(appID: "app", userID: "user"), conversation: channel ?? ticketID, notifiers: [], receivedAt: Self.now,
            readAt: readAt)
        return Event(mark, ticketID: ticketID, channel: channel, id: Self.id, lifetimeMilliseconds: 60_000)
    }

    private func data(_ event: Event) throws -> [String] {
        try #require(PushWithdrawal(event)).data.map { "\($0.key)=\($0.value)" }
    }

    private static func end(_ seenAt: String) -> [String] { ["seen_at=\(seenAt)", "event_id=\(id)"] }

    @Test func `names the thread of the ticket's notifications`() throws {
        let withdrawal = try #require(PushWithdrawal(event(ticketID: 42)))
        #expect(withdrawal.thread == (try PushStyle().notification(for: .sample(ticketID: 42)).thread))
        #expect(withdrawal.collapseID == "seen-42")
        #expect(withdrawal.lifetimeSeconds(now: Self.now) == 60)
        #expect(
            try data(event(ticketID: 42)) == ["type=conversation.seen", "app_id=app", "ticket_id=42", "thread=ticket-42"]
                + Self.end("2026-03-10T08:15:12.000Z"))
    }

    @Test func `names the channel of a channel's notifications`() throws {
        #expect(
            try data(event(ticketID: 101, channel: "sendbird_desk_1"))
                == [
                    "type=conversation.seen", "app_id=app", "ticket_id=101", "channel=sendbird_desk_1", "thread=channel-sendbird_desk_1",
                ] + Self.end("2026-03-10T08:15:12.000Z"))
    }

    @Test func `without a conversation it applies to all notifications`() throws {
        #expect(try data(event()) == ["type=conversation.seen", "app_id=app"] + Self.end("2026-03-10T08:15:12.000Z"))
        #expect(PushWithdrawal(event())?.thread == nil)
        #expect(PushWithdrawal(event())?.collapseID == "seen")
    }

    @Test func `an identifier of any form fits the collapse id`() {
        let id = HelpDeskID(String(repeating: "ü", count: 100))
        #expect((PushWithdrawal(event(ticketID: id))?.collapseID.utf8.count ?? 65) <= 64)
    }

    /// The clock of the help desk or of a client may be ahead: later comments are not withdrawn.
    @Test func `a read receipt from the future has the time of its arrival`() throws {
        #expect(try data(event(ticketID: 42, readAt: Self.now + 3_600_000)).contains("seen_at=2026-03-10T08:15:12.000Z"))
        #expect(try data(event(ticketID: 42, readAt: Self.now - 1)).contains("seen_at=2026-03-10T08:15:11.999Z"))
    }

    @Test func `other events are no withdrawal`() {
        let comment = Event(.sample(), id: Self.id, receivedAt: Self.now, lifetimeMilliseconds: 60_000)
        #expect(PushWithdrawal(comment) == nil)
    }

    @Test func `a notification contains its time only if devices compare it`() throws {
        let eventID = Self.id
        func created(_ withdraws: Bool) throws -> String? {
            try PushStyle(withdraws: withdraws).notification(for: .sample(), eventID: eventID, createdAt: Self.now, expiresAt: .max)
                .data.first { $0.key == "created_at" }?.value
        }
        #expect(try created(true) == "2026-03-10T08:15:12.000Z")
        #expect(try created(false) == nil)
    }
}
