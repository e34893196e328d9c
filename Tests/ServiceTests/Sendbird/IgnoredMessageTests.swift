import HTTPServer
import TestSupport
import Testing

@testable import Sendbird

/// Ignored messages that an operator may miss: the log has the reason.
@Suite struct IgnoredMessageTests {
    private static let botType = "SENDBIRD_DESK_BOT_MESSAGE"
    private static let autoEventType = "SENDBIRD:AUTO_EVENT_MESSAGE"

    /// Sends messages, each of which must be ignored.
    /// - Returns: the reasons in the log from level info on, in order.
    private func reasons(_ fixture: SendbirdFixture, _ bodies: [String]) throws -> [String] {
        for body in bodies { #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored, "\(body)") }
        #expect(fixture.counts().contains(#"{app="APP",result="ignored"} \#(bodies.count)"#))
        let start = "INFO  webhook result=ignored reason="
        return try fixture.log.lines().filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).prefix { $0 != " " }) }
    }

    @Test(arguments: ["user-2", "shop-system", nil]) func `a question from a sender other than support is logged`(_ sender: String?) throws
    {
        let fixture = try SendbirdFixture.known()
        let questions = [
            SendbirdBody.closure("WAITING", sender: sender), SendbirdBody.satisfaction(#""state":"WAITING""#, sender: sender),
        ]
        #expect(try reasons(fixture, questions) == ["question_not_of_support", "question_not_of_support"])
        #expect(!(try fixture.log.text()).contains("Rate us"))
    }

    @Test(arguments: [botType, autoEventType]) func `a bot in a channel without a ticket is logged`(_ customType: String) throws {
        let fixture = try SendbirdFixture()
        let bodies = [
            SendbirdBody.message("1", sender: "bot", customType: customType),
            SendbirdBody.message("2", sender: "bot", customType: customType, members: ["user-1"]),
        ]
        #expect(try reasons(fixture, bodies) == ["unknown_ticket", "unknown_ticket"])
    }

    @Test(arguments: ["[]", #"["bot"]"#], [botType, autoEventType])
    func `an unnamed bot is logged`(_ bots: String, _ customType: String) throws {
        let fixture = try SendbirdFixture.known(members: #","bot_user_ids":\#(bots)"#)
        let body = SendbirdBody.message(sender: "other-bot", customType: customType)
        #expect(try reasons(fixture, [body]) == ["not_a_bot"])
    }

    /// They are expected and frequent.
    @Test func `the customer's own messages, those for agents, and updates are not logged`() throws {
        let fixture = try SendbirdFixture.known()
        let bodies = [
            SendbirdBody.message("1", sender: "user-1"), SendbirdBody.message("2", sender: "user-2"),
            SendbirdBody.message("3", sender: "user-1", customType: Self.botType),
            SendbirdBody.message("4", customType: "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"),
            SendbirdBody.message("5", category: "message_update"), SendbirdBody.closure("WAITING", category: "message_update"),
            SendbirdBody.message("6").replacing("group_channel:message_send", with: "group_channel:message_read"),
        ]
        #expect(try reasons(fixture, bodies).isEmpty)
        #expect(try fixture.log.lines().filter { $0.hasPrefix("DEBUG webhook result=ignored app=APP") }.count == bodies.count)
    }
}
