import Core
import HTTPServer
import Observability
import Storage
import TestSupport
import Testing
import Threading

@testable import Sendbird

/// Which webhooks of Sendbird are taken: signatures, malformed and unknown bodies, another app's.
@Suite struct SendbirdWebhookProofTests {
    @Test func tokensOverlapWhileOneReplacesAnother() throws {
        let fixture = try SendbirdFixture.known()
        #expect(shown(try fixture.chat(SendbirdBody.message(), token: SendbirdFixture.formerChatToken)) == SendbirdFixture.accepted)
        #expect(
            shown(try fixture.desk(SendbirdBody.ticket(status: "PENDING"), token: SendbirdFixture.chatToken)) == SendbirdFixture.accepted)
        #expect(shown(try fixture.desk(SendbirdBody.ticket(status: "ACTIVE", at: "11:00:00"))) == SendbirdFixture.accepted)
        let lines = try fixture.log.text().split(separator: "\n").filter { $0.contains("desk webhooks are signed") }
        #expect(lines.count == 2, "once for each token")
    }

    @Test func whatIsNotProvenIsDenied() throws {
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

    @Test func whatIsMalformedNamesTheField() throws {
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

    @Test func whatIsNotKnownIsIgnored() throws {
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

    @Test func aFullQueueIsToldAndTheWebhookTakenLater() throws {
        let fixture = try SendbirdFixture(maxPending: 0)
        let response = try fixture.desk(SendbirdBody.ticket())
        #expect(response.status == 503 && response.headers["retry-after"] != nil)
        #expect(try fixture.events() == [])
    }

    @Test func anAppIsKnownToItsOwnHelpDeskOnly() throws {
        let fixture = try SendbirdFixture()
        func call(_ path: String, _ app: String, _ secret: Int) throws -> String {
            let key = try TestKey(app: app, secret: secret).text()
            let body = #"{"app_id":"\#(app)","user_id":"user-1","security_key":"\#(key)","instance_id":"d","type":"ios","token":"0a"}"#
            return "\(fixture.client.send(.post, path, headers: [:], body: Array(body.utf8)).status)"
        }
        #expect(try call("/sendbird/push-token", "APP", 2) == "200")
        #expect(try call("/pyrus/push-token", "APP", 2) == "403")
        #expect(try call("/pyrus/authorize", "APP", 2) == "403")
        #expect(try call("/sendbird/push-token", "shop", 1) == "403")
        #expect(try call("/pyrus/push-token", "shop", 1) == "200")
    }
}
