import TestSupport
import Testing

@testable import Sendbird

/// Messages of bots that are held while Desk does not answer, and while a named bot's ticket may still be created.
@Suite struct HeldBotMessageTests {
    private static let botType = "SENDBIRD_DESK_BOT_MESSAGE"
    private static let botsNamed = #","bot_user_ids":["bot"]"#
    private static let done = ["message.held  owner:lookup delivered"]
    private static let reported = SendbirdFixture.reported("comment.created", pushed: true)

    /// With and without named bots, and with and without the customer in the members.
    @Test(arguments: ["", botsNamed], [[], ["bot", "user-1"]]) func `a bot's message is held while Desk fails, and delivered afterwards`(
        _ bots: String, _ members: [String]
    ) throws {
        let fixture = try SendbirdFixture(members: bots, desk: .requests([[SendbirdFixture.away], [SendbirdFixture.named]]))
        try fixture.registerDevice()
        let body = SendbirdBody.message(sender: "bot", customType: Self.botType, members: members)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(fixture.counts() == [#"{app="APP",result="held"} 1"#])
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().sorted() == (Self.done + Self.reported).sorted())
    }

    /// A bot greets the customer before Desk has created the ticket.
    @Test(arguments: [[], ["bot", "user-1"]]) func `a named bot's message waits for its ticket`(_ members: [String]) throws {
        let fixture = try SendbirdFixture(
            members: Self.botsNamed, desk: .requests([[SendbirdFixture.nobody], [SendbirdFixture.nobody], [SendbirdFixture.named]]))
        try fixture.registerDevice()
        let body = SendbirdBody.message(sender: "bot", members: members)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(fixture.counts() == [#"{app="APP",result="held"} 1"#])
        #expect(try fixture.log.lines().contains { $0.contains(" result=held app=APP api=desk reason=unknown_ticket ") })
        #expect(try fixture.lookUpOwners() == ["retry unknown_ticket"])
        #expect(fixture.questions.count == 1, "Desk has just said that it knows no ticket")
        fixture.pass(milliseconds: ChannelOwners.unknownCacheMilliseconds)
        #expect(try fixture.lookUpOwners() == ["retry unknown_ticket"])
        fixture.pass(milliseconds: ChannelOwners.unknownCacheMilliseconds)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().sorted() == (Self.done + Self.reported).sorted())
    }

    @Test func `a named bot's message is delivered when Desk's webhook has the ticket`() throws {
        let fixture = try SendbirdFixture(members: Self.botsNamed)
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "bot"))) == SendbirdFixture.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try fixture.events().filter { $0.hasPrefix("comment.created") } == Self.reported)
    }

    @Test func `a named bot's message waits for its ticket for ten minutes`() throws {
        let fixture = try SendbirdFixture(members: Self.botsNamed)
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "bot"))) == SendbirdFixture.accepted)
        fixture.pass(milliseconds: 599_999)
        #expect(try fixture.lookUpOwners() == ["retry unknown_ticket"])
        fixture.pass(milliseconds: 1)
        #expect(try fixture.lookUpOwners() == ["delivered unknown_ticket"])
        #expect(try fixture.events() == Self.done)
    }

    /// While Desk answers, only messages of a named bot can be held.
    @Test(arguments: [
        ("user-1", "MESG", botType, ["victim"]), ("user-1", "MESG", "", []), ("stranger", "MESG", botType, []),
        (nil, "ADMM", "SENDBIRD:AUTO_EVENT_MESSAGE", ["victim"]), ("bot", "ADMM", "SENDBIRD:AUTO_EVENT_MESSAGE", []),
    ])
    func `no other sender's message waits for a ticket`(_ sender: String?, type: String, customType: String, members: [String]) throws {
        let fixture = try SendbirdFixture(members: Self.botsNamed)
        let body = SendbirdBody.message(sender: sender, type: type, customType: customType, members: members)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored)
        #expect(try fixture.events().isEmpty)
    }

    /// The sender of an update does not matter.
    @Test func `an update of a question waits for no ticket`() throws {
        let fixture = try SendbirdFixture(members: Self.botsNamed)
        let body = SendbirdBody.closure("CONFIRMED", category: "message_update", sender: "bot")
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(fixture.counts() == [#"{app="APP",result="unasked"} 1"#])
        #expect(try fixture.events().isEmpty)
    }
}
