import Core
import HTTPServer
import Observability
import Storage
import TestSupport
import Testing
import Threading

@testable import Sendbird

@Suite struct SendbirdWebhookTests {
    @Test func `a comment reaches the customer's device`() throws {
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message("9007199254740993")
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(body)) == SendbirdFixture.duplicate)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true))
        #expect(
            try fixture.data(.commentCreated)
                == #"{"ticket_id":101,"channel":"sendbird_desk_1","device_id":null,"device_type":null,"#
                + #""comment":{"comment_id":9007199254740993,"body":"Hello"},"#
                + #""author":{"name":"Anna","avatar_id":null,"avatar_url":null,"avatar_color":null},"#
                + #""created_at":"2025-10-09T08:53:20.000Z","attachments":[]}"#
        )
        #expect(fixture.counts() == [#"{app="APP",result="accepted"} 2"#, #"{app="APP",result="duplicate"} 1"#])
        #expect(!(try fixture.log.text()).contains("Hello"))
    }

    /// Members of a message in unexpected forms: the replaced text, its replacement, and the path that is skipped.
    private static let oddOfChat: [(String, String, String)] = [
        (#""message":"Hello""#, #""message":7"#, "payload.message"), (#""message":"Hello""#, #""message":["Hello"]"#, "payload.message"),
        (#""nickname":"Anna""#, #""nickname":7"#, "sender.nickname"), (#""nickname":"Anna""#, #""nickname":{}"#, "sender.nickname"),
        (#""created_at":1760000000000"#, #""created_at":"2026-03-01T10:00:00Z""#, "payload.created_at"),
        (#""created_at":1760000000000"#, #""created_at":1760000000000.5"#, "payload.created_at"),
        (#""created_at":1760000000000"#, #""created_at":[]"#, "payload.created_at"),
        (#""data":"""#, #""data":{}"#, "payload.data"), (#""data":"""#, #""data":7"#, "payload.data"),
        (#""app_id":"APP""#, #""app_id":"APP","members":{}"#, "members"),
        (#""app_id":"APP""#, #""app_id":"APP","members":[7]"#, "members[]"),
        (#""app_id":"APP""#, #""app_id":"APP","members":[{"user_id":7}]"#, "members[].user_id"),
        (#""app_id":"APP""#, #""app_id":7"#, "app_id"),
        (#""custom_type":"","#, #""custom_type":7,"#, "payload.custom_type"),
    ]

    @Test(arguments: oddOfChat.indices) func `an invalid optional member loses no message`(index: Int) throws {
        let (member, odd, path) = Self.oddOfChat[index]
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message()
        #expect(body.contains(member))
        #expect(shown(try fixture.chat(body.replacing(member, with: odd))) == SendbirdFixture.accepted)
        #expect(try fixture.events().contains("comment.created user-1 apns pending"))
        #expect(fixture.leftOut() == [#"{app="APP",member="\#(path)"} 1"#])
    }

    private static let oddOfDesk: [(String, String, String)] = [
        (#""createdAt":"2026-03-01T10:00:00Z""#, #""createdAt":"2026-03-01 10:00:00""#, "createdAt"),
        (#""createdAt":"2026-03-01T10:00:00Z""#, #""createdAt":1760000000000"#, "createdAt"),
        (#""status2":"INITIALIZED""#, #""status2":7"#, "data.status2"),
        (#""closeStatus":"NOT_CLOSED""#, #""closeStatus":{}"#, "data.closeStatus"),
        (#""priority":"MEDIUM""#, #""priority":3"#, "data.priority"),
        (#""group":{"id":3,"key":"cs-team"}"#, #""group":"cs-team""#, "data.group"),
        (#""key":"cs-team""#, #""key":[]"#, "data.group.key"), (#""channelUrl":"sendbird_desk_1""#, #""channelUrl":{}"#, "data.channelUrl"),
        (#""sendbirdId":"user-1""#, #""sendbirdId":11"#, "data.customer.sendbirdId"),
        (#""customer":{"id":11,"sendbirdId":"user-1"}"#, #""customer":11"#, "data.customer"),
    ]

    @Test(arguments: oddOfDesk.indices) func `an invalid optional member loses no ticket`(index: Int) throws {
        let (member, odd, path) = Self.oddOfDesk[index]
        let fixture = try SendbirdFixture()
        let body = SendbirdBody.ticket()
        #expect(body.contains(member))
        #expect(shown(try fixture.desk(body.replacing(member, with: odd))) == SendbirdFixture.accepted)
        #expect(try fixture.events().contains { $0.hasPrefix("ticket.created ") })
        #expect(fixture.leftOut() == [#"{app="APP",member="\#(path)"} 1"#])
    }

    @Test func `an invalid member is logged once an hour`() throws {
        let fixture = try SendbirdFixture.known()
        let line = "a member of a webhook has an unexpected type and was ignored member=payload.message app=APP"
        for (number, (passed, lines)) in [(0, 1), (3_599_999, 1), (1, 2), (0, 2)].enumerated() {
            fixture.pass(milliseconds: UInt64(passed))
            let body = SendbirdBody.message("\(number + 1)").replacing(#""message":"Hello""#, with: #""message":7"#)
            #expect(shown(try fixture.chat(body)) == SendbirdFixture.accepted)
            #expect(try fixture.log.lines().filter { $0.contains(line) }.count == lines)
        }
        #expect(fixture.leftOut() == [#"{app="APP",member="payload.message"} 4"#])
    }

    @Test func `the customer's own messages are not delivered`() throws {
        let fixture = try SendbirdFixture.known()
        #expect(shown(try fixture.chat(SendbirdBody.message(sender: "user-1"))) == SendbirdFixture.ignored)
        #expect(
            shown(try fixture.chat(SendbirdBody.message(sender: "bot", customType: "SENDBIRD_DESK_BOT_MESSAGE")))
                == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("comment.created", pushed: true))
    }

    @Test func `a message without a known customer causes no push`() throws {
        let fixture = try SendbirdFixture()
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(
            shown(try fixture.chat(SendbirdBody.message("2", sender: "user-1"))) == SendbirdFixture.ignored, "perhaps the customer's own")
        #expect(try fixture.events() == ["comment.created  log pending", "comment.created  backend pending"])
        #expect(fixture.counts() == [#"{app="APP",result="ignored"} 1"#, #"{app="APP",result="no_customer"} 1"#])
        // The members show the customer, who is known from then on.
        let members = ["sendbird_desk_agent_id_1", "user-1"]
        #expect(shown(try fixture.chat(SendbirdBody.message("3", members: members))) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("4"))) == SendbirdFixture.accepted)
        #expect(try fixture.events().filter { $0.hasSuffix("apns pending") }.count == 2)
    }

    @Test func `Desk is called once for the customer`() throws {
        let ticket = #"{"id":101,"channelUrl":"sendbird_desk_1","status2":"ACTIVE","customer":{"id":11,"sendbirdId":"user-1"}}"#
        let fixture = try SendbirdFixture(desk: .everyRequest(.respond(200, body: #"{"count":1,"results":[\#(ticket)]}"#)))
        try fixture.registerDevice()
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("2"))) == SendbirdFixture.accepted)
        #expect(shown(try fixture.chat(SendbirdBody.message("3", sender: "user-1"))) == SendbirdFixture.ignored)
        #expect(try fixture.events().filter { $0 == "comment.created user-1 apns pending" }.count == 2)
        #expect(fixture.questions.count == 1 && fixture.questions[0].contains("channel_url=sendbird_desk_1"))
    }

    @Test func `a channel unknown to Desk is not looked up again at once`() throws {
        let fixture = try SendbirdFixture()
        for id in 1...3 { #expect(shown(try fixture.chat(SendbirdBody.message("\(id)"))) == SendbirdFixture.accepted) }
        #expect(fixture.questions.count == 1)
        #expect(shown(try fixture.chat(SendbirdBody.message("4", channel: "sendbird_desk_2"))) == SendbirdFixture.accepted)
        #expect(fixture.questions.count == 2, "another channel is another question")
        fixture.pass(milliseconds: ChannelOwners.unknownCacheMilliseconds - 1)
        #expect(shown(try fixture.chat(SendbirdBody.message("5"))) == SendbirdFixture.accepted)
        #expect(fixture.questions.count == 2)
        fixture.pass(milliseconds: 1)
        #expect(shown(try fixture.chat(SendbirdBody.message("6"))) == SendbirdFixture.accepted)
        #expect(fixture.questions.count == 3)
    }

    @Test(arguments: [
        ScriptedServer.Script.everyRequest(.respond(500, body: "")), .everyRequest(.respond(401, body: "{}")), .everyRequest(.close),
    ])
    func `a failing Desk does not settle the channel's owner`(_ desk: ScriptedServer.Script) throws {
        let fixture = try SendbirdFixture(desk: desk)
        #expect(shown(try fixture.chat(SendbirdBody.message())) == SendbirdFixture.accepted)
        let asked = fixture.questions.count
        #expect(shown(try fixture.chat(SendbirdBody.message("2"))) == SendbirdFixture.accepted)
        #expect(fixture.questions.count > asked)
    }

    @Test func `a closure question and its answer are reported`() throws {
        let fixture = try SendbirdFixture.known()
        let send = { (state: String, category: String) in
            shown(try fixture.chat(SendbirdBody.closure(state, category: category)))
        }
        #expect(try send("WAITING", "message_send") == SendbirdFixture.accepted)
        #expect(try send("WAITING", "message_update") == SendbirdFixture.duplicate)
        #expect(try send("CONFIRMED", "message_update") == SendbirdFixture.accepted)
        #expect(try send("CONFIRMED", "message_update") == SendbirdFixture.duplicate)
        #expect(try send("DECLINED", "message_update") == SendbirdFixture.accepted)
        #expect(
            try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("ticket.closure_requested", pushed: true)
                + SendbirdFixture.reported("ticket.closure_confirmed"))
        #expect(fixture.counts().contains(#"{app="APP",result="conflict"} 1"#))
    }

    @Test func `a rating that arrives before its request is reported in order`() throws {
        let fixture = try SendbirdFixture.known()
        let rated = #""state":"CONFIRMED","customerSatisfactionScore":4,"customerSatisfactionComment":"Fast""#
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(rated, category: "message_update"))) == SendbirdFixture.accepted)
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(#""state":"WAITING""#))) == SendbirdFixture.accepted)
        #expect(
            try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("ticket.rating_requested")
                + SendbirdFixture.reported("ticket.rated"))
        #expect(
            try fixture.data(.ticketRated)
                == #"{"ticket_id":101,"channel":"sendbird_desk_1","comment_id":8000000003,"score":4,"comment":"Fast"}"#)
        let second = rated.replacing("4", with: "1")
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(second, category: "message_update"))) == SendbirdFixture.accepted)
        let nine = rated.replacing("4", with: "9")
        #expect(shown(try fixture.chat(SendbirdBody.satisfaction(nine, category: "message_update"))) == SendbirdFixture.accepted)
        #expect(try fixture.events().count == 6)
        // The rating is counted once, when it is reported.
        let ratings = fixture.metricsText().split(separator: "\n").filter { $0.hasPrefix("deskgate_ticket_ratings_total{app=\"APP\"") }
        #expect(ratings.sorted() == (1...5).map { #"deskgate_ticket_ratings_total{app="APP",score="\#($0)"} \#($0 == 4 ? 1 : 0)"# })
        let counts = fixture.counts()
        for result in ["unasked", "conflict", "malformed"] { #expect(counts.contains(#"{app="APP",result="\#(result)"} 1"#), "\(counts)") }
    }

    @Test func `Desk's webhooks report the states of a ticket`() throws {
        let fixture = try SendbirdFixture.known()
        let agent = #""recentAssignment":{"agent":{"id":5}},"#
        let steps = [
            SendbirdBody.ticket("TICKET.STATUS.UPDATED", status: "ACTIVE", at: "10:01:00", extra: agent),
            SendbirdBody.ticket("TICKET.CLOSED", status: "CLOSED", close: "CLOSED_BY_AGENT", at: "10:02:00", extra: agent),
            SendbirdBody.ticket("TICKET.STATUS.UPDATED", status: "PENDING", at: "10:03:00", extra: agent),
        ]
        for step in steps { #expect(shown(try fixture.desk(step)) == SendbirdFixture.accepted) }
        for step in steps { #expect(shown(try fixture.desk(step)) == SendbirdFixture.duplicate, "sent again") }
        #expect(
            shown(try fixture.desk(SendbirdBody.ticket("TICKET.CLOSED", status: "CLOSED", close: "X", at: "09:00:00")))
                == SendbirdFixture.accepted)
        #expect(
            try fixture.events() == SendbirdFixture.created + SendbirdFixture.reported("ticket.assigned")
                + SendbirdFixture.reported("ticket.closed") + SendbirdFixture.reported("ticket.reopened"))
        #expect(fixture.counts().contains(#"{app="APP",result="stale"} 1"#))
    }
}
