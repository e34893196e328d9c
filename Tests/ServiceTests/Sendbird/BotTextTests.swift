import Core
import JSON
import TestSupport
import Testing

@testable import Sendbird

/// The texts of bots in tickets. Deskgate removes the quick replies that a model has embedded.
@Suite struct BotTextTests {
    private static let block = #"JSON^{"options":["Yes","No"]}^NSOJ"#

    private func body(of event: String?) throws -> String? {
        JSONValue(parsing: Array(try #require(event).utf8))?["comment"]?["body"]?.text
    }

    private func reported(_ text: String, sender: String?, customType: String = "", members: String = "") throws -> String? {
        let fixture = try SendbirdFixture.known(members: members)
        let message = SendbirdBody.message(text: text, sender: sender, customType: customType)
        #expect(shown(try fixture.chat(message)) == SendbirdFixture.accepted)
        #expect(try fixture.events().contains("comment.created user-1 apns pending"))
        return try body(of: fixture.data(.commentCreated))
    }

    @Test func `a named bot's text is delivered without quick replies`() throws {
        #expect(try reported("Shall I? \(Self.block)", sender: "bot", members: #","bot_user_ids":["bot"]"#) == "Shall I?")
        #expect(try reported(Self.block, sender: "bot", members: #","bot_user_ids":["bot"]"#)?.isEmpty == true)
    }

    @Test func `a bot's text is delivered without quick replies if no bots are named`() throws {
        #expect(try reported("Shall I? \(Self.block)", sender: "bot", customType: "SENDBIRD_DESK_BOT_MESSAGE") == "Shall I?")
    }

    @Test func `a malformed block of a bot is delivered unchanged`() throws {
        let text = "Shall I? JSON^{}^NSOJ \(String(repeating: "JSON^", count: 10_000))"
        #expect(try reported(text, sender: "bot", members: #","bot_user_ids":["bot"]"#) == text)
    }

    /// An agent may explain the syntax to a customer.
    @Test func `the text of support is delivered unchanged`() throws {
        let text = "Write \(Self.block)"
        #expect(try reported(text, sender: "sendbird_desk_agent_id_1", members: #","bot_user_ids":["bot"]"#) == text)
    }

    @Test func `a held text of a bot is delivered without quick replies`() throws {
        let fixture = try SendbirdFixture(members: #","bot_user_ids":["bot"]"#)
        try fixture.registerDevice()
        let message = SendbirdBody.message(text: "Hello! \(Self.block)", sender: "bot")
        #expect(shown(try fixture.chat(message)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket())) == SendbirdFixture.accepted)
        #expect(try fixture.lookUpOwners() == ["delivered owner_found"])
        #expect(try body(of: fixture.data(.commentCreated)) == "Hello!")
    }
}
