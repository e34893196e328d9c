import Core
import Crypto
import HTTPServer
import Observability
import Storage
import TestSupport
import Testing
import Threading

@testable import Configuration
@testable import Sendbird

@Suite struct SendbirdWebhookProofTests {
    @Test func `tokens overlap during a rotation`() throws {
        let fixture = try SendbirdFixture.known()
        #expect(shown(try fixture.chat(SendbirdBody.message(), token: SendbirdFixture.formerChatToken)) == SendbirdFixture.accepted)
        #expect(
            shown(try fixture.desk(SendbirdBody.ticket(status: "PENDING"), token: SendbirdFixture.chatToken)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(status: "ACTIVE", at: "11:00:00"))) == SendbirdFixture.accepted)
        let lines = try fixture.log.text().split(separator: "\n").filter { $0.contains("desk webhooks are signed") }
        #expect(lines.count == 2, "once for each token")
    }

    @Test func `an unauthenticated webhook is denied`() throws {
        let fixture = try SendbirdFixture.known()
        let body = Array(SendbirdBody.message().utf8)
        let right = try SendbirdFixture.sign256(body, SendbirdFixture.chatToken)
        let spaced = Array(String(decoding: body, as: UTF8.self).replacing(",", with: ", ").utf8)
        func send(_ signature: String?, _ body: [UInt8] = body, app: String = "APP") -> String {
            shown(
                fixture.client.send(
                    .post, "/sendbird/chat-webhook/\(app)", headers: signature.map { ["x-sendbird-signature": $0] } ?? [:], body: body))
        }
        for signature in [nil, "", String(right.dropLast()), right + "0", right.uppercased(), "sha256=" + right, "sha1=" + right] {
            #expect(send(signature) == SendbirdFixture.denied, "\(signature ?? "none")")
        }
        #expect(send(right, spaced) == SendbirdFixture.denied, "serialised again")
        #expect(send(right, app: "OTHER") == SendbirdFixture.denied, "another app's")
        #expect(send(right, app: "app") == SendbirdFixture.denied, "an app's id has one case")
        #expect(send(right, app: "shop") == SendbirdFixture.denied, "another help desk's")
        #expect(shown(try fixture.chat(body, token: SendbirdFixture.deskToken)) == SendbirdFixture.denied)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(), token: 54)) == SendbirdFixture.denied)
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(send(right) == SendbirdFixture.accepted)
    }

    /// Apps of Sendbird, one of another help desk, and some that do not exist.
    private static let apps = ["APP", "OTHER", "shop", "app", "APP2", "APP%20", "none"]

    /// The header of a webhook, and whether the server requests its body; only the form of the signature decides that.
    private static let heads: [(name: String, path: String, header: String, isWanted: Bool)] = {
        let (long, short) = (String(repeating: "0a", count: 32), String(repeating: "0a", count: 20))
        return [
            ("Chat's", "chat", "x-sendbird-signature: \(long)", true), ("none", "chat", "X-Other: 1", false),
            ("capitals", "chat", "x-sendbird-signature: \(long.uppercased())", false),
            ("Desk's on Chat's path", "chat", "x-hub-signature: sha1=\(short)", false),
            ("too short", "chat", "x-sendbird-signature: \(short)", false), ("Desk's", "desk", "x-hub-signature: sha1=\(short)", true),
            ("without its prefix", "desk", "x-hub-signature: \(short)", false),
            ("Chat's on Desk's path", "desk", "x-sendbird-signature: \(long)", false),
        ]
    }()

    /// The request header of a webhook that waits for `100 Continue`.
    private func head(_ path: String, app: String, header: String, length: Int) -> String {
        "POST /sendbird/\(path)-webhook/\(app) HTTP/1.1\r\nHost: t\r\n\(header)\r\nContent-Length: \(length)\r\n"
            + "Expect: 100-continue\r\n\r\n"
    }

    /// The response to `Expect: 100-continue` must not reveal which apps exist.
    @Test(arguments: apps) func `the request for a body does not reveal an app`(_ app: String) throws {
        try SendbirdFixture().withServer { address in
            for (name, path, header, isWanted) in Self.heads {
                let client = try SocketClient(address)
                try client.send(head(path, app: app, header: header, length: 2))
                #expect(try client.readResponse().status == (isWanted ? 100 : 403), "\(name)")
                guard isWanted else { continue }
                try client.send("{}")
                let answer = try client.readResponse()
                #expect(shown(answer) == SendbirdFixture.denied, "\(name)")
            }
        }
    }

    /// The same for a body above the limit, of which only the length is known.
    @Test(arguments: apps) func `the limit of bodies does not reveal an app`(_ app: String) throws {
        try SendbirdFixture().withServer { address in
            for (name, path, header, isWanted) in Self.heads {
                let client = try SocketClient(address)
                try client.send(head(path, app: app, header: header, length: SendbirdWebhookRoute.bodyLimit + 1))
                #expect(try client.readResponse().status == (isWanted ? 413 : 403), "\(name)")
            }
        }
    }

    /// The numbers of Chat's and Desk's tokens of each app, and the number of MACs that a webhook of any app costs. The time must not
    /// reveal which apps exist.
    @Test(
        arguments: [
            ([], 1, 1), ([(1, 1)], 1, 2), ([(2, 1)], 2, 3), ([(1, 1), (1, 1)], 1, 2), ([(1, 1), (2, 2)], 2, 4),
            ([(1, 3), (3, 1), (1, 1)], 3, 4), ([(4, 4), (1, 1)], 4, 8),
        ] as [([(chat: Int, desk: Int)], Int, Int)])
    func `each webhook costs the same number of MACs`(_ tokens: [(chat: Int, desk: Int)], chat: Int, desk: Int) throws {
        func token(_ number: Int) -> SecretBytes { SecretBytes(copying: TestSecret.text(number).utf8.span) }
        let apps = tokens.map { count in
            Configuration.Sendbird(
                chatTokens: (0..<count.chat).map { token(60 + $0) }, deskTokens: (0..<count.desk).map { token(70 + $0) }, chatURL: "",
                deskURL: "", makesURLPreviews: false, servesTickets: false, relaysRegistrations: false)
        }
        for settings in apps.map(Optional.some) + [nil] {
            let keys = try SendbirdKeys(settings, among: apps)
            #expect(keys.count(.chat) == chat)
            #expect(keys.count(.desk) == desk)
        }
    }

    /// The decoys for missing tokens are secret.
    @Test(arguments: [51, 52, 53, 54, 55, 56]) func `no token is valid for an app that does not exist`(_ token: Int) throws {
        let fixture = try SendbirdFixture.known()
        for app in ["shop", "APP2", "none"] {
            #expect(shown(try fixture.chat(SendbirdBody.message(), app: app, token: token)) == SendbirdFixture.denied)
            #expect(shown(try fixture.desk(SendbirdBody.ticket(), app: app, token: token)) == SendbirdFixture.denied)
        }
        #expect(try fixture.events() == SendbirdFixture.created)
    }

    @Test func `the response to a malformed webhook names the field`() throws {
        let fixture = try SendbirdFixture.known()
        let channel = #""channel":{"channel_url":"c"}"#
        let cases = [
            ("{", nil), ("[]", nil), ("{}", "category"), (#"{"category":7}"#, "category"),
            (#"{"category":"group_channel:message_send",\#(channel)}"#, "payload"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1}}"#, "channel"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1.5},\#(channel)}"#, "payload.message_id"),
            (#"{"category":"group_channel:message_send","payload":{"message_id":1},"channel":{}}"#, "channel.channel_url"),
            (#"{"category":"group_channel:message_send","app_id":"OTHER"}"#, "app_id"),
        ]
        for (body, field) in cases {
            let response = try fixture.chat(body)
            #expect(response.status == 400, "\(body)")
            if let field { #expect(response.text.contains(field), "\(body): \(response.text)") }
        }
        for (body, field) in [
            ("{}", "eventType"), (#"{"eventType":"TICKET.CREATED"}"#, "data"), (#"{"eventType":"TICKET.CLOSED","data":{}}"#, "data.id"),
        ] {
            let response = try fixture.desk(body)
            #expect(response.status == 400 && response.text.contains(field), "\(body): \(response.text)")
        }
        #expect(try fixture.events() == SendbirdFixture.created)
    }

    @Test func `an unknown webhook is ignored`() throws {
        let fixture = try SendbirdFixture.known()
        let bodies = [
            #"{"category":"group_channel:message_read"}"#, #"{"category":"user:block","future":{"a":[1,2,{}]}}"#,
            SendbirdBody.message(category: "message_delete"), SendbirdBody.message(category: "message_update"),
            SendbirdBody.message().replacing("SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE", with: ""),
        ]
        for body in bodies { #expect(shown(try fixture.chat(body)) == SendbirdFixture.ignored, "\(body)") }
        for body in [
            #"{"eventType":"MESSAGE.RECEIVED","botWebhookEvent":{"id":1}}"#, #"{"eventType":"FUTURE"}"#,
            #"{"eventType":"FUTURE","data":{}}"#,
        ] {
            #expect(shown(try fixture.desk(body)) == SendbirdFixture.ignored, "\(body)")
        }
        #expect(try fixture.events() == SendbirdFixture.created)
        #expect(shown(try fixture.chat(SendbirdBody.message(extra: #""future":{"x":[null]},"#))) == SendbirdFixture.accepted)
    }

    @Test func `a full queue is reported and the repeated webhook accepted`() throws {
        let fixture = try SendbirdFixture(maxPending: 0)
        let response = try fixture.desk(SendbirdBody.ticket())
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] != nil)
        #expect(try fixture.events() == [])
    }

    @Test func `an app exists for its own help desk only`() throws {
        let fixture = try SendbirdFixture()
        func call(_ path: String, app: String, secret: Int) throws -> String {
            let key = try TestKey(app: app, secret: secret).text()
            let body = #"{"app_id":"\#(app)","user_id":"user-1","security_key":"\#(key)","instance_id":"d","type":"ios","token":"0a"}"#
            return "\(fixture.client.send(.post, path, headers: [:], body: Array(body.utf8)).status)"
        }
        #expect(try call("/sendbird/push-token", app: "APP", secret: 2) == "200")
        #expect(try call("/pyrus/push-token", app: "APP", secret: 2) == "403")
        #expect(try call("/pyrus/authorize", app: "APP", secret: 2) == "403")
        #expect(try call("/sendbird/push-token", app: "shop", secret: 1) == "403")
        #expect(try call("/pyrus/push-token", app: "shop", secret: 1) == "200")
    }
}
