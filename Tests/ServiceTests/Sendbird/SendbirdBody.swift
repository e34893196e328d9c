import JSON
import TestSupport
import Testing

@testable import Sendbird

/// Webhook bodies in Sendbird's form.
enum SendbirdBody {
    static func message(
        _ id: String = "8000000001", text: String = "Hello", sender: String? = "sendbird_desk_agent_id_1", type: String = "MESG",
        customType: String = "", data: String = "", channel: String = "sendbird_desk_1", category: String = "message_send",
        members: [String] = [], extra: String = ""
    ) -> String {
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).serialized(), as: UTF8.self) }
        let senderPart = sender.map { #""sender":{"user_id":\#(quoted($0)),"nickname":"Anna","future":1},"# } ?? ""
        let memberPart = members.isEmpty ? "" : #""members":[\#(members.map { #"{"user_id":\#(quoted($0))}"# }.joined(separator: ","))],"#
        return """
            {"category":"group_channel:\(category)","type":"\(type)",\(senderPart)\(memberPart)\(extra)"payload":{"message_id":\(id),\
            "custom_type":\(quoted(customType)),"message":\(quoted(text)),"data":\(quoted(data)),"created_at":1760000000000,\
            "updated_at":1760000100000},"channel":{"channel_url":\(quoted(channel)),"custom_type":"SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"},\
            "app_id":"APP"}
            """
    }

    static func closure(
        _ state: String, category: String = "message_send", id: String = "8000000002", sender: String? = "sendbird_desk_agent_id_1"
    ) -> String {
        message(
            id, text: "Close?", sender: sender, customType: "SENDBIRD_DESK_RICH_MESSAGE",
            data: #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"\#(state)","ticketId":101}}"#, category: category)
    }

    static func satisfaction(
        _ body: String, category: String = "message_send", id: String = "8000000003", sender: String? = "sendbird_desk_agent_id_1"
    ) -> String {
        message(
            id, text: "Rate us", sender: sender, customType: "SENDBIRD_DESK_RICH_MESSAGE",
            data: #"{"type":"SENDBIRD_DESK_CUSTOMER_SATISFACTION","body":{\#(body),"ticketId":101}}"#, category: category)
    }

    static func ticket(
        _ type: String = "TICKET.CREATED", status: String = "INITIALIZED", close: String = "NOT_CLOSED", at: String = "10:00:00",
        customer: String? = "user-1", extra: String = ""
    ) -> String {
        let customer = customer.map { #""customer":{"id":11,"sendbirdId":"\#($0)"},"# } ?? ""
        return """
            {"eventType":"\(type)","createdAt":"2026-03-01T\(at)Z","data":{"id":101,"channelUrl":"sendbird_desk_1",\
            "status2":"\(status)","closeStatus":"\(close)","priority":"MEDIUM",\(customer)\(extra)"group":{"id":3,"key":"cs-team"},\
            "customFields":[{"id":1,"key":"order","value":"7"}]}}
            """
    }
}

extension SendbirdFixture {
    /// Desk's responses about the channel: its customer, no ticket, and a failure.
    static let named = ScriptedStep.respond(200, body: #"{"count":1,"results":[\#(ticket)]}"#)
    static let nobody = ScriptedStep.respond(200, body: #"{"count":0,"results":[]}"#)
    static let away = ScriptedStep.respond(500)
    private static let ticket = #"{"id":101,"channelUrl":"sendbird_desk_1","status2":"ACTIVE","customer":{"id":11,"sendbirdId":"user-1"}}"#

    static let accepted = #"200 {"status":"accepted"}"#
    static let duplicate = #"200 {"status":"duplicate"}"#
    static let ignored = #"200 {"status":"ignored"}"#
    static let denied = #"403 {"error":"denied","message":"The origin of this webhook is not proven."}"#

    /// A fixture whose channel belongs to a customer with a device.
    /// - Parameter members: additional members of the app's object `sendbird`.
    static func known(members: String = "") throws -> SendbirdFixture {
        let fixture = try SendbirdFixture(members: members)
        try fixture.registerDevice()
        #expect(shown(try fixture.desk(SendbirdBody.ticket())) == accepted)
        return fixture
    }

    /// The counters of skipped members.
    func leftOut() -> [String] {
        let name = "deskgate_webhook_members_left_out_total"
        return metricsText().split(separator: "\n").filter { $0.hasPrefix("\(name){") }.map { String($0.dropFirst(name.count)) }
    }

    /// The creation events of that ticket.
    static let created = reported("ticket.created")

    /// The events of a kind for the customer of that channel.
    static func reported(_ kind: String, pushed: Bool = false) -> [String] {
        ["\(kind) user-1 log pending", "\(kind) user-1 backend pending"] + (pushed ? ["\(kind) user-1 apns pending"] : [])
    }
}

func shown(_ response: ReceivedResponse) -> String { "\(response.status) \(response.text)" }
