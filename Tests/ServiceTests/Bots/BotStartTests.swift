import Core
import Crypto
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

@Suite struct BotStartTests {
    @Test func `returns the texts and a ticket`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            let response = try service.startBot()
            #expect(response.status == 200)
            #expect(response.headers["cache-control"] == "no-store")
            let (json, ticket) = (response.json, try #require(response.json["ticket"]?.text))
            #expect(json["expires_at"]?.integer == Int64(TestTime.now.rawValue) + 600)
            let attributesText = try #require(json["ai_attrs"]?.text)
            let attributes = try #require(JSONValue(parsing: Array(attributesText.utf8))?["ai_attrs"])
            #expect(attributes["system_message"]?.text == "You help user-1 of Berlin.")
            let functions = try #require(attributes["functions"]).elements
            #expect(
                functions.map { $0["name"]?.text } == [
                    "get_order_list", "get_order_details", "cancel_order", "move_order", "reorder",
                ])
            for function in functions {
                #expect(function["request"]?["headers"]?["Authorization"]?.text == "Bearer \(ticket)")
                let url = try #require(function["request"]?["url"]?.text)
                let name = try #require(function["name"]?.text)
                #expect(url == "https://d.example.com/bots/orders/functions/\(name)")
            }
            let firstText = try #require(json["first_message_data"]?.text)
            let first = try #require(JSONValue(parsing: Array(firstText.utf8)))
            #expect(first["first_message_data"]?.elements.first?["message"]?.text == "Hello!")
            #expect(json["tools"]?.elements.count == 5)
            #expect(
                try service.metricLines("deskgate_bot_starts_total") == [
                    #"{bot="orders",result="started"} 1"#
                ])
        }
    }

    @Test func `denies invalid credentials`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            let others = [
                try service.startBot(app: "bank"),
                try service.begin(
                    "/bots/orders/start",
                    ["app_id": "shop", "user_id": "user-2", "security_key": .string(try TestKey().text())]
                ).readResponse(),
            ]
            for response in others {
                #expect(response.status == 403)
                #expect(response.text == others[0].text)
            }
            #expect(
                try service.metricLines("deskgate_bot_starts_total") == [
                    #"{bot="orders",result="denied"} 2"#
                ])
        }
    }

    @Test func `names the invalid field`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { (service, _) throws in
            #expect(try service.startBot("others").status == 404)
            #expect(try service.startBot(fields: nil).text.contains("fields.city is missing"))
            #expect(
                try service.startBot(fields: ["city": .string(String(repeating: "x", count: 257))]).status
                    == 400)
            #expect(try service.startBot(fields: ["city": 7]).status == 400)
            #expect(try service.startBot(fields: [7]).status == 400)
            let many = JSONObject((0...32).map { ("f\($0)", JSONValue.string("x")) })
            #expect(try service.startBot(fields: .object(many)).status == 400)
            // An unknown field is ignored.
            #expect(try service.startBot(fields: ["city": "Berlin", "more": "x"]).status == 200)
        }
    }
}
