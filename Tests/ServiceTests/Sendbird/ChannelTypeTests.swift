import Core
import TestSupport
import Testing

@testable import Sendbird

/// The type of channel in which a ticket was opened: the app's chat, or a social network.
@Suite struct ChannelTypeTests {
    @Test(arguments: [
        (#""SENDBIRD_IOS""#, #""SENDBIRD_IOS""#), (#""WHATSAPP_MESSAGE""#, #""WHATSAPP_MESSAGE""#),
        (#""soon-another""#, #""soon-another""#),
        ("null", "null"), ("\"\"", "null"), (#""two words""#, "null"), (#""<b>""#, "null"), (#""a\u0000b""#, "null"), ("7", "null"),
        (#"{"a":1}"#, "null"),
    ])
    func `an event has the type of the ticket's channel`(_ written: String, _ reported: String) throws {
        let fixture = try SendbirdFixture()
        #expect(shown(try fixture.desk(SendbirdBody.ticket(extra: #""channelType":\#(written),"#))) == SendbirdFixture.accepted)
        let data = try #require(try fixture.data(.ticketCreated))
        #expect(data.contains(#""channel":"sendbird_desk_1","channel_type":\#(reported),"status""#))
    }

    @Test func `a ticket of a social channel has the customer's id at Desk and no push`() throws {
        let fixture = try SendbirdFixture()
        try fixture.registerDevice()
        let body = SendbirdBody.ticket(customer: "social-7", extra: #""channelType":"FACEBOOK_CONVERSATION","#)
            .replacing(#""id":101,"channelUrl":"sendbird_desk_1""#, with: #""id":102,"channelUrl":"social_1""#)
        #expect(shown(try fixture.desk(body)) == SendbirdFixture.accepted)
        let events = try fixture.events().filter { $0.contains(" social-7 ") }
        #expect(!events.isEmpty)
        #expect(events.allSatisfy { $0.hasPrefix("ticket.created social-7 ") })
        #expect(!events.contains { $0.contains("apns") })
        #expect(try fixture.data(.ticketCreated)?.contains(#""channel_type":"FACEBOOK_CONVERSATION""#) == true)
    }
}
