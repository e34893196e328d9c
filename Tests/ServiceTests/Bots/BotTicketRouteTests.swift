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

@Suite struct BotTicketRouteTests {
    @Test func `rejects an invalid ticket`() throws {
        let fixture = try BotFixture()
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let others = try BotFixture.bot(backend.url(""), name: "others")
        let strange = try BotFixture.bot(
            backend.url(""), name: "strange", secrets: [TestSecret.signing(6)])
        try fixture.withService([BotFixture.bot(backend.url("")), others, strange]) { service in
            let ticket = try service.ticket()
            let rest = ticket.dropLast(2)
            let other = ticket.dropFirst(rest.count).first == "A" ? "B" : "A"
            let bad: [(String, Int)] = [
                ("", 401), ("dgbt1.", 401), ("nothing", 401), (ticket + "=", 401),
                (rest + other + ticket.suffix(1), 403),
                (try service.ticket("others"), 403), (try service.ticket("strange"), 403),
                (String(repeating: "A", count: 5000), 401),
            ]
            for (text, status) in bad {
                let answers = [
                    try service.call("get_order_list", ticket: text),
                    try service.get("get_order_list", ticket: text),
                    try service.callNeutrally("get_order_list", [:], ticket: text),
                ]
                #expect(answers.map(\.status) == [status, status, status], "\(text)")
                if status == 401 { #expect(answers[0].headers["www-authenticate"] == "Bearer") }
                #expect(Set(answers.map(\.text)).count == 1)
            }
            let path = "GET /bots/orders/functions/get_order_list"
            for header in [
                "", "Authorization: Basic \(ticket)\r\n",
                "Authorization: Bearer \(ticket)\r\nAuthorization: Bearer \(ticket)\r\n",
                "Authorization: Basic bm9uZQ==\r\nAuthorization: Bearer \(ticket)\r\n",
                "Authorization: Bearer \(ticket)\r\nAuthorization: Bearer none\r\n",
            ] {
                #expect(try service.begin(path, headers: header).readResponse().status == 401)
            }
            #expect(backend.requests.isEmpty)
            // Callers without a valid ticket cannot fill the store.
            #expect(try service.storedCalls().isEmpty)
            #expect(
                try service.metricLines(
                    "deskgate_bot_calls_total{bot=\"orders\",function=\"get_order_list\",outcome=\"denied\"}")
                    == [" 29"])
        }
    }

    @Test func `expires`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let ticket = try service.ticket()
            fixture.pass(milliseconds: 599_000)
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
            fixture.pass(milliseconds: 1000)
            #expect(try service.get("get_order_list", ticket: ticket).status == 401)
        }
    }

    @Test(arguments: ["sign-out", "block", "forget"])
    func `ends with its person's access`(action: String) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let (ticket, other) = (try service.ticket(), try service.ticket(user: "user-3"))
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
            #expect(try service.operate("/v1/users/\(action)").status == 200)
            for _ in 0..<3 { #expect(try service.get("get_order_list", ticket: ticket).status == 403) }
            #expect(try service.get("get_order_list", ticket: other).status == 200)
            #expect(backend.requests.count == 2)
            let calls = try service.storedCalls().filter { $0.userID == "user-1" }
            // Rejected calls are stored once a minute; nothing is stored about a forgotten user.
            #expect(calls.map(\.outcome) == (action == "forget" ? [] : [.succeeded, .denied]))
        }
    }

    @Test func `ends with a reload that removes the bot, the app or the function`() throws {
        let fixture = try BotFixture()
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let url = backend.url("")
        try fixture.withService([BotFixture.bot(url, apps: ["shop", "bank"])]) { service in
            let ticket = try service.ticket()
            let steps: [(bots: [BotDefinition], status: Int)] = [
                ([try BotFixture.bot(url)], 200), ([try BotFixture.bot(url, apps: ["bank"])], 403),
                ([try BotFixture.bot(url, without: "get_order_list")], 404), ([], 404),
                ([try BotFixture.bot(url, secrets: [TestSecret.signing(6), BotFixture.secret])], 200),
                ([try BotFixture.bot(url, secrets: [TestSecret.signing(6)])], 403),
                ([try BotFixture.bot(url)], 200),
            ]
            for (bots, status) in steps {
                let next = try fixture.configuration(bots)
                let isReloaded = service.reload { () throws(ConfigurationError) in next }
                #expect(isReloaded)
                #expect(try service.get("get_order_list", ticket: ticket).status == status)
            }
        }
    }
}
