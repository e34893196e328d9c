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

/// Calls of functions without changes, in each form.
@Suite struct BotCallTests {
    private static let list = #"[ {"id": "7", "price": 12.50, "big": 12345678901234567890} ]"#
    private static let compactList = #"[{"id":"7","price":12.50,"big":12345678901234567890}]"#

    @Test func `returns the backend's response`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, Self.list))) { service, backend in
            let ticket = try service.ticket()
            let byPost = try service.call("get_order_list", ["state": "open"], ticket: ticket)
            let byGet = try service.get("get_order_list", "?state=open&most=5", ticket: ticket)
            for response in [byPost, byGet] {
                #expect(response.status == 200)
                #expect(response.text == Self.compactList)
                #expect(response.headers["content-type"] == "application/json")
                #expect(response.headers["cache-control"] == "no-store")
            }
            let neutral = try service.callNeutrally(
                "get_order_list", #"{"state":"open"}"#, ticket: ticket)
            #expect(neutral.status == 200)
            let endpoint = "https://d.example.com/bots/orders/functions/get_order_list"
            #expect(
                neutral.text
                    == #"{"status_code":200,"endpoint":"\#(endpoint)","response":\#(Self.compactList)}"#)
            #expect(
                backend.requests.map(\.target) == [
                    "/users/user-1/orders?state=open", "/users/user-1/orders?state=open&most=5",
                    "/users/user-1/orders?state=open",
                ])
            #expect(
                try service.metricLines("deskgate_bot_calls_total") == [
                    #"{bot="orders",function="get_order_list",outcome="succeeded"} 3"#
                ])
            #expect(
                try service.metricLines("deskgate_bot_call_duration_seconds_count") == [
                    #"{bot="orders"} 3"#
                ])
        }
    }

    @Test func `ignores a second response`() throws {
        let fixture = try BotFixture()
        let first = ScriptedStep.json(200, #"{"of":"user-1"}"#)
        let second = ScriptedStep.json(200, #"{"of":"user-2"}"#)
        let script = [[.readRequest, first, .awaitRelease, first, .hang], [.readRequest, second]]
        try fixture.withBot(.connections(script)) { service, backend in
            for user in ["user-1", "user-2"] {
                let ticket = try service.ticket(user: user)
                #expect(try service.get("get_order_list", "", ticket: ticket).text == #"{"of":"\#(user)"}"#)
                backend.release()
            }
            #expect(backend.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func `signs the target of a GET request`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket(user: "caf\u{e9} & co")
            #expect(try service.get("get_order_details", "?order_id=a%2Fb", ticket: ticket).status == 200)
            let request = try #require(backend.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/orders/a%2Fb?of=caf%C3%A9%20%26%20co")
            #expect(request.header("X-Api-Key") == BotFixture.backendSecret)
            #expect(request.header("X-Customer") == "id caf%C3%A9%20%26%20co")
            #expect(request.header("User-Agent") == "Deskgate")
            #expect(request.header("Idempotency-Key") == nil)
            #expect(try isGenuine(request, signed: Array(request.target.utf8)))
            #expect(try !isGenuine(request, signed: Array("/orders/a%2Fb".utf8)))
            let stored = try #require(try service.storedCalls().first)
            #expect(request.header("webhook-id") == stored.id.description)
            #expect(
                (stored.outcome, stored.statusCode, stored.userID) == (.succeeded, 200, "caf\u{e9} & co"))
            #expect(
                (stored.appID, stored.bot, stored.function) == ("shop", "orders", "get_order_details"))
            #expect(stored.arguments == nil)
            #expect(stored.key == nil)
            #expect(stored.argumentsSHA256.utf8.count == 64)
        }
    }

    private func isGenuine(_ request: RecordedRequest, signed: [UInt8]) throws -> Bool {
        try StandardWebhookSignature.isGenuine(
            signature: try #require(request.header("webhook-signature")),
            id: try #require(request.header("webhook-id")),
            timestamp: try #require(request.header("webhook-timestamp")), body: signed.span,
            secrets: [StandardWebhookSecret(BotFixture.secret)], now: TestTime.now.milliseconds)
    }

    @Test func `records arguments only when configured`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}")), records: true) { service, _ in
            _ = try service.get("get_order_list", "?most=5", ticket: try service.ticket())
            #expect(try service.storedCalls().map(\.arguments) == [#"{"customer":"user-1","most":5}"#])
        }
    }

    /// A 401 to a caller always means the ticket: the app starts the bot again, which does not help against a wrong secret.
    @Test(arguments: ["", "[]", #"{"error":"unauthorized"}"#])
    func `a 401 of the backend is not reported as a wrong ticket`(_ body: String) throws {
        let fixture = try BotFixture()
        let answer: ScriptedStep = body.isEmpty ? .respond(401, headers: ["WWW-Authenticate: Bearer"]) : .json(401, body)
        try fixture.withBot(.everyRequest(answer)) { service, _ in
            let ticket = try service.ticket()
            for response in [
                try service.call("get_order_list", ticket: ticket), try service.get("get_order_list", ticket: ticket),
                try service.callNeutrally("get_order_list", [:], ticket: ticket),
                try service.call("reorder", ["order_id": "7"], ticket: ticket),
            ] {
                #expect(response.status == 502)
                #expect(response.error == "bad_gateway")
                #expect(response.headers["www-authenticate"] == nil)
            }
            let calls = try service.storedCalls()
            #expect(calls.map(\.outcome) == [.failed, .failed, .failed, .failed])
            #expect(calls.allSatisfy { $0.reason == "unauthorized" })
            #expect(calls.allSatisfy { $0.statusCode == 401 })
            #expect(try fixture.log.text().contains("reason=unauthorized"))
            let wrong = try service.call("get_order_list", ticket: "dgbt1.AAAA")
            #expect(wrong.status == 401)
            #expect(wrong.error == "unauthorized")
        }
    }

    /// Another system behind the backend may have sent the 401 after the change was made.
    @Test(arguments: [#"{"type":"memory"}"#, #"{"type":"sqlite","path":"store.sqlite"}"#])
    func `a change that was answered 401 is not sent again`(_ store: String) throws {
        let fixture = try BotFixture(store: store)
        try fixture.withBot(.requests([[.json(401, "{}")], [.json(200, #"{"done":true}"#)]])) { service, backend in
            let asked = try service.call("cancel_order", ["order_id": "7"], ticket: try service.ticket())
            let confirmation = try #require(asked.json["confirmation"]?.text)
            let refused = try service.confirm(confirmation)
            #expect(refused.status == 502)
            #expect(refused.json["outcome"] == "unknown")
            #expect(try service.confirm(confirmation).text == refused.text)
            // Another process has only the stored state.
            service.graph.invalidation.tell(.revocations(nil))
            let later = try service.confirm(confirmation)
            #expect(later.status == 409)
            #expect(later.error == "already_called")
            #expect(later.json["outcome"] == "failed")
            #expect(later.json["status_code"] == 401)
            #expect(backend.requests.count == 1)
        }
    }

    /// Refusals of the backend reach the model unchanged.
    @Test(arguments: [
        (400, #"{"error":"no such order"}"#, 400, #"{"error":"no such order"}"#),
        (404, "", 404, "null"), (204, "", 204, ""),
        (201, "", 201, "null"), (403, "[]", 403, "[]"), (407, "{}", 407, "{}"), (429, "7", 429, "7"),
    ])
    func `passes on refusals and empty responses`(status: Int, body: String, expected: Int, text: String) throws {
        let fixture = try BotFixture()
        let answer: ScriptedStep = body.isEmpty ? .respond(status) : .json(status, body)
        try fixture.withBot(.everyRequest(answer)) { service, _ in
            let ticket = try service.ticket()
            let response = try service.call("get_order_list", ticket: ticket)
            #expect((response.status, response.text) == (expected, text))
            let neutral = try service.callNeutrally("get_order_list", [:], ticket: ticket)
            #expect(neutral.status == 200)
            #expect(neutral.json["status_code"]?.integer == Int64(status))
            #expect(
                neutral.json["response"] == JSONValue(parsing: Array((body.isEmpty ? "null" : body).utf8)))
            let outcome: BotCall.Outcome = status < 300 ? .succeeded : .refused
            #expect(try service.storedCalls().map(\.outcome) == [outcome, outcome])
            #expect(try service.storedCalls().map(\.statusCode) == [status, status])
        }
    }

    @Test func `parses arguments of queries, forms and JSON`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let header = "Authorization: bearer \(try service.ticket())\r\n"
            let form = "Content-Type: application/x-www-form-urlencoded\r\n"
            let path = "POST /bots/orders/functions/get_order_list"
            let requests = [
                try service.begin("\(path)?state=open", Array("most=5".utf8), headers: header + form),
                try service.begin("\(path)?state=open", Array(#"{"most":5}"#.utf8), headers: header),
                try service.begin("\(path)?st%61te=o%70en&most=5", headers: header),
                try service.begin(path, Array("&state=open&&most=5&".utf8), headers: header),
            ]
            for request in requests { #expect(try request.readResponse().status == 200) }
            for request in backend.requests {
                #expect(
                    Set(request.target.split(separator: "?")[1].split(separator: "&")) == [
                        "state=open", "most=5",
                    ])
            }
        }
    }

    @Test func `rejects malformed calls`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            #expect(try service.call("get_order_list", ticket: ticket, bot: "others").status == 404)
            #expect(try service.call("drop_all", ticket: ticket).status == 404)
            let byGet = try service.get("reorder", "?order_id=7", ticket: ticket)
            #expect((byGet.status, byGet.headers["allow"]) == (405, "POST"))
            #expect(
                try service.begin("DELETE /bots/orders/functions/reorder").readResponse().status == 405)
            #expect(try service.begin("GET /bots/orders/call").readResponse().status == 405)
            #expect(backend.requests.isEmpty)
        }
    }
}
