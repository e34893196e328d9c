import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading

/// The simulated Sendbird Desk, through its Platform API.
@Suite struct SimulatedDeskTests {
    private func with(
        _ change: (inout SimulatedDeskSettings) -> Void = { _ in }, faults: FaultScript = FaultScript(),
        _ body: (DeskCaller) throws -> Void
    ) throws {
        var settings = SimulatedDeskSettings()
        change(&settings)
        let desk = try SimulatedDesk(settings, faults: faults)
        defer { desk.stop() }
        let client = try Client()
        defer { client.close() }
        try body(DeskCaller(desk: desk, client: client))
    }

    @Test func `creates, finds and lists tickets`() throws {
        try with { desk throws in
            let customer = try desk.customer()
            #expect(try desk.call(.get, path: "customers?sendbird_id=user-1")["results"] == [customer])
            #expect(try desk.call(.get, path: "customers?sendbird_id=user")["results"] == [])
            let made = try desk.create(customer, ["customFields": #"{"order":"7","unknown":"x"}"#, "relatedChannelUrls": "a,b"])
            #expect(made["status2"] == "INITIALIZED")
            #expect(made["closeStatus"] == "NOT_CLOSED")
            #expect(made["priority"] == "MEDIUM")
            #expect(made["customFields"] == [["id": 1, "key": "order", "value": "7"]])
            #expect(made["relatedChannels"] == #"[{"channel_url":"a","name":""},{"channel_url":"b","name":""}]"#)
            let id = try #require(made["id"]?.integer)
            #expect(try desk.call(.get, path: "tickets/\(id)") == made)
            #expect(try desk.call(.get, path: "tickets?channel_url=sendbird_desk_\(id)")["results"] == [made])
            for query in ["status2=INITIALIZED", "sendbird_id=user-1", "q=Order", "start_date=2020-01-01T00:00:00Z", "limit=1"] {
                #expect(try desk.call(.get, path: "tickets?\(query)")["count"] == 1)
            }
            for query in ["status2=ACTIVE", "sendbird_id=user-2", "q=Bill", "end_date=2020-01-01T00:00:00Z"] {
                #expect(try desk.call(.get, path: "tickets?\(query)")["count"] == 0)
            }
        }
    }

    @Test func `pages lists`() throws {
        try with { desk throws in
            let customer = try desk.customer()
            for _ in 0..<5 { _ = try desk.create(customer) }
            let first = try desk.call(.get, path: "tickets?limit=2&offset=2")
            #expect(first["count"] == 5)
            #expect(first["results"]?.elements.count == 2)
            #expect(first["next"] == .string("\(desk.desk.url)/platform/v1/tickets?limit=2&offset=4"))
            #expect(try desk.call(.get, path: "tickets?limit=2&offset=4")["next"] == .null)
            for query in ["limit=0", "limit=501", "offset=-1", "status2=OPEN"] {
                #expect(try desk.status(.get, path: "tickets?\(query)") == 400)
            }
        }
    }

    @Test func `changes tickets`() throws {
        try with { desk throws in
            let id = try #require(try desk.create(desk.customer())["id"]?.integer)
            let path = "tickets/\(id)"
            #expect(try desk.call(.patch, path: path, body: ["priority": "HIGH"])["priority"] == "HIGH")
            // Invalid fields are dropped silently.
            #expect(try desk.call(.patch, path: path, body: ["priority": "highest"])["priority"] == "HIGH")
            #expect(try desk.status(.patch, path: "\(path)/cancel", body: [:]) == 400)
            #expect(desk.desk.perform(.assign, onTicket: id))
            #expect(try desk.call(.patch, path: "\(path)/cancel", body: [:])["status2"] == "PENDING")
            let moved = try desk.call(
                .post, path: "tickets/transfer_to_group", body: ["tickets": [.integer(id)], "status": "PENDING", "groupKey": "billing"])
            #expect(moved["tickets"]?.elements.first?["group"]?["key"] == "billing")
            #expect(try desk.call(.patch, path: "\(path)/close", body: ["closeComment": "done"])["closeStatus"] == "CLOSED_BY_PLATFORM_API")
            #expect(try desk.status(.patch, path: "\(path)/close", body: [:]) == 400)
            #expect(try desk.call(.patch, path: "\(path)/reopen", body: [:])["closeStatus"] == "NOT_CLOSED")
            #expect(try desk.status(.patch, path: "tickets/9/close", body: [:]) == 404)
            #expect(try desk.status(.get, path: "tickets/x") == 404)
        }
    }

    @Test func `validates strictly`() throws {
        try with({ $0.hasUser = { $0 == "user-1" } }) { desk throws in
            let customer = try desk.customer()
            let id = try #require(customer["id"]?.integer)
            #expect(try desk.status(.post, path: "customers", body: ["sendbirdId": "user-1"]) == 400)
            #expect(try desk.status(.post, path: "customers", body: ["sendbirdId": "user-2"]) == 400)
            for body in [
                ["channelName": "T", "customerId": .string("\(id)")], ["channelName": "T", "customerId": 9], ["customerId": .integer(id)],
                ["channelName": "T", "customerId": .integer(id), "groupKey": "nobody"],
                ["channelName": "T", "customerId": .integer(id), "relatedChannelUrls": "a,b,c,d"],
            ] as [JSONObject] {
                #expect(try desk.status(.post, path: "tickets", body: body) == 400)
            }
            #expect(try desk.status(.patch, path: "customers/\(id)/custom_fields", body: ["customFields": ["plan": "gold"]]) == 400)
            #expect(try desk.status(.get, path: "tickets", token: "wrong") == 401)
            #expect(try desk.status(.put, path: "tickets", body: [:]) == 405)
        }
    }

    @Test func `fails as scripted`() throws {
        let faults = FaultScript()
        let script = #"{"faults":[{"provider":"sendbird-desk","match":{"token":"list_tickets"},"answer":{"status":429,"retry_after":3}}]}"#
        try FaultReader.read(script: Array(script.utf8), into: faults, DeviceRegistry())
        try with(faults: faults) { desk throws in
            #expect(try desk.status(.get, path: "customers") == 200)
            let response = try desk.send(.get, path: "tickets")
            #expect(response.status == 429)
            #expect(response.header("X-RateLimit-RetryAfter") == "3")
            #expect(try desk.status(.get, path: "tickets") == 200)
        }
    }

    @Test func `a ticket is visible to support after its first message`() throws {
        try with { desk throws in
            let id = try #require(try desk.create(desk.customer())["id"]?.integer)
            desk.desk.notice(messageFrom: "somebody-else", in: "sendbird_desk_\(id)")
            #expect(try desk.call(.get, path: "tickets/\(id)")["status2"] == "INITIALIZED")
            desk.desk.notice(messageFrom: "user-1", in: "sendbird_desk_\(id)")
            #expect(try desk.call(.get, path: "tickets/\(id)")["status2"] == "PENDING")
        }
    }

    @Test func `sends signed webhooks`() throws {
        let receiver = try ScriptedServer(.requests([[.respond(500)], [.respond(200)]]))
        defer { receiver.stop() }
        try with({ $0.webhookURL = receiver.url("/sendbird/desk-webhook/shop") }) { desk throws in
            let id = try #require(try desk.create(desk.customer())["id"]?.integer)
            #expect(desk.desk.perform(.assign, onTicket: id))
            #expect(desk.desk.perform(.close, onTicket: id))
            let webhooks = try #require(desk.desk.webhooks)
            #expect(webhooks.wait(for: 4))
            #expect(
                webhooks.sent.map(\.event) == ["TICKET.CREATED", "TICKET.STATUS.UPDATED", "TICKET.STATUS.UPDATED", "TICKET.CLOSED"])
            // A response after more than a second, as on a busy machine, causes another attempt.
            #expect(webhooks.sent.allSatisfy { $0.isAccepted })
            #expect(zip(webhooks.sent, [2, 1, 1, 1]).allSatisfy { $0.tries >= $1 })
            #expect(receiver.requests.count <= webhooks.sent.map(\.tries).reduce(0, +), "what was accepted is not sent again")
            let request = try #require(receiver.requests.last)
            #expect(request.target == "/sendbird/desk-webhook/shop")
            #expect(request.body == webhooks.sent.last?.body)
            let key = try HMACKey<SHA1>(secret: desk.desk.token.utf8.span)
            let code = try key.code { message throws(CryptoError) in try message.append(request.body.span) }
            let digits = code.indices.map { String(code[$0] >> 4, radix: 16) + String(code[$0] & 15, radix: 16) }.joined()
            #expect(request.header("x-hub-signature") == "sha1=\(digits)")
            let json = try #require(JSONValue(parsing: request.body))
            #expect(json["eventType"] == "TICKET.CLOSED")
            #expect(json["data"]?["id"] == .integer(id))
            #expect(json["data"]?["status2"] == "CLOSED")
        }
    }

    @Test func `related channels have the names of their tickets, and an empty text clears them`() throws {
        try with { desk throws in
            let customer = try desk.customer()
            let first = try #require(try desk.create(customer)["channelUrl"]?.text)
            let made = try desk.create(customer, ["relatedChannelUrls": .string(first)])
            #expect(made["relatedChannels"] == .string(#"[{"channel_url":"\#(first)","name":"Order 7"}]"#))
            let id = try #require(made["id"]?.integer)
            #expect(try desk.call(.patch, path: "tickets/\(id)", body: ["relatedChannelUrls": ""])["relatedChannels"] == "[]")
        }
    }

    @Test func `gives a webhook up after three attempts`() throws {
        let receiver = try ScriptedServer(.everyRequest(.respond(503)))
        defer { receiver.stop() }
        try with({ $0.webhookURL = receiver.url("/") }) { desk throws in
            _ = try desk.create(desk.customer())
            let webhooks = try #require(desk.desk.webhooks)
            #expect(webhooks.wait(for: 1))
            #expect(webhooks.sent.map(\.tries) == [3] && webhooks.sent.map(\.status) == [503] && receiver.requests.count == 3)
        }
    }
}
