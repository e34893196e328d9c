import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing

/// The messages of the simulated Sendbird Chat, and its webhooks.
@Suite struct SimulatedChatMessageTests {
    private func with(
        _ webhookURL: String? = nil, change: (inout SimulatedChatSettings) -> Void = { _ in }, body: (ChatCaller) throws -> Void
    ) throws {
        var settings = SimulatedSendbirdSettings()
        settings.chat.webhookURL = webhookURL
        change(&settings.chat)
        let sendbird = try SimulatedSendbird(settings)
        defer { sendbird.stop() }
        let client = try Client()
        defer { client.close() }
        try body(ChatCaller(sendbird: sendbird, client: client))
    }

    @Test func `connects Desk and Chat`() throws {
        try with { chat throws in
            let desk = DeskCaller(desk: chat.sendbird.desk, client: chat.client)
            #expect(try desk.status(.post, path: "customers", body: ["sendbirdId": "user-1"]) == 400, "Chat does not know the user yet")
            let (id, channel) = try chat.ticket()
            let path = "v3/group_channels/\(channel)/messages"
            let message: JSONObject = ["message_type": "MESG", "user_id": "user-1", "message": "Where is it?"]
            #expect(try chat.code(.post, path: "v3/group_channels/other/messages", body: message) == "400 400201")
            #expect(try chat.code(.post, path: path, body: ["message_type": "MESG", "user_id": "user-2", "message": "x"]) == "400 400201")
            chat.chat.meet("user-2")
            #expect(try chat.code(.post, path: path, body: ["message_type": "MESG", "user_id": "user-2", "message": "x"]) == "400 400108")
            #expect(try chat.code(.post, path: path, body: ["user_id": "user-1", "message": "x"]) == "400 400105")
            #expect(try desk.call(.get, path: "tickets/\(id)")["status2"] == "INITIALIZED")
            let sent = try chat.call(.post, path: path, body: message)
            #expect(sent["type"] == "MESG")
            #expect(sent["user"]?["user_id"] == "user-1")
            #expect(sent["message"] == "Where is it?")
            #expect(try desk.call(.get, path: "tickets/\(id)")["status2"] == "PENDING", "support sees it with the first message")
            let number = try #require(sent["message_id"]?.integer)
            #expect(try chat.call(.get, path: "\(path)/\(number)") == sent)
            #expect(try chat.code(.get, path: "\(path)/1") == "400 400201")
            let changed = try chat.call(.put, path: "\(path)/\(number)", body: ["message_type": "MESG", "data": "{}"])
            #expect(changed["data"] == "{}")
            #expect(changed["message"] == "Where is it?")
            #expect(changed["updated_at"] != 0)
            #expect(try chat.code(.put, path: "\(path)/\(number)", body: ["data": "{}"]) == "400 400105")
            #expect(try chat.code(.put, path: "\(path)/1", body: ["message_type": "MESG"]) == "400 400201")
        }
    }

    @Test func `sends signed webhooks`() throws {
        let receiver = try ScriptedServer(.requests([[.respond(500)], [.respond(500)], [.respond(200)]]))
        defer { receiver.stop() }
        try with(receiver.url("/sendbird/chat-webhook/shop"), change: { $0.appID = "shop" }) { chat throws in
            let (id, channel) = try chat.ticket()
            let asked = try #require(chat.chat.post(.closureInquiry(text: "Close?"), in: channel))
            #expect(chat.chat.edit(asked, in: channel, data: "{}"))
            #expect(chat.chat.post(.agent(text: "x"), in: "other") == nil)
            #expect(!chat.chat.edit(1, in: channel, data: ""))
            let webhooks = try #require(chat.chat.webhooks)
            #expect(webhooks.wait(for: 2))
            #expect(webhooks.sent.map(\.event) == ["group_channel:message_send", "group_channel:message_update"])
            // A slow response, as on a busy machine, causes another attempt.
            #expect(webhooks.sent.allSatisfy { $0.isAccepted })
            #expect(zip(webhooks.sent, [3, 1]).allSatisfy { $0.tries >= $1 })
            #expect(receiver.requests.count <= webhooks.sent.map(\.tries).reduce(0, +), "what was accepted is not sent again")
            let request = try #require(receiver.requests.first)
            #expect(request.target == "/sendbird/chat-webhook/shop" && request.body == webhooks.sent[0].body)
            let key = try HMACKey<SHA256>(secret: chat.chat.token.utf8.span)
            let code = try key.code { message throws(CryptoError) in try message.append(request.body.span) }
            let digits = code.indices.map { String(code[$0] >> 4, radix: 16) + String(code[$0] & 15, radix: 16) }.joined()
            #expect(request.header("x-sendbird-signature") == digits)
            let json = try #require(JSONValue(parsing: request.body))
            #expect(json["category"] == "group_channel:message_send")
            #expect(json["app_id"] == "shop")
            #expect(json["type"] == "MESG")
            #expect(json["sender"]?["user_id"] == "sendbird_desk_agent_id_1")
            #expect(json["members"] == nil)
            #expect(json["channel"]?["channel_url"] == .string(channel))
            #expect(json["payload"]?["message_id"] == .integer(asked))
            #expect(json["payload"]?["custom_type"] == "SENDBIRD_DESK_RICH_MESSAGE")
            let data = #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"WAITING","ticketId":\#(id)}}"#
            #expect(json["payload"]?["data"] == .string(data))
        }
    }

    @Test func `sends webhooks for all actions of people`() throws {
        let receiver = try ScriptedServer(.everyRequest(.respond(200)))
        defer { receiver.stop() }
        try with(receiver.url("/"), change: { $0.includesMembers = true }) { chat throws in
            let (id, channel) = try chat.ticket()
            let acts = ["agent", "file", "customer", "closure", "satisfaction", "notification", "system"]
            for act in acts { _ = try chat.call(.post, path: "simulated/channels/\(channel)/\(act)", body: [:]) }
            #expect(try chat.code(.post, path: "simulated/channels/\(channel)/dance", body: [:]) == "400 400111")
            #expect(try chat.code(.post, path: "simulated/channels/other/agent", body: [:]) == "400 400201")
            let webhooks = try #require(chat.chat.webhooks)
            #expect(webhooks.wait(for: acts.count))
            let bodies = webhooks.sent.compactMap { JSONValue(parsing: $0.body) }
            #expect(bodies.map { $0["type"]?.text } == ["MESG", "FILE", "MESG", "MESG", "MESG", "ADMM", "ADMM"])
            let agent = "sendbird_desk_agent_id_1"
            #expect(bodies.map { $0["sender"]?["user_id"]?.text } == [agent, agent, "user-1", agent, agent, nil, nil])
            #expect(bodies.allSatisfy { $0["members"]?.elements.map { $0["user_id"]?.text } == ["user-1", agent] })
            #expect(bodies[1]["payload"]?["filename"] == "file.pdf" && bodies[1]["payload"]?["filesize"] == 1024)
            #expect(bodies[6]["payload"]?["custom_type"] == "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE")
            let desk = DeskCaller(desk: chat.sendbird.desk, client: chat.client)
            #expect(try desk.call(.get, path: "tickets/\(id)")["status2"] == "PENDING", "the customer has written")
            let own = try chat.call(.post, path: "simulated/channels/\(channel)/agent", body: ["text": "Good morning"])
            #expect(chat.chat.message(own["message_id"]?.integer ?? 0, in: channel)?["message"] == "Good morning")
        }
    }

    @Test func `a customer's read receipt causes a webhook`() throws {
        let receiver = try ScriptedServer(.everyRequest(.respond(200)))
        defer { receiver.stop() }
        try with(receiver.url("/")) { chat throws in
            let (_, channel) = try chat.ticket()
            #expect(try chat.call(.post, path: "simulated/channels/\(channel)/read", body: [:]) == [:])
            #expect(try chat.code(.post, path: "simulated/channels/other/read", body: [:]) == "400 400201")
            #expect(receiver.waitForRequests(1))
            let json = try #require(JSONValue(parsing: receiver.requests[0].body))
            #expect(json["category"] == "group_channel:message_read")
            #expect(json["channel"]?["channel_url"] == .string(channel))
            #expect(json["read_updates"]?.elements.map { $0["user_id"]?.text } == ["user-1"])
        }
    }

    /// Its memory is limited for any number of requests of a test or a long demonstration.
    @Test func `evicts the oldest messages`() throws {
        try with { chat throws in
            let (_, channel) = try chat.ticket()
            let numbers = try (1...201).map { try #require(chat.chat.post(.agent(text: "\($0)"), in: channel)) }
            #expect(chat.chat.message(numbers[0], in: channel) == nil)
            #expect(chat.chat.message(numbers[1], in: channel)?["message"] == "2")
            for _ in 0..<21 { _ = try chat.call(.post, path: "v3/users/user-1/token", body: [:]) }
            #expect(chat.chat.sessions(of: "user-1").count == 20)
        }
    }

    /// A receiver that never responds makes webhooks wait for a limited time.
    @Test func `gives up webhooks that wait too long`() throws {
        let receiver = try ScriptedServer(.connections([[.readRequest, .hang]]))
        defer { receiver.stop() }
        try with(receiver.url("/")) { chat throws in
            let (_, channel) = try chat.ticket()
            for _ in 0..<10_002 { chat.chat.post(.agent(text: "x"), in: channel) }
            let webhooks = try #require(chat.chat.webhooks)
            #expect(webhooks.sent.contains { $0.tries == 0 && !$0.isAccepted })
        }
    }
}
