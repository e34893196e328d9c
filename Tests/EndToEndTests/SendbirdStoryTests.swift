import Crypto
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// Signed webhooks of Sendbird, from the real program to the phone in the simulator.
@Suite struct SendbirdStoryTests {
    private static let app = "APP-1"
    private static let user = "customer-1"
    private static let chatToken = "chat-0123456789abcdef0123456789"
    private static let deskToken = "desk-0123456789abcdef0123456789"
    private let site: PushSite

    init() throws {
        site = try PushSite()
        try site.workspace.write("chat-token", Self.chatToken, mode: 0o600)
        try site.workspace.write("desk-token", Self.deskToken, mode: 0o600)
        try site.configure(
            app: [
                "app_id": .string(Self.app), "help_desk": "sendbird", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
                "sendbird": ["chat_token": ["file": "chat-token"], "desk_token": ["file": "desk-token"]], "notifiers": ["log"],
                "routes": .object(PushSite.routes),
            ])
    }

    private func post(_ body: String, to path: String, signature: String, _ server: RunningServer) throws -> String {
        let client = try SocketClient(server.publicAddress)
        try client.send(
            "POST /sendbird/\(path)/\(Self.app) HTTP/1.1\r\nHost: localhost\r\n\(signature)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.readResponse().text
    }

    private func chat(_ body: String, _ server: RunningServer) throws -> String {
        let key = try HMACKey<SHA256>(secret: Self.chatToken.utf8.span)
        let code = try key.code { message throws(CryptoError) in try message.append(body.utf8.span) }
        return try post(body, to: "chat-webhook", signature: "x-sendbird-signature: \(Self.hex(code.span))", server)
    }

    private func desk(_ body: String, _ server: RunningServer) throws -> String {
        let key = try HMACKey<SHA1>(secret: Self.deskToken.utf8.span)
        let code = try key.code { message throws(CryptoError) in try message.append(body.utf8.span) }
        return try post(body, to: "desk-webhook", signature: "x-hub-signature: sha1=\(Self.hex(code.span))", server)
    }

    private static func hex(_ code: Span<UInt8>) -> String {
        var text = ""
        for index in code.indices { text += (code[index] < 16 ? "0" : "") + String(code[index], radix: 16) }
        return text
    }

    private static let ticket = """
        {"eventType":"TICKET.CREATED","createdAt":"2026-03-01T10:00:00Z","data":{"id":101,"channelUrl":"sendbird_desk_1",\
        "status2":"INITIALIZED","closeStatus":"NOT_CLOSED","customer":{"id":11,"sendbirdId":"\(user)"}}}
        """

    private static func message(_ id: Int, text: String, customType: String = "", data: String = "") -> String {
        """
        {"category":"group_channel:message_send","type":"MESG","sender":{"user_id":"sendbird_desk_agent_id_1","nickname":"Anna"},\
        "payload":{"message_id":\(id),"custom_type":"\(customType)","message":"\(text)","data":"\(data)","created_at":1760000000000},\
        "channel":{"channel_url":"sendbird_desk_1","custom_type":"SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"},"app_id":"\(app)"}
        """
    }

    private static let question =
        #"{\"type\":\"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE\",\"body\":{\"state\":\"WAITING\",\"ticketId\":101}}"#

    @Test func aMessageAndAQuestionReachThePhone() throws {
        let server = try RunningServer(site.workspace)
        let client = try SocketClient(server.publicAddress)
        let key = try site.workspace.key(app: Self.app, user: Self.user)
        let body = String(
            decoding: JSONValue.object([
                "app_id": .string(Self.app), "user_id": .string(Self.user), "security_key": .string(key), "instance_id": "device-1",
                "type": "ios", "token": .string(PushSite.token),
            ]).serialized(), as: UTF8.self)
        try client.send("POST /sendbird/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.readResponse().text == #"{"status":"registered"}"#)
        let accepted = #"{"status":"accepted"}"#
        #expect(try desk(Self.ticket, server) == accepted)
        #expect(try desk(Self.ticket, server) == #"{"status":"duplicate"}"#)
        #expect(
            try chat(Self.message(1, text: "seen by support", customType: "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"), server)
                == #"{"status":"ignored"}"#)
        #expect(try chat(Self.message(2, text: "How can I help?"), server) == accepted)
        #expect(site.simulators.recorder.wait(for: 1))
        #expect(
            try chat(Self.message(3, text: "May we close it?", customType: "SENDBIRD_DESK_RICH_MESSAGE", data: Self.question), server)
                == accepted)
        #expect(site.simulators.recorder.wait(for: 2))
        let pushes = site.simulators.recorder.pushes
        #expect(pushes.map(\.body) == ["How can I help?", "May we close it?"])
        #expect(pushes.map(\.title) == ["Anna", "Anna"] && pushes.map(\.token) == [PushSite.token, PushSite.token])
        #expect(
            eventually {
                let answer = try? PushSite.get(server.adminAddress, "/v1/explain?app_id=\(Self.app)&comment_id=2")
                return answer?.contains(#""outcome":"ok""#) == true
            })
        #expect(
            try PushSite.get(server.adminAddress, "/metrics").contains(
                #"deskgate_webhook_events_total{app="APP-1",result="accepted"} 3"#))
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        for secret in [Self.chatToken, Self.deskToken, "How can I help", PushSite.token] { #expect(!log.contains(secret)) }
    }

    @Test func aSignatureIsVerifiedByHand() throws {
        func verify(_ signature: String) throws -> Deskgate.Result {
            try Deskgate.run(
                "webhook", "verify", "--config", site.workspace.configuration, "--app", Self.app, "--body",
                site.workspace.directory.path("empty.json"), "--signature", signature, "--explain")
        }
        try site.workspace.directory.write("empty.json", "{}")
        let chat = try HMACKey<SHA256>(secret: Self.chatToken.utf8.span).code { message throws(CryptoError) in
            try message.append("{}".utf8.span)
        }
        let desk = try HMACKey<SHA1>(secret: Self.chatToken.utf8.span).code { message throws(CryptoError) in
            try message.append("{}".utf8.span)
        }
        #expect(try verify(Self.hex(chat.span)).output.contains("$.apps[0].sendbird.chat_token"))
        #expect(try verify("sha1=" + Self.hex(desk.span)).output.contains("$.apps[0].sendbird.chat_token"))
        let wrong = try verify(String(repeating: "0", count: 64))
        #expect(wrong.code == 1 && !wrong.output.contains(Self.chatToken))
    }
}
