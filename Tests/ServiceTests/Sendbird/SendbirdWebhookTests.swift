import Core
import HTTPServer
import Observability
import Storage
import TestSupport
import Testing
import Threading

@testable import Sendbird

/// The webhooks of Sendbird Chat and Desk, from the signature to the events in the store.
@Suite struct SendbirdWebhookTests {
    private static let accepted = #"200 {"status":"accepted"}"#
    private static let duplicate = #"200 {"status":"duplicate"}"#
    private static let ignored = #"200 {"status":"ignored"}"#
    private static let denied = #"403 {"error":"denied","message":"The origin of this webhook is not proven."}"#

    private func shown(_ response: ReceivedResponse) -> String { "\(response.status) \(response.text)" }

    /// A fixture whose channel belongs to a customer with a device.
    private func known() throws -> SendbirdFixture {
        let fixture = try SendbirdFixture()
        try fixture.registerDevice()
        #expect(shown(try fixture.desk(SendbirdBody.ticket())) == Self.accepted)
        return fixture
    }

    private static let created = ["ticket.created user-1 log pending", "ticket.created user-1 backend pending"]
    private static func told(_ kind: String, pushed: Bool = false) -> [String] {
        ["\(kind) user-1 log pending", "\(kind) user-1 backend pending"] + (pushed ? ["\(kind) user-1 apns pending"] : [])
    }

    @Test func aCommentReachesTheCustomersDevice() throws {
        let fixture = try known()
        let body = SendbirdBody.message("9007199254740993")
        #expect(shown(try fixture.chat(body)) == Self.accepted)
        #expect(shown(try fixture.chat(body)) == Self.duplicate)
        #expect(try fixture.events() == Self.created + Self.told("comment.created", pushed: true))
        #expect(
            try fixture.data(.commentCreated)
                == #"{"ticket_id":101,"channel":"sendbird_desk_1","device_id":null,"device_type":null,"#
                + #""comment":{"comment_id":9007199254740993,"body":"Hello"},"#
                + #""author":{"name":"Anna","avatar_id":null,"avatar_color":null},"created_at":"2025-10-09T08:53:20.000Z","attachments":[]}"#
        )
        #expect(fixture.counts() == [#"{app="APP",result="accepted"} 2"#, #"{app="APP",result="duplicate"} 1"#])
        #expect(!(try fixture.log.text()).contains("Hello"))
    }

    @Test func tokensOverlapWhileOneReplacesAnother() throws {
        let fixture = try known()
        #expect(shown(try fixture.chat(SendbirdBody.message(), token: SendbirdFixture.formerChatToken)) == Self.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(status: "PENDING"), token: SendbirdFixture.chatToken)) == Self.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(status: "ACTIVE", at: "11:00:00"))) == Self.accepted)
        let lines = try fixture.log.text().split(separator: "\n").filter { $0.contains("desk webhooks are signed") }
        #expect(lines.count == 2, "once for each token")
    }

    @Test func whatIsNotProvenIsDenied() throws {
        let fixture = try known()
        let body = Array(SendbirdBody.message().utf8)
        let right = try SendbirdFixture.sign256(body, SendbirdFixture.chatToken)
        let spaced = Array(String(decoding: body, as: UTF8.self).replacing(",", with: ", ").utf8)
        func send(_ signature: String?, _ body: [UInt8] = body, app: String = "APP") -> String {
            shown(
                fixture.client.send(
                    .post, "/sendbird/chat-webhook/\(app)", headers: signature.map { ["x-sendbird-signature": $0] } ?? [:], body: body))
        }
        for signature in [nil, "", String(right.dropLast()), right + "0", right.uppercased(), "sha256=" + right, "sha1=" + right] {
            #expect(send(signature) == Self.denied, "\(signature ?? "none")")
        }
        #expect(send(right, spaced) == Self.denied, "serialised again")
        #expect(send(right, app: "OTHER") == Self.denied, "another app's")
        #expect(send(right, app: "app") == Self.denied, "an app's id has one case")
        #expect(send(right, app: "shop") == Self.denied, "another help desk's")
        #expect(shown(try fixture.chat(body, token: SendbirdFixture.deskToken)) == Self.denied)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(), token: 54)) == Self.denied)
        #expect(try fixture.events() == Self.created)
        #expect(send(right) == Self.accepted)
    }

    @Test func whatIsMalformedNamesTheField() throws {
        let fixture = try known()
        let channel = #""channel":{"channel_url":"c"}"#
        let cases = [
            ("{", nil), ("[]", nil), ("{}", "category"), (#"{"category":7}"#, "category"),
            (#"{"category":"group_channel:message_send",\#(channel)}"#, "payload"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1}}"#, "channel"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1.5},\#(channel)}"#, "payload.message_id"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1},"channel":{}}"#, "channel.channel_url"),
            (#"{"category":"group_channel:message_send","app_id":"OTHER"}"#, "app_id"),
        ]
        for (body, field) in cases {
            let response = try fixture.chat(body)
            #expect(response.status == 400, "\(body)")
            if let field { #expect(response.text.contains(field), "\(body): \(response.text)") }
        }
        for (body, field) in [
            ("{}", "eventType"), (#"{"eventType":"TICKET.CREATED"}"#, "data"), (#"{"eventType":"TICKET.CLOSED","data":{}}"#, "data.id"),
        ] {
            let response = try fixture.desk(body)
            #expect(response.status == 400 && response.text.contains(field), "\(body): \(response.text)")
        }
        #expect(try fixture.events() == Self.created)
    }

    @Test func whatIsNotKnownIsIgnored() throws {
        let fixture = try known()
        let bodies = [
            #"{"category":"group_channel:message_read"}"#, #"{"category":"user:block","future":{"a":[1,2,{}]}}"#,
            SendbirdBody.message(category: "message_delete"), SendbirdBody.message(category: "message_update"),
            SendbirdBody.message().replacing("SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE", with: ""),
        ]
        for body in bodies { #expect(shown(try fixture.chat(body)) == Self.ignored, "\(body)") }
        for body in [
            #"{"eventType":"MESSAGE.RECEIVED","botWebhookEvent":{"id":1}}"#, #"{"eventType":"FUTURE"}"#,
            #"{"eventType":"FUTURE","data":{}}"#,
        ] {
            #expect(shown(try fixture.desk(body)) == Self.ignored, "\(body)")
        }
        #expect(try fixture.events() == Self.created)
        #expect(shown(try fixture.chat(SendbirdBody.message(extra: #""future":{"x":[null]},"#))) == Self.accepted)
    }

    @Test func theCustomersOwnMessagesAreNone() throws {
        let fixture = try known()
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "user-1"))) == Self.ignored)
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "bot", customType: "SENDBIRD_DESK_BOT_MESSAGE"))) == Self.accepted)
        #expect(try fixture.events() == Self.created + Self.told("comment.created", pushed: true))
    }

    @Test func nobodyKnownIsToldToNoPhone() throws {
        let fixture = try SendbirdFixture()
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == Self.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("2", sender: "user-1"))) == Self.ignored, "perhaps the customer's own")
        #expect(try fixture.events() == ["comment.created  log pending", "comment.created  backend pending"])
        #expect(fixture.counts() == [#"{app="APP",result="ignored"} 1"#, #"{app="APP",result="no_customer"} 1"#])
        // The members tell of the customer, who is known from then on.
        let members = ["sendbird_desk_agent_id_1", "user-1"]
        #expect(shown(try fixture.chat(SendbirdBody.message("3", members: members))) == Self.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("4"))) == Self.accepted)
        #expect(try fixture.events().filter { $0.hasSuffix("apns pending") }.count == 2)
    }

    @Test func deskIsAskedForTheCustomerOnce() throws {
        let ticket = #"{"id":101,"channelUrl":"sendbird_desk_1","status2":"ACTIVE","customer":{"id":11,"sendbirdId":"user-1"}}"#
        let fixture = try SendbirdFixture(desk: .everyRequest(.respond(200, body: #"{"count":1,"results":[\#(ticket)]}"#)))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == Self.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("2"))) == Self.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("3", sender: "user-1"))) == Self.ignored)
        #expect(try fixture.events().filter { $0 == "comment.created user-1 apns pending" }.count == 2)
        #expect(fixture.questions.count == 1 && fixture.questions[0].contains("channel_url=sendbird_desk_1"))
    }

    @Test(arguments: [
        ScriptedServer.Script.everyRequest(.respond(500, body: "")), .everyRequest(.respond(401, body: "{}")), .everyRequest(.close),
    ])
    func aDeskThatIsAwayKeepsNoMessageBack(_ desk: ScriptedServer.Script) throws {
        let fixture = try SendbirdFixture(desk: desk)
        #expect(shown(try fixture.chat(SendbirdBody.message())) == Self.accepted)
        #expect(try fixture.events() == ["comment.created  log pending", "comment.created  backend pending"])
        #expect(fixture.counts() == [#"{app="APP",result="no_customer"} 1"#])
    }

    @Test func aClosureIsAskedAndAnswered() throws {
        let fixture = try known()
        let send = { (state: String, category: String) in
            self.shown(try fixture.chat(SendbirdBody.closure(state, category: category)))
        }
        #expect(try send("WAITING", "message_send") == Self.accepted)
        #expect(try send("WAITING", "message_update") == Self.duplicate)
        #expect(try send("CONFIRMED", "message_update") == Self.accepted)
        #expect(try send("CONFIRMED", "message_update") == Self.duplicate)
        #expect(try send("DECLINED", "message_update") == Self.accepted)
        #expect(
            try fixture.events() == Self.created + Self.told("ticket.closure_requested", pushed: true)
                + Self.told("ticket.closure_confirmed"))
        #expect(fixture.counts().contains(#"{app="APP",result="conflict"} 1"#))
    }

    @Test func aRatingThatOvertakesItsRequestIsToldInOrder() throws {
        let fixture = try known()
        let rated = #""state":"CONFIRMED","customerSatisfactionScore":4,"customerSatisfactionComment":"Fast""#
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(rated, category: "message_update"))) == Self.accepted)
        #expect(try fixture.events() == Self.created)
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(#""state":"WAITING""#))) == Self.accepted)
        #expect(try fixture.events() == Self.created + Self.told("ticket.rating_requested") + Self.told("ticket.rated"))
        #expect(
            try fixture.data(.ticketRated)
                == #"{"ticket_id":101,"channel":"sendbird_desk_1","comment_id":8000000003,"score":4,"comment":"Fast"}"#)
        let second = rated.replacing("4", with: "1")
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(second, category: "message_update"))) == Self.accepted)
        let nine = rated.replacing("4", with: "9")
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(nine, category: "message_update"))) == Self.accepted)
        #expect(try fixture.events().count == 6)
        let counts = fixture.counts()
        for result in ["unasked", "conflict", "malformed"] { #expect(counts.contains(#"{app="APP",result="\#(result)"} 1"#), "\(counts)") }
    }

    @Test func deskTellsOfATicketsLife() throws {
        let fixture = try known()
        let agent = #""recentAssignment":{"agent":{"id":5}},"#
        let steps = [
            SendbirdBody.ticket("TICKET.STATUS.UPDATED", status: "ACTIVE", at: "10:01:00", extra: agent),
            SendbirdBody.ticket("TICKET.CLOSED", status: "CLOSED", close: "CLOSED_BY_AGENT", at: "10:02:00", extra: agent),
            SendbirdBody.ticket("TICKET.STATUS.UPDATED", status: "PENDING", at: "10:03:00", extra: agent),
        ]
        for step in steps { #expect(shown(try fixture.desk(step)) == Self.accepted) }
        for step in steps { #expect(shown(try fixture.desk(step)) == Self.duplicate, "sent again") }
        #expect(
            shown(try fixture.desk(SendbirdBody.ticket("TICKET.CLOSED", status: "CLOSED", close: "X", at: "09:00:00"))) == Self.accepted)
        #expect(
            try fixture.events() == Self.created + Self.told("ticket.assigned") + Self.told("ticket.closed") + Self.told("ticket.reopened"))
        #expect(fixture.counts().contains(#"{app="APP",result="stale"} 1"#))
    }

    /// Whatever support alone sees is neither told nor pushed, for every row of the table and any sender.
    @Test func nothingForAgentsOnlyIsEverPushed() throws {
        let fixture = try known()
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

    @Test func aFullQueueIsToldAndTheWebhookTakenLater() throws {
        let fixture = try SendbirdFixture(maxPending: 0)
        let response = try fixture.desk(SendbirdBody.ticket())
        #expect(response.status == 503 && response.headers["retry-after"] != nil)
        #expect(try fixture.events() == [])
    }

    @Test func anAppIsKnownToItsOwnHelpDeskOnly() throws {
        let fixture = try SendbirdFixture()
        func call(_ path: String, _ app: String, _ secret: Int) throws -> String {
            let key = try TestKey(app: app, secret: secret).text()
            let body = #"{"app_id":"\#(app)","user_id":"user-1","security_key":"\#(key)","instance_id":"d","type":"ios","token":"t"}"#
            return "\(fixture.client.send(.post, path, headers: [:], body: Array(body.utf8)).status)"
        }
        #expect(try call("/sendbird/push-token", "APP", 2) == "200")
        #expect(try call("/pyrus/push-token", "APP", 2) == "403")
        #expect(try call("/pyrus/authorize", "APP", 2) == "403")
        #expect(try call("/sendbird/push-token", "shop", 1) == "403")
        #expect(try call("/pyrus/push-token", "shop", 1) == "200")
    }
}
