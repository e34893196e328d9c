import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import AdminAPI
@testable import Sendbird
@testable import Service

/// `/v1/tickets…` of the admin listener, over real sockets against the simulator.
@Suite struct CompanyTicketTests {
    @Test func `creates, shows and changes a ticket`() throws {
        try TicketSite.with(members: "") { site throws in
            let earlier = JSONValue.string(try site.channel(of: "user-1"))
            let made = try site.ask(
                "",
                [
                    "user_id": "user-1", "user_name": "Mary", "title": "Order 7", "group_key": "cs-team", "priority": "LOW",
                    "custom_fields": ["order": "7"],
                    "related_channels": [earlier], "message": "Where is it?",
                ])
            #expect(made.status == 201)
            #expect(made.json?["message"] == "sent")
            #expect(made.json?["dropped"] == [])
            let id = try #require(made.json?["ticket"]?["ticket_id"]?.integer)
            let shown = try site.ask("/show", query: "&ticket_id=\(id)")
            #expect(shown.json?["group_key"] == "cs-team")
            #expect(shown.json?["custom_fields"] == ["order": "7"])
            #expect(shown.json?["user_id"] == "user-1")
            #expect(shown.json?["channel_type"] == "SENDBIRD")
            #expect(site.desk.ticket(id)?["customer"]?["displayName"] == "Mary")
            #expect(shown.json?["related_channels"] == [["channel": earlier, "name": "Earlier"]])
            #expect(try site.ask("/show", query: "&channel=sendbird_desk_\(id)").text == shown.text)
            #expect(try site.ask("/priority", ["ticket_id": .integer(id), "priority": "URGENT"]).json?["priority"] == "URGENT")
            let fields = try site.ask("/fields", ["ticket_id": .integer(id), "custom_fields": ["language": "ru", "no": "1"]])
            #expect(fields.json == ["custom_fields": ["order": "7", "language": "ru"], "dropped": ["no"]])
            let customer = try site.ask("/fields", ["user_id": "user-1", "custom_fields": ["plan": "gold"]])
            #expect(customer.json == ["custom_fields": ["plan": "gold"], "dropped": []])
            let early = try site.ask("/close", ["ticket_id": .integer(id)])
            #expect(early.status == 409)
            #expect(early.error == "not_closable")
            site.desk.perform(.assign, onTicket: id)
            #expect(try site.ask("/close", ["ticket_id": .integer(id), "comment": "done"]).json?["state"] == "CLOSED")
            #expect(try site.ask("/reopen", ["ticket_id": .integer(id)]).json?["state"] == "ACTIVE")
            #expect(try site.ask("/count").json?["open"] == 1)
            let audit = try site.fixture.log.lines().filter { $0.contains(" audit ") }
            try #require(audit.count == 8)
            #expect(audit[1].contains("action=tickets.create"))
            #expect(audit[1].contains("ticket_id=\(id)"))
            #expect(!audit.contains { $0.contains("Mary") })
            #expect(!audit.contains { $0.contains("user-1") || $0.contains("Where") || $0.contains("gold") })
        }
    }

    @Test func `lists in pages`() throws {
        try TicketSite.with(members: "") { site throws in
            let ids = try (0..<12).map { _ in try site.activeTicket() }
            let first = try site.ask("")
            #expect(first.json?["tickets"]?.elements.map { $0["ticket_id"]?.integer } == ids.reversed().prefix(10).map { $0 })
            let next = try #require(first.json?["next"]?.text)
            let second = try site.ask("", query: "&after=\(next)&limit=10")
            #expect(second.json?["tickets"]?.elements.count == 2)
            #expect(second.json?["next"] == .null)
            #expect(try site.ask("", query: "&custom_field=order%3D7").json?["tickets"] == [])
            #expect(try site.ask("", query: "&state=closed&user_id=user-2").json?["tickets"] == [])
        }
    }

    @Test(arguments: [
        ("/show", "", "ticket_id"), ("/show", "&ticket_id=1&channel=c", "ticket_id"), ("/show", "&ticket_id=x", "ticket_id"),
        ("", "&state=all", "state"), ("", "&after=x", "after"), ("", "&limit=101", "limit"), ("", "&custom_field=x", "custom_fields"),
        ("/count", "&user_id=", "user_id"),
    ])
    func `names the invalid parameter`(_ name: String, query: String, field: String) throws {
        try TicketSite.with(members: "") { site throws in
            let reported = try site.ask(name, query: query)
            #expect(reported.status == 400)
            #expect(reported.json?["message"]?.text?.hasPrefix("\(field): ") == true)
        }
    }

    @Test func `reports distinct errors`() throws {
        try TicketSite.with(members: "") { site throws in
            #expect(try site.ask("/show", query: "&ticket_id=999").status == 404)
            let group = try site.ask("", ["user_id": "user-1", "title": "T", "group_key": "nobody"])
            #expect(group.status == 400)
            #expect(group.error == "refused")
            site.faults.add(Fault(.answer(.init(429, retryAfter: "9")), at: .sendbirdDesk, token: "view_ticket"))
            let limited = try site.ask("/show", query: "&ticket_id=1")
            #expect(limited.status == 429)
            #expect(limited.retryAfter == "9")
            let other = try site.post(
                site.service.adminAddress, path: "/v1/tickets/close", body: Array(#"{"app_id":"other","ticket_id":1}"#.utf8))
            #expect(other.status == 400)
            #expect(other.error == "no_tickets")
            #expect(other.json?["message"] == "app_id: only apps of Sendbird Desk have tickets; this app has another help desk.")
        }
    }

    @Test func `only a failed change is reported as possibly done`() throws {
        try TicketSite.with(members: "") { site throws in
            site.faults.add(Fault(.answer(.init(500)), at: .sendbirdDesk, token: "view_ticket", times: 2))
            let read = try site.ask("/show", query: "&ticket_id=1")
            #expect(read.json?["message"] == "The help desk's answer is unusable; try again.")
            let change = try site.ask("/close", ["ticket_id": 1])
            #expect(change.json?["message"]?.text?.contains("the change may have been made") == true)
        }
    }

    /// The ticket exists although its message was not sent, and the audit line reports that.
    @Test func `reports a message that was not sent`() throws {
        try TicketSite.with(members: "") { site throws in
            site.breakChat()
            let made = try site.ask("", ["user_id": "user-1", "title": "T", "message": "marker"])
            #expect(made.status == 201)
            #expect(made.json?["message"] == "failed")
            let audit = try site.fixture.log.lines().filter { $0.contains(" audit ") }
            #expect(audit.count == 1 && audit[0].contains("first_message=status_500") && !audit[0].contains("marker"))
        }
    }
}
