import JSON
import Simulators
import TestSupport
import Testing

/// Custom fields that customers set in their tickets and in their profile.
@Suite struct CustomerFieldTests {
    private static let lists = #","tickets":true,"ticket_fields":["order","\u00e9","unknown"],"customer_fields":["plan"]"#

    @Test func `a customer sets the listed fields of the customer's ticket`() throws {
        try TicketSite.with(members: Self.lists) { site throws in
            let id = JSONValue.integer(try site.activeTicket())
            // An internal note that the customer must not read.
            #expect(try site.ask("/fields", ["ticket_id": id, "custom_fields": ["language": "secret"]]).status == 200)
            let reported = try site.call("fields", ["ticket_id": id, "custom_fields": ["order": "7", "unknown": "1"]])
            #expect(reported.status == 200)
            #expect(reported.json == ["custom_fields": ["order": "7"], "dropped": ["unknown"]])
            #expect(try fields(site, id) == ["language": "secret", "order": "7"])
            let cleared = try site.call("fields", ["ticket_id": id, "custom_fields": ["order": ""]])
            #expect(cleared.json == ["custom_fields": [:], "dropped": []])
            #expect(try fields(site, id) == ["language": "secret"])
        }
    }

    @Test func `a customer sets profile fields, also before the first ticket`() throws {
        try TicketSite.with(members: Self.lists) { site throws in
            let set: JSONObject = ["custom_fields": ["plan": "gold"]]
            #expect(try site.call("customer-fields", set).json == ["custom_fields": ["plan": "gold"], "dropped": []])
            #expect(try site.ask("/fields", ["user_id": "user-1", "custom_fields": ["city": "secret"]]).status == 200)
            #expect(try site.call("customer-fields", set).json == ["custom_fields": ["plan": "gold"], "dropped": []])
            #expect(try site.call("customer-fields", set, user: "user-2").status == 200)
            let stranger = try site.call("customer-fields", set, user: "user-3")
            #expect(stranger.status == 404)
            #expect(stranger.error == "unknown_user")
            site.chat.meet("sendbird_desk_agent_id_1")
            #expect(try site.call("customer-fields", set, user: "sendbird_desk_agent_id_1").text == stranger.text)
        }
    }

    /// Keys are compared as bytes, and one that is not listed rejects the whole request.
    @Test(arguments: ["language", "Order", "order ", "e\u{301}", "plan"]) func `no other field is set`(_ key: String) throws {
        try TicketSite.with(members: Self.lists) { site throws in
            let id = try site.activeTicket()
            let reported = try site.call(
                "fields", ["ticket_id": .integer(id), "custom_fields": .object(["order": "marker-value", key: "marker-value"])])
            #expect(reported.status == 400)
            #expect(reported.error == "field_not_allowed")
            #expect(
                reported.json?["message"]
                    == "custom_fields: customers may set only fields that the app's sendbird.ticket_fields lists; nothing was set.")
            #expect(try fields(site, .integer(id)) == [:])
            let own = try site.call("customer-fields", ["custom_fields": ["city": "marker-value"]])
            #expect(own.error == "field_not_allowed")
            #expect(own.json?["message"]?.text?.contains("sendbird.customer_fields") == true)
            #expect(try site.metrics().contains(#"deskgate_ticket_requests_total{app="shop",result="refused"} 2"#))
            #expect(try !site.fixture.log.lines().contains { $0.contains("marker") })
        }
    }

    @Test func `no field is set if the configuration lists none`() throws {
        try TicketSite.with { site throws in
            let id = try site.activeTicket()
            let reported = try site.call("fields", ["ticket_id": .integer(id), "custom_fields": ["order": "7"]])
            #expect(reported.error == "field_not_allowed")
            #expect(try site.call("customer-fields", ["custom_fields": ["plan": "gold"]]).error == "field_not_allowed")
            // A new ticket has no fields that could be overwritten.
            #expect(try site.call("create", ["title": "T", "custom_fields": ["order": "7"]]).json?["dropped"] == [])
        }
    }

    private func fields(_ site: TicketSite, _ id: JSONValue) throws -> JSONValue? {
        try site.ask("/show", query: "&ticket_id=\(try #require(id.integer))").json?["custom_fields"]
    }
}
