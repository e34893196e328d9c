import Core
import Crypto
import JSON
import TestSupport
import Time

/// One service with an app of Pyrus and an app of Sendbird. All credentials are replaced in each generation: the keys' secrets, the path of
/// Pyrus' webhooks, and Sendbird's two tokens.
final class BothSite: Sendable {
    static let pyrusApp = "shop"
    static let sendbirdApp = "DESK-APP"
    static let sessionToken = "the-session-token"

    enum Call: CaseIterable {
        case pyrusAuthorize, pyrusWebhook, chatWebhook, deskWebhook, sessionToken
    }

    /// A request, and the member of its response that contains the result.
    struct Request {
        let head: String
        let body: [UInt8]
        let member: String

        fileprivate init(_ path: String, _ body: [UInt8], header: String = "Accept: */*", member: String = "status") {
            head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\nContent-Length: \(body.count)\r\n\r\n"
            self.body = body
            self.member = member
        }
    }

    let workspace: Workspace
    private let sink: ScriptedServer
    private let chat: ScriptedServer

    /// - Parameters:
    ///   - sink: receives all events.
    ///   - chat: Sendbird's Platform API.
    init(sink: ScriptedServer, chat: ScriptedServer) throws {
        workspace = try Workspace()
        self.sink = sink
        self.chat = chat
        try workspace.write("sink.whsec", Self.signingSecret(), mode: 0o600)
    }

    private static func signingSecret() throws(CryptoError) -> String {
        let text = try Generation.secret()
        return "whsec_" + text.replacing("-", with: "+").replacing("_", with: "/") + "="
    }

    /// The credentials of one generation, which cannot be derived from its number.
    struct Generation: Sendable {
        let number: Int
        let keys: [String: String]
        let path: String
        let chatToken: String
        let deskToken: String

        init(_ number: Int) throws(CryptoError) {
            self.number = number
            keys = [BothSite.pyrusApp: try Self.secret(), BothSite.sendbirdApp: try Self.secret()]
            path = try Self.secret()
            chatToken = try Self.secret()
            deskToken = try Self.secret()
        }

        static func secret() throws(CryptoError) -> String {
            let bytes: InlineArray<32, UInt8> = try randomBytes()
            return Base64URL.encode(bytes.span)
        }

        func key(_ app: String, _ user: String) throws(CryptoError) -> String {
            guard let text = keys[app], let bytes = Base64URL.decode(text) else { preconditionFailure("both apps have secrets") }
            return try SecurityKey.mint(
                appID: app.utf8.span, userID: user.utf8.span, keyID: UInt32(number), secret: HMACKey(secret: bytes.span),
                issuedAt: SystemClock.unixSeconds(), expiresAt: 0, salt: randomBytes())
        }
    }

    /// Writes a configuration in which these generations are valid, the first one listed first.
    func configure(_ generations: [Generation], _ changes: JSONObject = [:]) throws {
        for generation in generations {
            for (app, secret) in generation.keys { try write("\(app).key", generation: generation, text: secret) }
            try write("path", generation: generation, text: generation.path)
            try write("chat", generation: generation, text: generation.chatToken)
            try write("desk", generation: generation, text: generation.deskToken)
        }
        func files(_ name: String) -> JSONValue { .array(generations.map { ["file": .string("\(name)-\($0.number)")] }) }
        func keys(_ app: String) -> JSONValue {
            .array(
                generations.map { ["id": .integer(Int64($0.number)), "secret": ["file": .string("\(app).key-\($0.number)")]] })
        }
        var members: JSONObject = changes
        let base: JSONObject = [
            "log": ["level": "info", "format": "json"], "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0],
            "notifiers": [
                "sink": ["type": "http", "url": .string(sink.url("/events")), "secret": ["file": "sink.whsec"], "timeout_seconds": 120],
                "sendbird": ["type": "sendbird"],
            ],
            "apps": [
                [
                    "app_id": .string(Self.pyrusApp), "keys": keys(Self.pyrusApp), "webhook": ["secret": files("path")],
                    "notifiers": ["sink"],
                ],
                [
                    "app_id": .string(Self.sendbirdApp), "help_desk": "sendbird", "keys": keys(Self.sendbirdApp),
                    "sendbird": [
                        "chat_token": files("chat"), "desk_token": files("desk"), "session_tokens": ["limits": []],
                        "chat_url": .string("http://127.0.0.1:\(chat.port)"), "desk_url": .string("http://127.0.0.1:\(chat.port)"),
                    ],
                    "notifiers": ["sink", "sendbird"],
                ],
            ],
        ]
        for member in base.members where members[member.key] == nil { members.append(member.value, forKey: member.key) }
        try workspace.configure(members)
    }

    private func write(_ name: String, generation: Generation, text: String) throws {
        try workspace.write("\(name)-\(generation.number)", text, mode: 0o600)
    }

    /// The request with a number, as the help desk or the customer's app sends it with a generation's credentials. Webhooks with one number
    /// are equal.
    func request(_ call: Call, number: Int, generation: Generation) throws -> Request {
        let user = "customer-\(number % 20)"
        switch call {
        case .pyrusAuthorize:
            return Request("/pyrus/authorize", Self.credentials(Self.pyrusApp, user: user, key: try generation.key(Self.pyrusApp, user)))
        case .sessionToken:
            let body = Self.credentials(Self.sendbirdApp, user: user, key: try generation.key(Self.sendbirdApp, user))
            return Request("/sendbird/session-token", body, member: "session_token")
        case .pyrusWebhook: return Request("/pyrus/webhook/\(generation.path)", Self.comment(number, user))
        case .chatWebhook:
            let body = Self.message(number, user)
            let code = try HMACKey<SHA256>(secret: generation.chatToken.utf8.span).code { message throws(CryptoError) in
                try message.append(body.span)
            }
            return Request("/sendbird/chat-webhook/\(Self.sendbirdApp)", body, header: "x-sendbird-signature: \(Self.hex(code.span))")
        case .deskWebhook:
            let body = Self.ticket(number, user)
            let code = try HMACKey<SHA1>(secret: generation.deskToken.utf8.span).code { message throws(CryptoError) in
                try message.append(body.span)
            }
            return Request("/sendbird/desk-webhook/\(Self.sendbirdApp)", body, header: "x-hub-signature: sha1=\(Self.hex(code.span))")
        }
    }

    /// The subject of an event at the sink: the call and its number.
    static func subject(of event: RecordedRequest) throws -> String? {
        let object = try jsonObject(event.text)
        let data = object["data"]
        switch (object.string("app_id"), object.string("type")) {
        case (pyrusApp, "comment.created"):
            return data?["comment"]?["comment_id"].flatMap { $0.integer.map { "\(Call.pyrusWebhook) \($0)" } }
        case (sendbirdApp, "comment.created"):
            return data?["comment"]?["comment_id"].flatMap { $0.integer.map { "\(Call.chatWebhook) \($0)" } }
        case (sendbirdApp, "ticket.created"): return data?["ticket_id"].flatMap { $0.integer.map { "\(Call.deskWebhook) \($0)" } }
        default: return nil
        }
    }

    private static func credentials(_ app: String, user: String, key: String) -> [UInt8] {
        let body: JSONValue = ["app_id": .string(app), "user_id": .string(user), "security_key": .string(key)]
        return body.serialized()
    }

    private static func comment(_ number: Int, _ user: String) -> [UInt8] {
        let body: JSONValue = [
            "ticket_id": 17, "created_at": "2026-03-10T08:15:12Z", "attachments": [], "author": ["name": "Ann", "avatar_id": 1],
            "token": ["user_id": .string(user), "app_id": .string(pyrusApp), "device_id": "device-1", "type": "ios"],
            "comment": ["comment_id": .integer(Int64(number)), "body": "Hello", "is_inbound": false],
        ]
        return body.serialized()
    }

    private static func message(_ number: Int, _ user: String) -> [UInt8] {
        let body: JSONValue = [
            "category": "group_channel:message_send", "type": "MESG", "app_id": .string(sendbirdApp),
            "sender": ["user_id": "sendbird_desk_agent_id_1", "nickname": "Anna"],
            "members": [["user_id": .string(user)], ["user_id": "sendbird_desk_agent_id_1"]],
            "payload": [
                "message_id": .integer(Int64(number)), "custom_type": "", "message": "Hello", "data": "", "created_at": 1_760_000_000_000,
            ],
            "channel": ["channel_url": .string("sendbird_desk_\(user)"), "custom_type": "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"],
        ]
        return body.serialized()
    }

    private static func ticket(_ number: Int, _ user: String) -> [UInt8] {
        let body: JSONValue = [
            "eventType": "TICKET.CREATED", "createdAt": "2026-03-01T10:00:00Z",
            "data": [
                "id": .integer(Int64(number)), "channelUrl": .string("sendbird_desk_t\(number)"), "status2": "INITIALIZED",
                "closeStatus": "NOT_CLOSED", "customer": ["id": 11, "sendbirdId": .string(user)],
            ],
        ]
        return body.serialized()
    }

    private static func hex(_ code: Span<UInt8>) -> String {
        var text = ""
        for index in code.indices { text += (code[index] < 16 ? "0" : "") + String(code[index], radix: 16) }
        return text
    }
}

extension BothSite.Request {
    /// Sends the request, and returns the status and the result of the response, such as `200 accepted`.
    func send(to client: SocketClient) throws -> String {
        try client.send(Array(head.utf8) + body)
        let answer = try client.readResponse()
        let word = (try? jsonObject(answer.text))?.string(member)
        return "\(answer.status)" + (word.map { " \($0)" } ?? "")
    }
}
