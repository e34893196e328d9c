import JSON
import Simulators
import TestSupport
import Testing

/// The related channels of a ticket: set later, and shown.
@Suite struct RelatedChannelTests {
    @Test func `a customer sets the related channels of a ticket`() throws {
        try TicketSite.with { site throws in
            let (id, channel) = (JSONValue.integer(try site.activeTicket()), JSONValue.string(try site.channel(of: "user-1")))
            let set = try site.call("related-channels", ["ticket_id": id, "related_channels": [channel]])
            let expected: JSONValue = [["channel": channel, "name": "Earlier"]]
            #expect(set.status == 200)
            #expect(set.json?["related_channels"] == expected)
            #expect(try site.call("show", ["ticket_id": id]).json?["related_channels"] == expected)
            let listed = try #require(try site.call("list").json?["tickets"]?.elements.first)
            #expect(listed["ticket_id"] == id)
            #expect(listed["related_channels"] == nil)
            #expect(try site.call("close", ["ticket_id": id]).json?["related_channels"] == expected)
            #expect(try site.call("reopen", ["ticket_id": id]).json?["related_channels"] == expected)
            let cleared = try site.call("related-channels", ["ticket_id": id, "related_channels": []])
            #expect(cleared.json?["related_channels"] == [])
            #expect(try site.call("show", ["ticket_id": id]).json?["related_channels"] == [])
        }
    }

    /// Another customer's conversation cannot be attached, and the response does not reveal whether the channel exists.
    @Test func `a customer attaches no conversation of another customer`() throws {
        try TicketSite.with { site throws in
            let id = JSONValue.integer(try site.activeTicket())
            let (own, foreign) = (try site.channel(of: "user-1"), try site.channel(of: "user-2"))
            let call = { (channels: [String], user: String) in
                try site.call(
                    "related-channels", ["ticket_id": id, "related_channels": .array(channels.map { .string($0) })], user: user)
            }
            let unknown = try call(["sendbird_desk_999"], "user-1")
            #expect(unknown.status == 400)
            #expect(unknown.error == "foreign_channel")
            for channels in [[foreign], [own, foreign], [foreign, own], [".."]] {
                #expect(try call(channels, "user-1").text == unknown.text)
            }
            // Another customer's ticket is hidden for any channels.
            for channels in [[own], [foreign], []] { #expect(try call(channels, "user-2").error == "not_found") }
            #expect(try site.call("show", ["ticket_id": id]).json?["related_channels"] == [])
        }
    }

    @Test func `a channel that the customer has left is not shown`() throws {
        try TicketSite.with { site throws in
            let (id, channel) = (JSONValue.integer(try site.activeTicket()), JSONValue.string(try site.channel(of: "user-1")))
            #expect(try site.call("related-channels", ["ticket_id": id, "related_channels": [channel]]).status == 200)
            site.faults.add(Fault(.answer(.init(400)), at: .sendbirdChat, token: "view_member", times: 1))
            #expect(try site.call("show", ["ticket_id": id]).json?["related_channels"] == [])
            #expect(try site.ask("/show", query: "&channel=sendbird_desk_\(try #require(id.integer))").json?["related_channels"] != [])
        }
    }

    /// Support may have added it.
    @Test func `a channel that is hidden from the customer stays`() throws {
        try TicketSite.with { site throws in
            let id = JSONValue.integer(try site.activeTicket())
            let channels = try (0..<4).map { _ in JSONValue.string(try site.channel(of: "user-1")) }
            let call = { (channels: [JSONValue]) in
                try site.call("related-channels", ["ticket_id": id, "related_channels": .array(channels)])
            }
            #expect(try call([channels[0], channels[0]]).json?["related_channels"]?.elements.count == 1)
            func hide() { site.faults.add(Fault(.answer(.init(400)), at: .sendbirdChat, token: "view_member", times: 1)) }
            hide()
            #expect(try call([]).json?["related_channels"] == [])
            #expect(try site.call("show", ["ticket_id": id]).json?["related_channels"]?.elements.first?["channel"] == channels[0])
            hide()
            let full = try call(Array(channels.dropFirst()))
            #expect(full.error == "too_many_channels")
            #expect(full.json?["message"] == "related_channels: at most 2 in addition to those that support has added.")
        }
    }

    /// The rest of the ticket is known, and a change was made.
    @Test func `related channels are omitted while Chat is unavailable`() throws {
        try TicketSite.with { site throws in
            let (id, channel) = (JSONValue.integer(try site.activeTicket()), JSONValue.string(try site.channel(of: "user-1")))
            #expect(try site.call("related-channels", ["ticket_id": id, "related_channels": [channel]]).status == 200)
            site.breakChat()
            let closed = try site.call("close", ["ticket_id": id])
            #expect(closed.status == 200)
            #expect(closed.json?["state"] == "CLOSED")
            #expect(closed.json?["related_channels"] == .null)
            #expect(try site.fixture.log.lines().contains { $0.contains("customer's call") && $0.contains("reason=status_500") })
            #expect(try site.call("related-channels", ["ticket_id": id, "related_channels": [channel]]).error == "help_desk_unavailable")
        }
    }

    @Test func `the company sets the related channels of a customer's ticket`() throws {
        try TicketSite.with(members: "") { site throws in
            let (id, channel) = (JSONValue.integer(try site.activeTicket()), JSONValue.string(try site.channel(of: "user-1")))
            let foreign = JSONValue.string(try site.channel(of: "user-2"))
            let set = try site.ask("/related-channels", ["ticket_id": id, "related_channels": [channel]])
            #expect(set.json?["related_channels"] == [["channel": channel, "name": "Earlier"]])
            #expect(try site.ask("/related-channels", ["ticket_id": id, "related_channels": [foreign]]).error == "foreign_channel")
            let missing = try site.ask("/related-channels", ["ticket_id": id])
            #expect(missing.status == 400)
            #expect(missing.json?["message"] == "related_channels: missing.")
            #expect(try site.ask("/related-channels", ["ticket_id": 999, "related_channels": []]).status == 404)
            #expect(try site.ask("/related-channels", ["ticket_id": id, "related_channels": []]).json?["related_channels"] == [])
            let audit = try site.fixture.log.lines().filter { $0.contains("action=tickets.related_channels") }
            #expect(audit.count == 4)
            #expect(audit.contains { $0.contains("outcome=foreign_channel") })
            #expect(!audit.contains { $0.contains("sendbird_desk_") })
        }
    }
}
