import Core
import HTTPServer
import Observability
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Responses to webhooks with and without a socket, and the stored events.
@Suite struct WebhookRouteTests {
    private static let cases = Result { try WebhookCases.all() }

    /// By index, because the arguments of tests are printed.
    @Test(arguments: try cases.get().indices)
    func `answers in process`(_ index: Int) throws {
        let exchange = try Self.cases.get()[index]
        let fixture = try WebhookFixture()
        exchange.check(exchange.send(to: fixture.client))
        #expect(fixture.store.accepted.count == (exchange.answer == WebhookCases.accepted ? 1 : 0), "\(exchange.name)")
        #expect(fixture.wakeUpCount == fixture.store.accepted.count, "\(exchange.name)")
    }

    @Test func `answers on a socket`() throws {
        let fixture = try WebhookFixture()
        try fixture.withServer { address in
            for exchange in try Self.cases.get() { exchange.check(try exchange.send(to: SocketClient(address))) }
        }
        #expect(fixture.store.accepted.count == 17)
        #expect(fixture.wakeUpCount == 17)
    }

    @Test func `stores the event for each notifier`() throws {
        let fixture = try WebhookFixture()
        #expect(fixture.client.send(.post, WebhookCases.shopPath, body: WebhookBody.json()).status == 200)
        let incoming = try #require(fixture.store.accepted.first)
        let event = incoming.event
        let identity = Event.Identity(appID: "shop", ticketID: 9_007_199_254_740_993, commentID: 71, deviceID: "device-1")
        #expect(event.kind == .commentCreated)
        #expect(event.identity == identity)
        #expect(event.userID == "user-1")
        #expect(event.occurredAt == TestTime.now.milliseconds)
        #expect(event.receivedAt == WebhookFixture.time)
        #expect(event.expiresAt == WebhookFixture.time + 60_000)
        #expect(event.deviceType == "ios")
        #expect(event.id == event.id.event, "there is room for the ids of its deliveries")
        #expect(incoming.subscriptions.map(\.notifier) == ["log", "journal"])
        #expect(incoming.subscriptions.allSatisfy { !$0.requiresDevice && $0.deviceTypes == .all })
    }

    /// The cached revocations are stale: another replica has just erased the user.
    @Test func `ignores an event that the store ignores`() throws {
        let fixture = try WebhookFixture()
        fixture.store.ignore()
        let answer = fixture.client.send(.post, WebhookCases.shopPath, body: WebhookBody.json())
        #expect(answer.status == 200)
        #expect(answer.text == #"{"status":"ignored"}"#)
        #expect(fixture.wakeUpCount == 0)
        #expect(fixture.counts() == [#"{app="shop",result="ignored"} 1"#])
    }

    @Test(arguments: [
        WebhookBody.json(), WebhookBody.nested(), WebhookBody.json(token: ["token": #""MARKER""#, "push_token": #""MARKER""#]),
    ])
    func `renders the data once`(_ body: [UInt8]) throws {
        let fixture = try WebhookFixture()
        #expect(fixture.client.send(.post, WebhookCases.shopPath, body: body).status == 200)
        let event = try #require(fixture.store.accepted.first?.event)
        let expected = #"""
            {"ticket_id":9007199254740993,"device_id":"device-1","device_type":"ios","comment":{"comment_id":71,"body":"Hello"},\#
            "author":{"name":"Ann","avatar_id":17,"avatar_url":"https://pyrus.com/servicedeskapi/v1/Avatar/17",\#
            "avatar_color":"abcdef"},"created_at":"2026-03-10T08:15:12.000Z",\#
            "attachments":[{"id":5,"name":"a.png","size":1024}]}
            """#
        #expect(String(decoding: event.data, as: UTF8.self) == expected)
    }

    @Test func `passes on only the push token`() throws {
        let fixture = try WebhookFixture()
        let bodies = [
            WebhookBody.json(token: ["push_token": #""MARKER-token""#]),
            WebhookBody.json(token: ["token": "7"], comment: ["comment_id": "72"]),
        ]
        for body in bodies { #expect(fixture.client.send(.post, WebhookCases.shopPath, body: body).text == WebhookCases.accepted) }
        let incomingEvents = fixture.store.accepted
        #expect(incomingEvents.map { $0.token?.text } == ["MARKER-token", nil])
        #expect(incomingEvents.allSatisfy { !String(decoding: $0.event.data, as: UTF8.self).contains("MARKER") })
        #expect(!(try fixture.log.text()).contains("MARKER"))
    }

    @Test func `renders missing members as null`() throws {
        let fixture = try WebhookFixture()
        let body = #"{"ticket_id":1,"token":{"app_id":"shop","user_id":"u"},"comment":{"comment_id":2},"attachments":[{"id":3}]}"#
        #expect(fixture.client.send(.post, WebhookCases.shopPath, body: Array(body.utf8)).status == 200)
        let event = try #require(fixture.store.accepted.first?.event)
        #expect(event.occurredAt == WebhookFixture.time)
        let expected = #"""
            {"ticket_id":1,"device_id":null,"device_type":null,"comment":{"comment_id":2,"body":""},"author":null,\#
            "created_at":"2026-03-10T08:15:12.250Z","attachments":[{"id":3,"name":null,"size":null}]}
            """#
        #expect(String(decoding: event.data, as: UTF8.self) == expected)
    }

    @Test func `accepts an event without notifiers`() throws {
        let fixture = try WebhookFixture()
        let body = WebhookBody.json(token: ["app_id": #""bank""#])
        #expect(fixture.client.send(.post, WebhookCases.bankPath, body: body).status == 200)
        #expect(fixture.store.accepted.map(\.subscriptions.count) == [0])
    }

    @Test func `deduplicates by ticket, comment and device`() throws {
        let fixture = try WebhookFixture()
        func status(_ body: [UInt8]) -> String { fixture.client.send(.post, WebhookCases.shopPath, body: body).text }
        #expect(status(WebhookBody.json()) == WebhookCases.accepted)
        #expect(status(WebhookBody.json()) == #"{"status":"duplicate"}"#)
        #expect(status(WebhookBody.nested()) == #"{"status":"duplicate"}"#)
        #expect(status(WebhookBody.json(["ticket_id": "1"])) == WebhookCases.accepted)
        #expect(status(WebhookBody.json(token: ["device_id": #""device-2""#])) == WebhookCases.accepted)
        #expect(status(WebhookBody.json(comment: ["comment_id": "72"])) == WebhookCases.accepted)
        #expect(fixture.wakeUpCount == 4)
        #expect(fixture.counts() == [#"{app="shop",result="accepted"} 4"#, #"{app="shop",result="duplicate"} 2"#])
    }

    @Test(arguments: [
        (StoreError.Kind.queueFull, "queue_full", "Too many deliveries are pending; try again later.", "30"),
        (.diskFull, "disk_full", "There is no room to store it; try again later.", "60"),
        (.corrupt, "corrupt", "The store is damaged; try again later.", "60"),
        (.unavailable, "unavailable", "It could not be stored; try again.", "5"),
        (.closed, "closed", "The service is stopping; try again.", "1"),
    ])
    func `a store failure has a time to retry`(kind: StoreError.Kind, code: String, message: String, seconds: String) throws {
        let fixture = try WebhookFixture(failure: StoreError(kind, "what operators read"))
        ExchangeCase(
            name: code, status: 503, answer: ExchangeCase.error(code, message), answerHeaders: ["retry-after": seconds]
        ).check(fixture.client.send(.post, WebhookCases.shopPath, headers: ["X-Request-Id": "r1"], body: WebhookBody.json()))
        #expect(fixture.wakeUpCount == (kind == .queueFull ? 1 : 0), "only then a token may have been learned")
        #expect(fixture.counts() == [#"{app="shop",result="unavailable"} 1"#])
        #expect(
            try fixture.log.lines() == [
                #"ERROR webhook result=unavailable reason=\#(kind.rawValue) app=shop detail="what operators read" request_id=r1"#
            ])
    }

    @Test func `accepts the next secret after a reload`() throws {
        let fixture = try WebhookFixture()
        try fixture.reload(shopSecret: 31)
        #expect(fixture.client.send(.post, WebhookCases.shopPath, body: WebhookBody.json()).status == 403)
        #expect(fixture.client.send(.post, "/pyrus/webhook/\(TestSecret.text(31))", body: WebhookBody.json()).status == 200)
        #expect(fixture.store.accepted.map { $0.subscriptions.map(\.notifier) } == [["journal"]])
        #expect(fixture.counts() == [#"{app="",result="denied"} 1"#, #"{app="shop",result="accepted"} 1"#])
    }

    /// Each client has sent all but the last byte, so that all bodies would be in memory at once.
    @Test(arguments: [("/pyrus/webhook/x", ""), ("/pyrus/webhook", "X-Pyrus-Sig: x\r\n")])
    func `receives no unauthenticated body`(path: String, header: String) throws {
        let fixture = try WebhookFixture()
        let body = [UInt8](repeating: UInt8(ascii: "["), count: 900_000)
        // There is room for one of them.
        try fixture.withServer(settings: ServerSettings(threads: 2, bodyMemory: 1 << 20)) { address in
            let clients = try (1...5).map { _ in
                let client = try SocketClient(address)
                try client.send("POST \(path) HTTP/1.1\r\nHost: t\r\n\(header)Content-Length: \(body.count)\r\n\r\n")
                try client.send(body.dropLast())
                return client
            }
            #expect(try SocketClient(address).post(WebhookCases.shopPath, WebhookBody.json()).text == WebhookCases.accepted)
            for client in clients {
                try client.send(body.suffix(1))
                #expect(try client.readResponse().status == 403)
            }
        }
        #expect(fixture.counts().first == #"{app="",result="denied"} 5"#)
    }

    @Test func `requests no unauthenticated body`() throws {
        let fixture = try WebhookFixture()
        try fixture.withServer { address in
            let client = try SocketClient(address)
            try client.send("POST /pyrus/webhook/x HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.readResponse().status == 403)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func `holds no thread while it waits`() throws {
        let fixture = try WebhookFixture()
        fixture.store.hold()
        try fixture.withServer { address in
            let clients = try (1...20).map { number in
                let client = try SocketClient(address)
                let body = WebhookBody.json(comment: ["comment_id": "\(number)"])
                try client.send(
                    Array("POST \(WebhookCases.shopPath) HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
                return client
            }
            #expect(fixture.store.waitForWork(20))
            let other = ExchangeCase(name: "meanwhile", path: "/pyrus/webhook/x", status: 403, answer: WebhookCases.denied)
            other.check(try other.send(to: SocketClient(address)))
            fixture.store.release()
            for client in clients { #expect(try client.readResponse().text == WebhookCases.accepted) }
        }
    }

    @Test func `counts by app and result`() throws {
        let fixture = try WebhookFixture()
        for exchange in try Self.cases.get() { _ = exchange.send(to: fixture.client) }
        #expect(
            fixture.counts() == [
                #"{app="",result="denied"} 32"#, #"{app="",result="malformed"} 2"#, #"{app="bank",result="accepted"} 2"#,
                #"{app="bank",result="denied"} 1"#, #"{app="both",result="accepted"} 1"#, #"{app="shop",result="accepted"} 9"#,
                #"{app="shop",result="denied"} 1"#, #"{app="shop",result="ignored"} 1"#, #"{app="shop",result="malformed"} 3"#,
                #"{app="sign",result="accepted"} 5"#, #"{app="sign",result="denied"} 1"#, #"{app="sign",result="malformed"} 1"#,
            ])
    }

    @Test func `counts and logs a skipped member`() throws {
        let fixture = try WebhookFixture(logLevel: .info)
        let body = WebhookBody.json(
            ["created_at": #""MARKER""#, "attachments": #"[{"id":5,"size":"MARKER"},"MARKER"]"#], comment: ["is_inbound": #""MARKER""#])
        for comment in 1...2 {
            let body = String(decoding: body, as: UTF8.self).replacing(#""comment_id":71"#, with: #""comment_id":\#(comment)"#)
            let response = fixture.client.send(
                .post, WebhookCases.shopPath, headers: ["X-Request-Id": "r\(comment)"], body: Array(body.utf8))
            #expect(response.status == 200)
        }
        let members = ["attachments[]", "attachments[].size", "comment.is_inbound", "created_at"]
        let name = "deskgate_webhook_members_left_out_total{"
        #expect(
            fixture.metricsText().split(separator: "\n").filter { $0.hasPrefix(name) }
                == members.map { #"\#(name)app="shop",member="\#($0)"} 2"# })
        let message = "WARN  a member of a webhook has an unexpected type and was ignored"
        let lines = try fixture.log.lines()
        #expect(lines.sorted() == members.map { "\(message) member=\($0) app=shop request_id=r1" }.sorted())
        #expect(fixture.store.accepted.count == 2)
    }

    @Test func `logs neither secrets nor texts`() throws {
        let fixture = try WebhookFixture()
        try fixture.withServer { address in
            for exchange in try Self.cases.get() { _ = try exchange.send(to: SocketClient(address)) }
            let body = WebhookBody.json(["MARKER": "1"], token: ["token": #""MARKER""#], comment: ["body": #""MARKER""#])
            let said = ExchangeCase(name: "said", path: WebhookCases.shopPath, body: body, status: 200, answer: WebhookCases.accepted)
            said.check(try said.send(to: SocketClient(address)))
        }
        let reported = try fixture.log.text() + fixture.metricsText() + fixture.router.routes.map { "\($0.path)" }.joined()
        for number in 21...27 { #expect(!reported.contains(TestSecret.text(number).prefix(16))) }
        #expect(!reported.contains("MARKER"))
        #expect(!reported.contains("Hello"))
        #expect(reported.contains("/pyrus/webhook/:secret"))
    }

    /// Also when the log level excludes info lines.
    @Test func `logs the reason`() throws {
        let fixture = try WebhookFixture(logLevel: .warning)
        func line(_ start: String, _ refusal: WebhookRefusal, of app: String? = nil) -> String {
            let remedy = refusal.remedy(of: app).english.replacing(#"""#, with: #"\""#)
            return #"WARN  webhook result=\#(start) peer=none remedy="\#(remedy)" request_id=r1"#
        }
        let headers = ["X-Request-Id": "r1"]
        _ = fixture.client.send(.post, "/pyrus/webhook/x", headers: headers, body: WebhookBody.json())
        _ = fixture.client.send(.post, WebhookCases.shopPath, headers: headers, body: WebhookBody.json(token: ["app_id": #""bank""#]))
        _ = fixture.client.send(.post, WebhookCases.shopPath, headers: headers, body: WebhookBody.json(token: ["app_id": #""shp""#]))
        _ = fixture.client.send(.post, WebhookCases.shopPath, headers: headers, body: WebhookBody.json(token: ["user_id": nil]))
        _ = fixture.client.send(.post, WebhookCases.shopPath, headers: headers, body: [])
        _ = fixture.client.send(.post, WebhookCases.bothPath, headers: headers, body: WebhookBody.json(token: ["app_id": #""both""#]))
        let signature = try WebhookFixture.signature(of: [], secret: 24)
        _ = fixture.client.send(.post, WebhookCases.signedPath, headers: headers.merging(signature) { $1 }, body: WebhookBody.json())
        _ = fixture.client.send(.post, WebhookCases.shopPath, headers: headers, body: WebhookBody.json())
        #expect(
            try fixture.log.lines() == [
                line("denied reason=path_secret", .pathSecret), line("denied reason=app app=bank", .app, of: "bank"),
                line("denied reason=app", .app),
                line("malformed reason=anonymous app=shop", .anonymous), line("malformed reason=invalid_json", .malformed),
                line("denied reason=no_signature", .noSignature), line("denied reason=signature", .signature),
            ])
        #expect(
            fixture.metricsText().split(separator: "\n").filter { $0.hasPrefix("deskgate_webhook_refusals_total{") } == [
                #"deskgate_webhook_refusals_total{app="",reason="app"} 1"#,
                #"deskgate_webhook_refusals_total{app="",reason="malformed"} 1"#,
                #"deskgate_webhook_refusals_total{app="",reason="no_signature"} 1"#,
                #"deskgate_webhook_refusals_total{app="",reason="path_secret"} 1"#,
                #"deskgate_webhook_refusals_total{app="",reason="signature"} 1"#,
                #"deskgate_webhook_refusals_total{app="bank",reason="app"} 1"#,
                #"deskgate_webhook_refusals_total{app="shop",reason="anonymous"} 1"#,
            ])
    }
}

extension SocketClient {
    fileprivate func post(_ path: String, _ body: [UInt8]) throws -> ReceivedResponse {
        try send(Array("POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
        return try readResponse()
    }
}
