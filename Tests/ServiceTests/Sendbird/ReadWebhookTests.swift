import Core
import HTTPServer
import Storage
import TestSupport
import Testing
import Time

@testable import Sendbird

/// `group_channel:message_read`: the customer has read the channel, perhaps on another device.
@Suite struct ReadWebhookTests {
    private static let now = SendbirdFixture.time.rawValue

    /// - Parameter updates: the elements of `read_updates`.
    private func read(
        _ updates: String, channel: String = "sendbird_desk_1", type: String = "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE", app: String = "APP"
    ) -> String {
        #"{"category":"group_channel:message_read","members":[{"user_id":"user-1"},{"user_id":"user-2"}],"read_updates":[\#(updates)],"#
            + #""channel":{"channel_url":"\#(channel)","custom_type":"\#(type)"},"app_id":"\#(app)"}"#
    }

    private func update(_ user: String, at time: String = "\(now)") -> String {
        #"{"user_id":"\#(user)","read_ts":\#(time),"channel_unread_message_count":0,"total_unread_message_count":3}"#
    }

    /// A fixture in which the channel's customer has a pending push.
    private func waiting(members: String = "") throws -> SendbirdFixture {
        let fixture = try SendbirdFixture.known(members: members)
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        return fixture
    }

    private static let pushed = SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true)
    private static let notPushed =
        SendbirdFixture.created + SendbirdFixture.reported("comment.created") + ["comment.created user-1 apns delivered"]
        + SendbirdFixture.reported("conversation.seen")

    @Test func `a push is not sent once the customer has read the channel`() throws {
        let fixture = try waiting()
        #expect(shown(try fixture.chat(read(update("user-2") + "," + update("user-1")))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == Self.notPushed)
        let time = RFC3339.text(SendbirdFixture.time)
        #expect(try fixture.data(.conversationSeen) == #"{"ticket_id":101,"channel":"sendbird_desk_1","seen_at":"\#(time)"}"#)
    }

    /// A member whom the customer has invited, support, a bot, another user, and ids that resemble the customer's.
    @Test(arguments: ["user-2", "sendbird_desk_agent_id_1", "bot", "stranger", "User-1", "user-1 ", ""])
    func `a reader who is not the customer changes nothing`(_ reader: String) throws {
        let fixture = try waiting(members: #","bot_user_ids":["bot"]"#)
        #expect(shown(try fixture.chat(read(update(reader)))) == SendbirdFixture.ignored)
        #expect(try fixture.events() == Self.pushed)
    }

    @Test func `a bot that looks like the customer by the members is ignored`() throws {
        let fixture = try SendbirdFixture(members: #","bot_user_ids":["bot"]"#)
        #expect(shown(try fixture.chat(read(update("bot")))) == SendbirdFixture.ignored)
        #expect(try fixture.events().isEmpty)
    }

    /// Desk is not called for the owner: without one no push was sent.
    @Test func `a channel without a known customer changes nothing`() throws {
        let fixture = try waiting()
        #expect(shown(try fixture.chat(read(update("user-1"), channel: "other"))) == SendbirdFixture.ignored)
        #expect(shown(try fixture.chat(read(update("user-1"), type: "own"))) == SendbirdFixture.ignored)
        #expect(try fixture.events() == Self.pushed)
        #expect(fixture.questions.isEmpty)
    }

    @Test(
        arguments: [
            #"{"category":"group_channel:message_read"}"#,
            #"{"category":"group_channel:message_read","read_updates":[{"user_id":"user-1"}]}"#,
            #"{"category":"group_channel:message_read","channel":{"channel_url":"sendbird_desk_1"}}"#,
            #"{"category":"group_channel:message_read","channel":{"channel_url":"sendbird_desk_1"},"read_updates":{"user_id":"user-1"}}"#,
            #"{"category":"group_channel:message_read","channel":{"channel_url":"sendbird_desk_1"},"read_updates":["user-1",null,7]}"#,
            #"{"category":"group_channel:message_read","channel":{"channel_url":"sendbird_desk_1"},"read_updates":[{"user_id":["user-1"]}]}"#,
            #"{"category":"group_channel:message_read","channel":"sendbird_desk_1","read_updates":[{"user_id":"user-1"}]}"#,
        ])
    func `a malformed webhook changes nothing`(_ body: String) throws {
        let fixture = try waiting()
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored)
        #expect(try fixture.events() == Self.pushed)
    }

    /// No time, an impossible one, and one in seconds: the time of arrival is used instead.
    @Test(arguments: ["null", "0", "-1", "9223372036854775807", "1e400", #""soon""#, "\(now / 1000)", "\(now + 90_000_000)"])
    func `an invalid time does not prevent the receipt`(_ time: String) throws {
        let fixture = try waiting()
        #expect(shown(try fixture.chat(read(update("user-1", at: time)))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == Self.notPushed)
        #expect(try fixture.data(.conversationSeen)?.hasSuffix(#""seen_at":"\#(RFC3339.text(SendbirdFixture.time))"}"#) == true)
    }

    /// The read receipt arrives after the message's webhook.
    @Test func `a message that was written after the receipt is pushed`() throws {
        let fixture = try SendbirdFixture.known()
        let later = SendbirdBody.message().replacing("1760000000000", with: "\(Self.now - 1000)")
        #expect(shown(try fixture.chat(later)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(read(update("user-1", at: "\(Self.now - 1001)")))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == Self.pushed + SendbirdFixture.reported("conversation.seen"))
        #expect(shown(try fixture.chat(read(update("user-1", at: "\(Self.now - 1000)")))) == SendbirdFixture.accepted)
        #expect(try fixture.events().contains("comment.created user-1 apns delivered"))
    }

    /// Sendbird repeats a webhook whose response was lost, and an attacker may replay a captured one.
    @Test func `a repeated webhook ends no later push`() throws {
        let fixture = try waiting()
        let body = read(update("user-1"))
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("8000000009"))) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.duplicate)
        #expect(try fixture.events() == Self.notPushed + SendbirdFixture.reported("comment.created", pushed: true))
    }

    @Test func `another app's webhook is rejected`() throws {
        let fixture = try waiting()
        #expect(try fixture.chat(read(update("user-1"), app: "OTHER")).status == 400)
        #expect(try fixture.chat(read(update("user-1")), token: SendbirdFixture.deskToken).status == 403)
        #expect(try fixture.events() == Self.pushed)
    }
}
