import JSON
import Simulators
import TestSupport
import Testing

/// The texts from a customer in a ticket: a name, fields and the comment of a closing.
@Suite struct CustomerTicketWordsTests {
    @Test(arguments: [("Has come", "Has come"), ("", ""), (nil, "")] as [(String?, JSONValue)])
    func `the comment of a closing reaches support`(_ comment: String?, _ reported: JSONValue) throws {
        try TicketSite.with { site throws in
            let id = try site.activeTicket()
            let members: JSONObject = ["ticket_id": .integer(id), "comment": comment.map { .string($0) } ?? .null]
            #expect(try site.call("close", members, user: "user-2").status == 404)
            #expect(site.desk.ticket(id)?["status2"] == "ACTIVE")
            #expect(try site.call("close", members).json?["state"] == "CLOSED")
            #expect(site.desk.ticket(id)?["closeComment"] == reported)
        }
    }

    @Test func `a customer finds tickets by their fields`() throws {
        try TicketSite.with { site throws in
            let (own, other, foreign) = (try site.activeTicket(), try site.activeTicket(), try site.activeTicket(of: "user-2"))
            for (id, order) in [(own, "7"), (other, "8"), (foreign, "7")] {
                let fields: JSONObject = ["ticket_id": .integer(id), "custom_fields": ["order": .string(order)]]
                #expect(try site.ask("/fields", fields).status == 200)
            }
            let found = try site.call("list", ["custom_fields": ["order": "7"]])
            #expect(found.json?["tickets"]?.elements.map { $0["ticket_id"] } == [.integer(own)])
            #expect(try site.call("list", ["custom_fields": ["order": "7", "language": "ru"]]).json?["tickets"] == [])
            for all: JSONValue in [[:], .null] {
                #expect(try site.call("list", ["custom_fields": all]).json?["tickets"]?.elements.count == 2)
            }
            #expect(try site.call("close", ["ticket_id": .integer(own)]).status == 200)
            let closed = try site.call("list", ["state": "closed", "custom_fields": ["order": "7"]])
            #expect(closed.json?["tickets"]?.elements.count == 1)
        }
    }

    @Test func `support sees the name that the customer gives, and no other user changes it`() throws {
        try TicketSite.with { site throws in
            let made = try site.call("create", ["title": "T", "user_name": "Mary"])
            let id = try #require(made.json?["ticket"]?["ticket_id"]?.integer)
            let name = { site.desk.ticket(id)?["customer"]?["displayName"] }
            #expect(name() == "Mary")
            for other: JSONValue in ["Eve", .null] {
                let key = try TestKey(user: "user-2").text()
                #expect(try site.call("create", ["title": "T", "user_name": other], key: key).status == 403)
                #expect(try site.call("create", ["title": "T", "user_name": other], user: "user-2").status == 201)
            }
            #expect(try site.call("create", ["title": "T"]).status == 201)
            #expect(try site.call("create", ["title": "T", "user_name": .null]).status == 201)
            #expect(name() == "Mary")
            #expect(try site.ask("", ["user_id": "user-1", "title": "T", "user_name": "Maria"]).status == 201)
            #expect(name() == "Maria")
        }
    }
}
