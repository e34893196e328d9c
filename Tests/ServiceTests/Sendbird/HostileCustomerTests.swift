import Core
import HTTPServer
import Storage
import TestSupport
import Testing

@testable import Sendbird

/// A customer whose own program sends messages in the form of support's, from the webhook to the events in the store.
@Suite struct HostileCustomerTests {
    private static let botType = "SENDBIRD_DESK_BOT_MESSAGE"
    private static let autoEventType = "SENDBIRD:AUTO_EVENT_MESSAGE"
    private static let score = #""state":"CONFIRMED","customerSatisfactionScore":5"#

    @Test(arguments: ["", botType, autoEventType, "SENDBIRD_DESK_RICH_MESSAGE", "own"], ["MESG", "FILE", "ADMM"])
    func `a customer's own message is never taken for support's`(_ customType: String, _ type: String) throws {
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message(sender: "user-1", type: type, customType: customType)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored)
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(fixture.counts().contains(#"{app="APP",result="ignored"} 1"#))
    }

    /// A member whom the customer has invited, another sender, and a message without a sender.
    @Test(arguments: ["user-2", "stranger", nil]) func `a message of neither support nor a bot is not delivered`(_ sender: String?) throws {
        let fixture = try SendbirdFixture.known()
        for members in [[], ["user-1", "user-2", "sendbird_desk_agent_id_1"]] {
            #expect(shown(try fixture.chat(SendbirdBody.message(sender: sender, members: members))) == SendbirdFixture.ignored)
        }
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(fixture.questions.isEmpty, "such a message needs no answer of Desk")
    }

    /// The custom type of a bot is not trusted if the app names its bots.
    @Test func `a member with a bot's custom type is not delivered if bots are named`() throws {
        let fixture = try SendbirdFixture.known(members: #","bot_user_ids":["bot"]"#)
        for (id, customType) in [("1", Self.botType), ("2", Self.autoEventType)] {
            #expect(
                shown(try fixture.chat(SendbirdBody.message(id, sender: "user-2", customType: customType))) == SendbirdFixture.ignored)
        }
        #expect(shown(try fixture.chat(SendbirdBody.message("3", sender: "bot"))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true))
    }

    @Test(arguments: ["user-1", "user-2", "bot", nil]) func `only support can ask a question`(_ sender: String?) throws {
        let fixture = try SendbirdFixture.known()
        #expect(shown(try fixture.chat(SendbirdBody.closure("WAITING", sender: sender))) == SendbirdFixture.ignored)
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(#""state":"WAITING""#, sender: sender))) == SendbirdFixture.ignored)
        // The answer to it is ignored as well.
        for body in [
            SendbirdBody.closure("CONFIRMED", category: "message_update", sender: sender),
            SendbirdBody.satisfaction(Self.score, category: "message_update", sender: sender),
        ] {
            #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        }
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(fixture.counts().contains(#"{app="APP",result="unasked"} 2"#))
    }

    /// Through Desk's interface a customer can change the data of a preview that support has sent.
    @Test func `a message of support that is changed into a question is ignored`() throws {
        let fixture = try SendbirdFixture.known()
        let preview = SendbirdBody.message(
            "8000000003", customType: "SENDBIRD_DESK_RICH_MESSAGE",
            data: #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"https://example.com/"}}"#)
        #expect(shown(try fixture.chat(preview)) == SendbirdFixture.accepted)
        let question = SendbirdBody.satisfaction(#""state":"WAITING""#, category: "message_update")
        #expect(shown(try fixture.chat(question)) == SendbirdFixture.ignored)
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(Self.score, category: "message_update"))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true))
    }

    /// The customer changes support's question into one of the other kind, with its answer.
    @Test func `a question about closing is never answered with a rating`() throws {
        let fixture = try SendbirdFixture.known()
        #expect(shown(try fixture.chat(SendbirdBody.closure("WAITING", id: "8000000002"))) == SendbirdFixture.accepted)
        let rating = SendbirdBody.satisfaction(Self.score, category: "message_update", id: "8000000002")
        #expect(shown(try fixture.chat(rating)) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("ticket.closure_requested", pushed: true))
        #expect(fixture.counts().contains(#"{app="APP",result="unasked"} 1"#))
    }

    /// The channel has Desk's custom type, and its creator left it before the webhook was sent.
    @Test(arguments: [("MESG", botType), ("MESG", autoEventType), ("ADMM", autoEventType)])
    func `a channel that a customer has created causes no push`(_ type: String, _ customType: String) throws {
        let fixture = try SendbirdFixture()
        try fixture.registerDevice("victim")
        let sender = type == "ADMM" ? nil : "user-1"
        let body = SendbirdBody.message(sender: sender, type: type, customType: customType, channel: "own", members: ["victim"])
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored)
        #expect(try fixture.events().isEmpty)
        #expect(fixture.questions.count == 1, "Desk alone knows whether it is a ticket's")
    }

    @Test func `Desk's response takes precedence over the members of a message`() throws {
        let ticket = #"{"id":101,"channelUrl":"sendbird_desk_1","status2":"ACTIVE","customer":{"id":11,"sendbirdId":"user-1"}}"#
        let fixture = try SendbirdFixture(desk: .everyRequest(.respond(200, body: #"{"count":1,"results":[\#(ticket)]}"#)))
        try fixture.registerDevice("user-1")
        // The customer has invited another user and left.
        #expect(shown(try fixture.chat(SendbirdBody.message("1", members: ["user-2"]))) == SendbirdFixture.accepted)
        let forged = SendbirdBody.message("2", sender: "user-1", customType: Self.botType)
        #expect(shown(try fixture.chat(forged)) == SendbirdFixture.ignored)
        #expect(shown(try fixture.chat(SendbirdBody.message("3", sender: "bot", customType: Self.botType))) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("4"))) == SendbirdFixture.accepted)
        let reported = try fixture.events().filter { $0.hasSuffix("apns pending") }
        #expect(reported == ["comment.created user-1 apns pending", "comment.created user-1 apns pending"])
    }
}
