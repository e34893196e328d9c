import HTTPServer
import TestSupport
import Testing

@testable import Sendbird

@Suite struct HiddenMessageTests {
    private static let agentsOnly = "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"

    /// The custom type in `payload` and at the top level.
    @Test(arguments: [
        ("", agentsOnly), (agentsOnly, ""), (agentsOnly, agentsOnly), (agentsOnly, "own"), ("own", agentsOnly),
        ("SENDBIRD_DESK_BOT_MESSAGE", agentsOnly), ("SENDBIRD_DESK_RICH_MESSAGE", agentsOnly),
    ])
    func `a message for agents only is hidden by the custom type in either place`(_ inPayload: String, _ atTop: String) throws {
        let fixture = try SendbirdFixture.known()
        for type in ["MESG", "FILE", "ADMM"] {
            let body = SendbirdBody.message(type: type, customType: inPayload, extra: #""custom_type":"\#(atTop)","#)
            #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored, "\(type)")
        }
        #expect(try fixture.events() == SendbirdFixture.created)
    }

    @Test func `an empty custom type in the payload keeps the one at the top level`() throws {
        let fixture = try SendbirdFixture.known()
        let question = SendbirdBody.closure("WAITING").replacing(#""custom_type":"SENDBIRD_DESK_RICH_MESSAGE""#, with: #""custom_type":"""#)
        let atTop = question.replacing(#""type":"MESG","#, with: #""type":"MESG","custom_type":"SENDBIRD_DESK_RICH_MESSAGE","#)
        #expect(shown(try fixture.chat(atTop)) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("ticket.closure_requested", pushed: true))
    }

    /// `ADMM` in either place hides an administrator's message to support.
    @Test(arguments: [("", "ADMM"), ("ADMM", ""), ("ADMM", "MESG"), ("MESG", "ADMM")])
    func `a system message is hidden by the type in either place`(_ atTop: String, _ inPayload: String) throws {
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message(sender: nil, type: atTop, data: #"{"type":"SYSTEM_MESSAGE_TICKET_ASSIGNED"}"#)
        let both = body.replacing(#""payload":{"#, with: #""payload":{"type":"\#(inPayload)","#)
        #expect(shown(try fixture.chat(both)) == SendbirdFixture.ignored)
    }

    /// With `MESG` in both places, the same message of the same sender is delivered.
    @Test(
        arguments: [("", "ADMM"), ("ADMM", ""), ("ADMM", "MESG"), ("MESG", "ADMM")],
        [("sendbird_desk_agent_id_1", ""), ("bot", "SENDBIRD_DESK_BOT_MESSAGE")])
    func `a system message is hidden by its type for any sender`(_ types: (String, String), _ writer: (String, String)) throws {
        let fixture = try SendbirdFixture.known()
        func send(_ id: String, atTop: String, inPayload: String) throws -> String {
            let system = #"{"type":"SYSTEM_MESSAGE_TICKET_ASSIGNED"}"#
            let body = SendbirdBody.message(id, sender: writer.0, type: atTop, customType: writer.1, data: system)
            return shown(try fixture.chat(body.replacing(#""payload":{"#, with: #""payload":{"type":"\#(inPayload)","#)))
        }
        #expect(try send("1", atTop: types.0, inPayload: types.1) == SendbirdFixture.ignored)
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(try send("2", atTop: "MESG", inPayload: "MESG") == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true))
    }

    /// Messages that only support sees are neither relayed nor pushed, for every row of the table and any sender.
    @Test func `messages for agents only are never pushed`() throws {
        let fixture = try SendbirdFixture.known()
        let devices = ["user-1", "sendbird_desk_agent_id_1", "bot"]
        var number = 0
        for row in MessageClassTests.rows {
            for sender in devices + [nil] as [String?] {
                for category in ["message_send", "message_update"] {
                    number += 1
                    let before = try fixture.events().count
                    let body = SendbirdBody.message(
                        "\(number)", sender: sender, type: row.type, customType: row.customType, data: row.data ?? "", category: category)
                    #expect(try fixture.chat(body).status == 200)
                    guard row.expected == .agentsOnly else { continue }
                    #expect(try fixture.events().count == before, "\(body)")
                }
            }
        }
        let pushes = try fixture.events().filter { $0.contains(" apns ") }
        #expect(pushes.count > 10)
        let kinds = Set(pushes.map { String($0.prefix { $0 != " " }) })
        #expect(kinds == ["comment.created", "ticket.closure_requested", "ticket.rating_requested"])
    }
}
