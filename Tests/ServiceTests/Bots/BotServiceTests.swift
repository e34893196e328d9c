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

/// Bots in a service that stops or is overloaded, and secrets in its outputs.
@Suite struct BotServiceTests {
    private static let order: JSONValue = ["order_id": "order-secret"]

    /// Tickets, confirmations, arguments, responses and secrets do not reach the log, the metrics or the store.
    @Test func `leak no secrets`() throws {
        let fixture = try BotFixture()
        let answers: [[ScriptedStep]] = [
            [.json(200, #"{"a":"answer-secret"}"#)], [.json(500, #"{"a":"answer-secret"}"#)],
            [.respond(200, headers: ["Content-Type: text/html"], body: "answer-secret")],
        ]
        try fixture.withBot(.requests(answers)) { service, _ in
            let ticket = try service.ticket(user: "user-secret")
            _ = try service.call("reorder", Self.order, ticket: ticket)
            _ = try service.get("get_order_details", "?order_id=order-secret", ticket: ticket)
            _ = try service.get(
                "get_order_details", "?order_id=order-secret&wrong=order-secret", ticket: ticket)
            _ = try service.get("get_order_details", "?order_id=order-secret", ticket: ticket)
            let asked = try service.call("cancel_order", Self.order, ticket: ticket)
            let confirmation = try #require(asked.json["confirmation"]?.text)
            _ = try service.confirm(confirmation, user: "user-other")
            _ = try service.confirm(confirmation, user: "user-secret")
            _ = try service.call("order-secret", Self.order, ticket: ticket)
            _ = try service.call("reorder", Self.order, ticket: ticket + "x")
            _ = try service.begin("/bots/orders/call", ["name": 7, "ticket": .string(ticket)])
                .readResponse()
            #expect(try fixture.log.text().contains("bot call"))
            let shown =
                try fixture.log.text() + service.metricLines("").joined()
                + service.storedCalls().map { "\($0)" }.joined()
                .replacing("user-secret", with: "")
            let secrets = [
                String(ticket.dropFirst(6).prefix(20)), String(ticket.suffix(12)),
                String(confirmation.dropFirst(6).prefix(20)),
                String(confirmation.suffix(12)), "dgbt1.", "dgbc1.", "dgk1.", "order-secret",
                "answer-secret", "user-secret", "user-other",
                BotFixture.backendSecret, String(BotFixture.secret.dropFirst(6)), "Berlin",
            ]
            for secret in secrets { #expect(!shown.contains(secret), "\(secret)") }
        }
    }

    /// A stop waits for running calls until the time limit; a change that it interrupts is stored as unknown.
    @Test func `stop with running calls`() throws {
        let fixture = try BotFixture(
            drainSeconds: 1, store: #"{"type":"sqlite","path":"store.sqlite"}"#)
        let backend = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { backend.stop() }
        let bots = [try BotFixture.bot(backend.url(""), timeout: Int(WaitLimit.programMilliseconds))]
        var clients: [SocketClient] = []
        try fixture.withService(bots) { service in
            let ticket = try service.ticket()
            clients = [
                try service.beginCall("reorder", ["order_id": "7"], ticket: ticket),
                try service.beginCall("get_order_list", ticket: ticket),
                try service.beginCall("reorder", ["order_id": "7"], ticket: ticket),
            ]
            #expect(backend.waitForRequests(2))
            // The repetition waits for the running change.
            #expect(eventually { service.graph.bots.waiting(for: "orders") == 1 })
        }
        for client in clients { #expect(try client.readResponse().status == 503) }
        let store = try fixture.configuration(bots).store.open(devicesPerUser: 10)
        defer { store.close() }
        let calls = try store.botCalls(BotCallFilter(), after: nil, limit: 10).calls
        #expect(Set(calls.map(\.function)) == ["reorder", "get_order_list"])
        #expect(calls.map(\.outcome) == [.unknown, .unknown])
        #expect(calls.map(\.reason) == ["stopped", "stopped"])
    }

    /// A change that another process has begun is not repeated, even if that process may have been killed.
    @Test func `do not repeat calls of other processes`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let text = try service.ticket()
            let bot = try BotFixture.bot(backend.url(""))
            guard case .valid(let ticket) = try BotAccessToken.verdict(on: text, for: bot, now: TestTime.now)
            else { throw SocketClient.Failure.closed }
            let arguments = try #require(bot.function(named: "reorder")).arguments(
                ["order_id": "7"], of: ticket.grant)
            let call = BotCall(
                id: try UUIDv7(milliseconds: TestTime.now.milliseconds, from: RandomPool()),
                key: try CallKey.key(ticket, bot: "orders", function: "reorder", arguments), appID: "shop",
                userID: "user-1", bot: "orders",
                function: "reorder", argumentsSHA256: "", at: TestTime.now.milliseconds)
            let begun = Monitor<Bool>(false)
            service.graph.store.begin(call, isAwaited: { true }) { result in
                begun.update { $0 = (try? result.get()) == .new }
            }
            #expect(begun.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
            let response = try service.call("reorder", ["order_id": "7"], ticket: text)
            #expect((response.status, response.error) == (409, "already_called"))
            #expect(response.json["outcome"]?.text == "started")
            #expect(response.json["status_code"] == .null)
            #expect(try service.call("reorder", ["order_id": "8"], ticket: text).status == 200)
            #expect(backend.requests.count == 1)
        }
    }

    /// 1,000 concurrent calls of one person to a backend that hangs use only the person's share of the service.
    @Test func `authorize while a backend hangs`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.readRequest, .hang), timeout: Int(WaitLimit.programMilliseconds)) {
            service, backend in
            let ticket = try service.ticket()
            let clients = try (0..<1000).map { _ in
                try service.beginCall("get_order_list", ticket: ticket)
            }
            #expect(backend.waitForRequests(16))
            let refused = #"{bot="orders",function="get_order_list",outcome="unavailable"} 984"#
            #expect(eventually { (try? service.metricLines("deskgate_bot_calls_total").contains(refused)) == true })
            for _ in 0..<100 { #expect(try service.ask(app: "bank").status == 200) }
            backend.stop()
            var counts: [Int: Int] = [:]
            for client in clients { counts[try client.readResponse().status, default: 0] += 1 }
            #expect(counts[503] == 984)
            #expect(counts[502] == 16)
        }
    }
}
