import Core
import HTTPServer
import Observability
import TestSupport
import Testing

@testable import Pyrus

/// Webhooks without a user, as in a chat in anonymous mode.
@Suite struct AnonymousWebhookTests {
    private static let path = "/pyrus/webhook/\(TestSecret.text(28))"

    /// A body with these members of its token replaced, added or removed.
    private static func body(_ token: [String: String?], app: String? = #""open""#) -> [UInt8] {
        WebhookBody.json(token: token.merging(["app_id": app]) { $1 })
    }

    /// Every form without a user: with the device, with nothing else, without the app, without the token.
    private static let forms = [
        body(["user_id": nil]), body(["user_id": "null"]), body(["user_id": #""""#]),
        body(["user_id": nil, "device_id": nil, "type": nil]), body(["user_id": nil], app: nil),
        WebhookBody.json(["token": nil]), WebhookBody.json(["token": "null"]), WebhookBody.json(["token": "{}"]),
    ]

    @Test(arguments: forms) func `is accepted in every form`(_ body: [UInt8]) throws {
        let fixture = try WebhookFixture()
        #expect(fixture.client.send(.post, Self.path, body: body).text == WebhookCases.accepted)
        let event = try #require(fixture.store.accepted.first?.event)
        #expect(event.identity.appID == "open")
        #expect(event.userID.isEmpty)
        #expect(event.identity.commentID == 71)
        #expect(fixture.wakeUpCount == 1)
        #expect(fixture.counts() == [#"{app="open",result="anonymous"} 1"#])
    }

    @Test func `is sent only to the log and your backend`() throws {
        let fixture = try WebhookFixture()
        _ = fixture.client.send(.post, Self.path, body: Self.body(["user_id": nil]))
        #expect(fixture.store.accepted.map { $0.subscriptions.map(\.notifier) } == [["log", "crm"]])
    }

    @Test func `a comment with a user is also sent to phones`() throws {
        let fixture = try WebhookFixture()
        #expect(fixture.client.send(.post, Self.path, body: Self.body([:])).text == WebhookCases.accepted)
        #expect(fixture.store.accepted.map { $0.subscriptions.map(\.notifier) } == [["log", "crm", "phones"]])
        #expect(fixture.counts() == [#"{app="open",result="accepted"} 1"#])
    }

    @Test func `has the device if the webhook names one`() throws {
        let fixture = try WebhookFixture()
        _ = fixture.client.send(.post, Self.path, body: Self.body(["user_id": nil]))
        let data = try #require(fixture.store.accepted.first?.event.data)
        #expect(String(decoding: data, as: UTF8.self).contains(#""device_id":"device-1","device_type":"ios""#))
    }

    @Test func `is deduplicated`() throws {
        let fixture = try WebhookFixture()
        for body in [Self.body(["user_id": nil]), Self.body(["user_id": #""""#])] {
            #expect(fixture.client.send(.post, Self.path, body: body).status == 200)
        }
        #expect(fixture.store.accepted.count == 1)
        #expect(fixture.counts() == [#"{app="open",result="anonymous"} 1"#, #"{app="open",result="duplicate"} 1"#])
    }

    @Test func `registers no push token`() throws {
        let fixture = try WebhookFixture()
        _ = fixture.client.send(.post, Self.path, body: Self.body(["user_id": nil, "token": #""MARKER""#]))
        let incoming = try #require(fixture.store.accepted.first)
        #expect(incoming.token == nil)
        #expect(!String(decoding: incoming.event.data, as: UTF8.self).contains("MARKER"))
        #expect(!(try fixture.log.text()).contains("MARKER"))
    }

    @Test func `members of the customer are ignored`() throws {
        let fixture = try WebhookFixture()
        let body = WebhookBody.json(token: ["app_id": #""open""#, "user_id": nil], comment: ["is_inbound": "true"])
        #expect(fixture.client.send(.post, Self.path, body: body).text == #"{"status":"ignored"}"#)
        #expect(fixture.counts() == [#"{app="open",result="ignored"} 1"#])
    }

    private static let malformed = [
        body(["user_id": "7"]), body(["user_id": "[]"]), body(["user_id": "false"]), body(["user_id": #""a\u0000""#]),
        body(["user_id": "\"\(String(repeating: "x", count: 101))\""]), body(["user_id": nil, "device_id": "7"]),
        body(["user_id": nil], app: "7"), body([:], app: nil), WebhookBody.json(["token": "7"]), WebhookBody.json(["token": "[]"]),
        WebhookBody.json(["token": nil, "ticket_id": nil]), Array("{}".utf8), Array("[]".utf8),
    ]

    @Test(arguments: malformed) func `another mistake is still rejected`(_ body: [UInt8]) throws {
        let fixture = try WebhookFixture()
        #expect(fixture.client.send(.post, Self.path, body: body).status == 400)
        #expect(fixture.store.accepted.isEmpty)
    }

    @Test(arguments: ["shop", "none", "unknown"]) func `cannot be for another app`(_ app: String) throws {
        let fixture = try WebhookFixture()
        let body = Self.body(["user_id": nil], app: "\"\(app)\"")
        #expect(fixture.client.send(.post, Self.path, body: body).text == WebhookCases.denied)
        #expect(fixture.store.accepted.isEmpty)
    }

    @Test(arguments: forms) func `must be authenticated`(_ body: [UInt8]) throws {
        let fixture = try WebhookFixture()
        for path in ["/pyrus/webhook/\(TestSecret.text(99))", WebhookCases.signedPath] {
            #expect(fixture.client.send(.post, path, body: body).text == WebhookCases.denied)
        }
        #expect(fixture.store.accepted.isEmpty)
    }

    private static let rejected = [
        (body(["user_id": nil], app: #""shop""#), "token.user_id is missing; expected \(user)."),
        (body(["user_id": #""""#], app: #""shop""#), "token.user_id: expected \(user)."),
        (WebhookBody.json(["token": nil]), "token is missing; expected an object."),
    ]
    private static let user = "a string of 1 to 100 UTF-16 code units without control characters"

    @Test(arguments: rejected) func `is rejected by default, and the log names the remedy`(body: [UInt8], message: String) throws {
        let fixture = try WebhookFixture(logLevel: .warning)
        let response = fixture.client.send(.post, WebhookCases.shopPath, headers: ["X-Request-Id": "r1"], body: body)
        #expect(response.status == 400)
        #expect(response.text == ExchangeCase.error("malformed", message))
        #expect(fixture.store.accepted.isEmpty)
        let line = try #require(try fixture.log.lines().first)
        #expect(line.hasPrefix("WARN  webhook result=malformed reason=anonymous app=shop peer=none remedy=\"choose external authorization"))
        #expect(line.contains("apps[].anonymous"))
        #expect(fixture.counts() == [#"{app="shop",result="malformed"} 1"#])
    }
}
