import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird
@testable import Service

/// `POST /sendbird/tickets/…`: a customer's own requests, over real sockets against the simulator.
@Suite struct CustomerTicketTests {
    private static let calls: [(name: String, members: JSONObject)] = [
        ("list", [:]), ("show", ["ticket_id": 101]), ("count", [:]), ("create", ["title": "T"]), ("close", ["ticket_id": 101]),
        ("reopen", ["ticket_id": 101]), ("related-channels", ["ticket_id": 101, "related_channels": []]),
        ("fields", ["ticket_id": 101, "custom_fields": ["order": "7"]]),
        ("customer-fields", ["custom_fields": ["plan": "gold"]]), ("confirm", ["ticket_id": 101, "message_id": 1, "confirmed": true]),
        ("rate", ["ticket_id": 101, "message_id": 1, "score": 5]),
    ]

    @Test func `creates, lists, shows, counts and closes tickets`() throws {
        try TicketSite.with { site throws in
            let earlier = try site.channel(of: "user-1")
            let made = try site.call(
                "create",
                [
                    "title": "Order 7", "group_key": "cs-team", "priority": "HIGH", "custom_fields": ["order": "7", "no": "1"],
                    "related_channels": [.string(earlier)], "message": "Where is it?",
                ])
            #expect(made.status == 201)
            #expect(made.json?["message"] == "sent")
            #expect(made.json?["dropped"] == ["no"])
            let ticket = try #require(made.json?["ticket"])
            guard case .object(let members) = ticket else { throw SocketClient.Failure.closed }
            #expect(members.members.map(\.key) == Ticket.shownMembers)
            #expect(ticket["related_channels"] == [["channel": .string(earlier), "name": "Earlier"]])
            let id = try #require(ticket["ticket_id"]?.integer)
            site.desk.perform(.assign, onTicket: id)
            let list = try site.call("list")
            #expect(list.status == 200)
            #expect(list.json?["next"] == .null)
            #expect(list.json?["tickets"]?.elements.count == 1)
            #expect(list.json?["tickets"]?.elements[0]["agent"] == "Anna")
            #expect(try site.call("show", ["ticket_id": .string("\(id)")]).json?["state"] == "ACTIVE")
            let channel = try #require(ticket["channel"])
            #expect(try site.call("show", ["channel": channel]).json?["ticket_id"] == .integer(id))
            #expect(try site.call("count").json == ["open": 1, "closed": 0])
            #expect(try site.call("close", ["ticket_id": .integer(id)]).json?["state"] == "CLOSED")
            #expect(try site.call("list", ["state": "closed"]).json?["tickets"]?.elements.count == 1)
            #expect(try site.call("reopen", ["ticket_id": .integer(id)]).json?["state"] == "ACTIVE")
        }
    }

    /// Another customer's ticket is reported as missing, and does not change.
    @Test func `hides other customers' tickets`() throws {
        try TicketSite.with(members: #","tickets":true,"ticket_fields":["order"]"#) { site throws in
            let id = try site.activeTicket(of: "user-2")
            let unknown = try site.call("show", ["ticket_id": 999])
            for call in Self.calls where call.members["ticket_id"] != nil {
                var members: JSONObject = ["ticket_id": .integer(id)]
                for member in call.members.members where member.key != "ticket_id" { members.append(member.value, forKey: member.key) }
                let reported = try site.call(call.name, members)
                #expect(reported.status == 404 && reported.text == unknown.text, "\(call.name)")
            }
            #expect(try site.call("show", ["channel": .string("sendbird_desk_\(id)")]).status == 404)
            #expect(try site.call("list").json?["tickets"] == [])
            let shown = try site.ask("/show", query: "&ticket_id=\(id)").json
            #expect(shown?["state"] == "ACTIVE")
            #expect(shown?["custom_fields"] == [:])
        }
    }

    /// Another customer's conversation cannot be attached, and the response does not reveal whether the channel exists.
    @Test func `attaches no conversation of another customer`() throws {
        try TicketSite.with { site throws in
            let (own, foreign) = (try site.channel(of: "user-1"), try site.channel(of: "user-2"))
            let unknown = try site.call("create", ["title": "T", "related_channels": ["sendbird_desk_999"]])
            #expect(unknown.status == 400)
            #expect(unknown.error == "foreign_channel")
            for channels in [[foreign], [own, foreign], [foreign, own], [own, own, foreign]] {
                let reported = try site.call("create", ["title": "T", "related_channels": .array(channels.map { .string($0) })])
                #expect(reported.status == 400)
                #expect(reported.text == unknown.text)
            }
            #expect(try site.call("create", ["title": "T", "related_channels": [.string(own)]]).status == 201)
            // The company cannot attach it in the person's name either.
            let members: JSONObject = ["user_id": "user-1", "title": "T", "related_channels": [.string(foreign)]]
            #expect(try site.ask("", members).error == "foreign_channel")
        }
    }

    @Test func `denies a user with an id of support`() throws {
        try TicketSite.with { site throws in
            site.chat.meet("sendbird_desk_agent_id_1")
            let reported = try site.call("create", ["title": "T", "message": "Trust me"], user: "sendbird_desk_agent_id_1")
            #expect(reported.status == 404)
            #expect(reported.error == "unknown_user")
        }
    }

    @Test func `requires the security key`() throws {
        try TicketSite.with { site throws in
            let foreign = try TestKey(user: "user-2").text()
            for call in Self.calls {
                let denied = try site.call(call.name, call.members, key: foreign)
                #expect(denied.status == 403 && denied.error == "denied", "\(call.name)")
                #expect(try site.call(call.name, call.members, app: "other").status == 403)
                #expect(
                    try site.post(site.service.publicAddress, path: "/sendbird/tickets/\(call.name)", body: Array("{}".utf8)).status == 400)
            }
            // A denied request causes no call to Sendbird.
            let metrics = try site.metrics()
            #expect(metrics.contains(#"deskgate_help_desk_requests_total{app="shop",request="view_message",outcome="success"} 0"#))
            #expect(metrics.contains(#"deskgate_ticket_requests_total{app="shop",result="denied"} \#(Self.calls.count)"#))
            #expect(metrics.contains(#"deskgate_help_desk_requests_total{app="shop",request="list_tickets",outcome="success"} 0"#))
        }
    }

    @Test(
        arguments: [
            ("list", ["custom_fields": "order"]), ("list", ["custom_fields": ["order": 7]]), ("list", ["custom_fields": ["a:b": "7"]]),
            ("list", ["custom_fields": ["order": .string(String(repeating: "a", count: 191))]]), ("list", ["state": "all"]),
            ("list", ["after": "x"]), ("show", [:]), ("show", ["ticket_id": 0]),
            ("show", ["ticket_id": .real(1.5)]),
            ("show", ["ticket_id": "01"]), ("show", ["ticket_id": 1, "channel": "c"]), ("show", ["channel": ""]), ("create", [:]),
            ("create", ["title": 5]), ("create", ["title": "T", "user_name": ""]), ("create", ["title": "T", "user_name": 5]),
            ("create", ["title": "T", "user_name": "a\u{7F}"]),
            ("create", ["title": "T", "user_name": .string(String(repeating: "a", count: 81))]),
            ("create", ["title": "T", "priority": "high"]), ("create", ["title": "T", "group_key": "A B"]),
            ("create", ["title": "T", "custom_fields": ["a": 1]]), ("create", ["title": "T", "custom_fields": []]),
            ("create", ["title": "T", "related_channels": ["a", "b", "c", "d"]]), ("create", ["title": "T", "message": ""]),
            ("close", [:]), ("close", ["ticket_id": 1, "comment": 1]), ("close", ["ticket_id": 1, "comment": "a\nb"]),
            ("close", ["ticket_id": 1, "comment": .string(String(repeating: "a", count: 501))]), ("reopen", ["ticket_id": true]),
            ("related-channels", ["ticket_id": 1]), ("related-channels", ["ticket_id": 1, "related_channels": .null]),
            ("related-channels", ["ticket_id": 1, "related_channels": "a"]),
            ("related-channels", ["ticket_id": 1, "related_channels": [1]]),
            ("related-channels", ["ticket_id": 1, "related_channels": ["a,b"]]),
            ("related-channels", ["ticket_id": 1, "related_channels": ["a", "b", "c", "d"]]),
            ("related-channels", ["related_channels": []]), ("fields", ["ticket_id": 1]),
            ("fields", ["custom_fields": ["order": "7"]]), ("fields", ["ticket_id": 1, "custom_fields": [:]]),
            ("fields", ["ticket_id": 1, "custom_fields": .null]), ("fields", ["ticket_id": 1, "custom_fields": ["order": .null]]),
            ("fields", ["ticket_id": 1, "custom_fields": ["order": .string(String(repeating: "a", count: 191))]]),
            ("customer-fields", [:]), ("customer-fields", ["custom_fields": ["plan": 7]]),
            ("customer-fields", ["custom_fields": ["plan": "a\nb"]]), ("customer-fields", ["custom_fields": "plan"]),
            ("confirm", ["ticket_id": 1, "message_id": 1]),
            ("confirm", ["ticket_id": 1, "confirmed": true]), ("rate", ["ticket_id": 1, "message_id": 1, "score": 6]),
            ("rate", ["ticket_id": 1, "message_id": 1, "score": "5"]),
            ("rate", ["ticket_id": 1, "message_id": 1, "score": 5, "comment": 1]),
        ] as [(String, JSONObject)])
    func `names the invalid field`(_ name: String, _ members: JSONObject) throws {
        try TicketSite.with { site throws in
            let reported = try site.call(name, members)
            #expect(reported.status == 400)
            #expect(reported.error == "malformed")
            #expect(reported.json?["message"]?.text?.contains(" is not as expected: ") == true)
        }
    }

    @Test func `tickets are off by default`() throws {
        try TicketSite.with(members: "") { site throws in
            for call in Self.calls {
                let reported = try site.call(call.name, call.members)
                #expect(reported.status == 404)
                #expect(reported.error == "off")
            }
            // The company's requests still work.
            #expect(try site.ask("/count").status == 200)
        }
    }

    @Test func `reports an impossible change`() throws {
        try TicketSite.with { site throws in
            let id = try site.activeTicket()
            #expect(try site.call("reopen", ["ticket_id": .integer(id)]).error == "not_closed")
            site.desk.perform(.set(state: "PENDING"), onTicket: id)
            let reported = try site.call("close", ["ticket_id": .integer(id)])
            #expect(reported.status == 409)
            #expect(reported.error == "not_closable")
            let rate: JSONObject = ["ticket_id": .integer(id), "message_id": 1, "score": 5]
            #expect(try site.call("rate", rate).error == "not_asked")
        }
    }

    @Test func `a customer answers support's questions`() throws {
        try TicketSite.with { site throws in
            let id = try site.activeTicket()
            let channel = "sendbird_desk_\(id)"
            let asked = try #require(site.chat.post(.closureInquiry(text: "Close?"), in: channel))
            let reported = try site.call("confirm", ["ticket_id": .integer(id), "message_id": .string("\(asked)"), "confirmed": true])
            #expect(reported.status == 200)
            #expect(reported.json?["state"] == "CLOSED")
            let message = site.chat.message(asked, in: channel)
            #expect(message?["message"] == "Close?")
            #expect(message?["custom_type"] == "SENDBIRD_DESK_RICH_MESSAGE")
            #expect(message?["data"]?.text?.contains(#""state":"CONFIRMED""#) == true)
        }
    }

    @Test func `passes on Sendbird's limits and failures`() throws {
        try TicketSite.with { site throws in
            site.faults.add(Fault(.answer(.init(503)), at: .sendbirdDesk, token: "view_ticket"))
            let away = try site.call("show", ["ticket_id": 101])
            #expect(away.status == 503)
            #expect(away.error == "help_desk_unavailable")
            #expect(away.retryAfter == "5")
            site.faults.add(Fault(.answer(.init(429, retryAfter: "9")), at: .sendbirdDesk, token: "view_ticket"))
            let limited = try site.call("show", ["ticket_id": 101])
            #expect(limited.status == 429)
            #expect(limited.error == "too_many_requests")
            #expect(limited.retryAfter == "9")
            site.faults.add(Fault(.answer(.init(401)), at: .sendbirdDesk, token: "list_tickets", times: nil))
            let refused = try site.call("count")
            #expect(refused.status == 503)
            #expect(refused.error == "help_desk_token")
            #expect(refused.retryAfter == "60")
            let lines = try site.fixture.log.lines()
            #expect(lines.contains { $0.contains("customer's call") && $0.contains("reason=status_503") })
            #expect(lines.contains { $0.contains("refuses the API token") })
        }
    }

    @Test func `limits the calls of each person`() throws {
        try TicketSite.with { site throws in
            for number in 0..<TicketLimits.creations.max {
                #expect(try site.call("create", ["title": .string("T\(number)")]).status == 201)
            }
            let limited = try site.call("create", ["title": "T"])
            #expect(limited.status == 429)
            #expect(limited.retryAfter == "3600")
            #expect(limited.json?["limit"] == ["per": "user", "max": 10, "window_seconds": 3600])
            for _ in 0..<(TicketLimits.calls.max - TicketLimits.creations.max) { #expect(try site.call("count").status == 200) }
            #expect(try site.call("count").json?["limit"]?["window_seconds"] == 60)
            #expect(try site.call("count", user: "user-2").status == 200)
        }
    }

    /// A customer's text, a key or a token never reaches the log, whatever the result of the call.
    @Test func `logs no text of a customer`() throws {
        try TicketSite.with { site throws in
            site.breakChat()
            let words: JSONObject = [
                "title": "marker-title", "message": "marker-message", "custom_fields": ["order": "marker-value"],
                "group_key": "marker-group",
            ]
            #expect(try site.call("create", words).error == "refused")
            let named: JSONObject = ["title": "marker-title", "user_name": "marker-name"]
            #expect(try site.call("create", named).error == "help_desk_unavailable")
            var known = JSONObject()
            for member in words.members where member.key != "group_key" { known.append(member.value, forKey: member.key) }
            #expect(try site.call("create", known).json?["message"] == "failed")
            #expect(try site.call("show", ["channel": "marker-channel"]).status == 404)
            #expect(try site.call("rate", ["ticket_id": 102, "message_id": 1, "score": 5, "comment": "marker-comment"]).status == 503)
            #expect(try site.call("close", ["ticket_id": 102, "comment": "marker-closing"]).error == "not_closable")
            let text = try site.fixture.log.lines().joined(separator: "\n") + site.metrics()
            #expect(!text.contains("marker"))
            #expect(!text.contains("dgk1."))
            #expect(!text.contains(site.desk.token))
            #expect(text.contains("reason=refused"))
            #expect(text.contains("reason=not_found"))
            #expect(text.contains("reason=status_500"))
        }
    }
}

extension TicketSite {
    func metrics() throws -> String {
        let client = try SocketClient(service.adminAddress)
        try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse().text
    }
}
