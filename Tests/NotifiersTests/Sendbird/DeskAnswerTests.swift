import Core
import Crypto
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

@Suite struct DeskAnswerTests {
    private static let closure = "SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE"
    private static let satisfaction = "SENDBIRD_DESK_CUSTOMER_SATISFACTION"

    /// A message as Chat's Platform API returns it.
    private static func message(
        _ type: String, state: String = "WAITING", ticket: Int64 = 102, isEncoded: Bool = false,
        customType: String = RichMessage.customType, sender: String? = "sendbird_desk_agent_id_1", more: JSONObject = [:]
    ) -> String {
        var body: JSONObject = ["state": .string(state), "ticketId": .integer(ticket)]
        for member in more.members { body.append(member.value, forKey: member.key) }
        let data = JSONValue.object(["type": .string(type), "body": .object(body)]).serialized()
        let text = isEncoded ? Base64.encode(data.span) : String(decoding: data, as: UTF8.self)
        var message: JSONObject = [
            "message_id": 8_000_000_002, "message": "Close?", "custom_type": .string(customType), "data": .string(text),
        ]
        if let sender { message.append(["user_id": .string(sender)], forKey: "user") }
        return String(decoding: JSONValue.object(message).serialized(), as: UTF8.self)
    }

    private func answer(
        _ answer: CustomerAnswer, to message: String, state: TicketState = .active,
        _ check: (DeskFixture, Result<Ticket, TicketFailure>) throws -> Void
    ) throws {
        try DeskFixture.with(chat: .requests([[.respond(200, body: message)], [.respond(200, body: "{}")]])) { desk throws in
            let ticket = try desk.activeTicket()
            #expect(ticket.id == 102)
            desk.desk.perform(.set(state: state.rawValue), onTicket: ticket.id)
            let result = Result { () throws(TicketFailure) in
                try desk.tickets.answer(answer, messageID: 8_000_000_002, ticket: ticket.id, owner: "user-1")
            }
            try check(desk, result)
        }
    }

    /// The `data` that was sent.
    private func sent(_ desk: DeskFixture) throws -> String {
        let request = desk.chat.requests[1]
        #expect(request.method == "PUT")
        #expect(request.target == "/v3/group_channels/sendbird_desk_102/messages/8000000002")
        let json = try #require(JSONValue(parsing: Array(request.text.utf8)))
        #expect(json["message"] == "Close?")
        #expect(json["message_type"] == "MESG")
        #expect(json["custom_type"]?.text == RichMessage.customType)
        return json["data"]?.text ?? ""
    }

    @Test(arguments: [false, true]) func `confirms closing and closes the ticket`(_ isEncoded: Bool) throws {
        try answer(.closure(isConfirmed: true), to: Self.message(Self.closure, isEncoded: isEncoded)) { desk, result throws in
            #expect(try result.get().state == .closed)
            #expect(try sent(desk) == #"{"type":"\#(Self.closure)","body":{"state":"CONFIRMED","ticketId":102}}"#)
        }
    }

    @Test func `declines closing`() throws {
        try answer(.closure(isConfirmed: false), to: Self.message(Self.closure)) { desk, result throws in
            #expect(try result.get().state == .active)
            #expect(try sent(desk) == #"{"type":"\#(Self.closure)","body":{"state":"DECLINED","ticketId":102}}"#)
        }
    }

    /// Desk may have closed the ticket by itself, or support may have changed its state.
    @Test(arguments: [TicketState.closed, .pending]) func `does not change a ticket that cannot be closed`(_ state: TicketState) throws {
        try answer(.closure(isConfirmed: true), to: Self.message(Self.closure), state: state) { _, result throws in
            #expect(try result.get().state == state)
        }
    }

    @Test(arguments: [nil, "Fast"]) func `a rating is stored in the message`(_ comment: String?) throws {
        try answer(.rating(score: 4, comment: comment), to: Self.message(Self.satisfaction), state: .closed) { desk, result throws in
            #expect(try result.get().state == .closed)
            let body =
                #"{"state":"CONFIRMED","ticketId":102,"customerSatisfactionScore":4,"customerSatisfactionComment":"\#(comment ?? "")"}"#
            #expect(try sent(desk) == #"{"type":"\#(Self.satisfaction)","body":\#(body)}"#)
            // Desk's own ticket has no rating yet.
            #expect(try result.get().score == 4)
            #expect(try result.get().ratingComment == comment)
            #expect(try desk.tickets.ticket(.id(102)).score == nil)
        }
    }

    /// A repeated answer changes nothing, but completes steps that the first one may have left open.
    @Test func `accepts the same answer again`() throws {
        try answer(.closure(isConfirmed: true), to: Self.message(Self.closure, state: "CONFIRMED")) { desk, result throws in
            #expect(try result.get().state == .closed)
            #expect(desk.chat.requests.count == 1)
        }
        let rated: JSONObject = ["customerSatisfactionScore": 4]
        try answer(.rating(score: 4, comment: nil), to: Self.message(Self.satisfaction, state: "CONFIRMED", more: rated)) {
            desk, result throws in
            #expect(try result.get().score == 4)
            #expect(desk.chat.requests.count == 1)
        }
    }

    @Test(arguments: [
        (CustomerAnswer.closure(isConfirmed: true), message(closure, state: "DECLINED")),
        (.closure(isConfirmed: false), message(closure, state: "CONFIRMED")), (.closure(isConfirmed: true), message(satisfaction)),
        (.rating(score: 5, comment: nil), message(closure)), (.closure(isConfirmed: true), message(closure, ticket: 103)),
        (.rating(score: 5, comment: nil), message(satisfaction, state: "CONFIRMED", more: ["customerSatisfactionScore": 4])),
        (.closure(isConfirmed: true), message(closure, customType: "")),
        (.closure(isConfirmed: true), message("SENDBIRD_DESK_URL_PREVIEW")),
        // Questions from the customer, from another member, and without a sender.
        (.closure(isConfirmed: true), message(closure, sender: "user-1")),
        (.rating(score: 5, comment: nil), message(satisfaction, sender: "bot")),
        (.rating(score: 5, comment: nil), message(satisfaction, sender: nil)),
        (.closure(isConfirmed: true), #"{"custom_type":"SENDBIRD_DESK_RICH_MESSAGE","data":"x"}"#), (.closure(isConfirmed: true), "{}"),
        (.closure(isConfirmed: true), #"{"custom_type":"SENDBIRD_DESK_RICH_MESSAGE","data":"[1]"}"#),
    ])
    func `answers only support's questions`(_ wanted: CustomerAnswer, _ message: String) throws {
        try answer(wanted, to: message) { desk, result throws in
            #expect(throws: TicketFailure.notAsked) { try result.get() }
            #expect(desk.chat.requests.count == 1)
            #expect(try desk.tickets.ticket(.id(102)).state == .active)
        }
    }

    /// An agent's account that has opened a ticket to try the app.
    @Test func `the ticket's customer is never taken for support, for any prefix of the id`() throws {
        let message = try #require(JSONValue(parsing: Array(Self.message(Self.closure, sender: "sendbird_desk_agent_id_1").utf8)))
        #expect(InquiryMessage(message, ticket: 102, owner: "user-1") != nil)
        #expect(InquiryMessage(message, ticket: 102, owner: "sendbird_desk_agent_id_1") == nil)
    }
}
