import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Responses to devices with and without a socket, and the calls that reach the store.
@Suite struct PushTokenRouteTests {
    private static let cases = Result { try PushTokenCases.all() }

    /// By index, because the arguments of tests are printed.
    @Test(arguments: try cases.get().indices)
    func `answers in process`(_ index: Int) throws {
        let exchange = try Self.cases.get()[index]
        let fixture = try PushTokenFixture()
        exchange.check(exchange.send(to: fixture.client))
        #expect(fixture.store.registrations.count == (exchange.status == 200 ? 1 : 0), "\(exchange.name)")
        #expect(fixture.wakeUpCount == (exchange.answer == PushTokenCases.registered ? 1 : 0), "\(exchange.name)")
    }

    @Test func `answers on a socket`() throws {
        for exchange in try Self.cases.get() {
            let fixture = try PushTokenFixture()
            try fixture.withServer { exchange.check(try exchange.send(to: SocketClient($0))) }
        }
    }

    /// A request that authorize denies is denied here with the same body and does not reach the store.
    @Test func `verifies like authorize`() throws {
        let members = #""security_keys":{"longest_life_seconds":7776000}"#
        let fixture = try PushTokenFixture(members: members)
        let missing = ExchangeCase.error(
            "malformed", "instance_id is not as expected: it is missing; give the device's id in instance_id or device_id.")
        var statuses: [Int: Int] = [:]
        for exchange in try AuthorizeCases.all() where exchange.path == "/pyrus/authorize" {
            let isAuthorized = exchange.status == 200
            ExchangeCase(
                name: exchange.name, method: exchange.method, path: PushTokenFixture.path, headers: exchange.headers, body: exchange.body,
                status: isAuthorized ? 400 : exchange.status, answer: isAuthorized ? missing : exchange.answer,
                answerHeaders: exchange.answerHeaders
            ).check(fixture.client.send(exchange.method, PushTokenFixture.path, headers: exchange.headers, body: exchange.body))
            statuses[exchange.status, default: 0] += 1
        }
        #expect(statuses[400] ?? 0 > 60 && statuses[403] ?? 0 == 8 && statuses[200] ?? 0 > 15)
        #expect(fixture.store.registrations.isEmpty)
    }

    @Test func `passes registrations and sign-outs to the store`() throws {
        let fixture = try PushTokenFixture()
        for body in try [PushTokenCases.kit(["device_id": "null"]), PushTokenCases.kit(["token": "null", "type": "null"])] {
            #expect(fixture.send(body).status == 200)
        }
        let payloads = fixture.store.registrations
        let key = Device.Key(appID: "shop", userID: "user-1", deviceID: "6E1D3B2A-0C55-4C57-9C0B-8F6A8E1F0A11")
        #expect(payloads.map(\.key) == [key, key])
        #expect(payloads.map { $0.token?.text } == [PushTokenCases.iosToken, nil])
        #expect(payloads.map(\.type) == ["ios", ""])
        #expect(payloads.map(\.now) == [PushTokenFixture.start, PushTokenFixture.start])
        let rules = [
            LimitRule(per: .user, max: 1, windowMilliseconds: 300_000), LimitRule(per: .device, max: 5, windowMilliseconds: 300_000),
        ]
        #expect(payloads.map(\.rules) == [rules, rules], "what the help desk asks of apps, unless the configuration says otherwise")
        let claims = KeyClaims(KeyIdentity(keyID: 1, issuedAt: TestTime.now, salt: [UInt8](repeating: 7, count: 16)))
        #expect(payloads.map(\.claims) == [claims, claims])
    }

    /// The cached revocations are stale: another replica has just blocked the user.
    @Test func `denies a user whom only the store has as blocked`() throws {
        let fixture = try PushTokenFixture()
        try fixture.store.revoke(.sample(1, appID: "shop", .user("user-1")))
        ExchangeCase(name: "blocked", status: 403, answer: ExchangeCase.error("denied", "This user may not use the chat."))
            .check(fixture.send(try PushTokenCases.kit(), headers: ["X-Request-Id": "r1"]))
        #expect(fixture.store.registrations.count == 1, "it came to the store")
        #expect(fixture.wakeUpCount == 0)
        #expect(fixture.counts() == [#"{app="shop",result="denied"} 1"#])
        let person = try fixture.configuration.makeAuthorizer()
            .userReference(appID: Array("shop".utf8).span, userID: Array("user-1".utf8).span)
        #expect(
            try fixture.log.lines() == [
                "INFO  push token result=denied reason=revoked app=shop key_id=1 user_ref=\(try #require(person)) request_id=r1"
            ])
    }

    @Test func `reports the time to wait`() throws {
        let fixture = try PushTokenFixture()
        let body = try PushTokenCases.kit()
        #expect(fixture.send(body).text == PushTokenCases.registered)
        for (elapsed, seconds) in [(0, 300), (1, 300), (999, 300), (1000, 299), (299_000, 1), (299_999, 1)] as [(UInt64, Int)] {
            fixture.wait(until: elapsed)
            let answer = #"""
                {"error":"too_many_requests","message":"At most 1 in 300 seconds per user; wait \#(seconds) seconds.",\#
                "retry_after":\#(seconds),"limit":{"per":"user","max":1,"window_seconds":300}}
                """#
            ExchangeCase(name: "\(elapsed)", status: 429, answer: answer, answerHeaders: ["retry-after": "\(seconds)"])
                .check(fixture.send(body))
        }
        fixture.wait(until: 300_000)
        #expect(fixture.send(body).text == PushTokenCases.unchanged)
        #expect(fixture.wakeUpCount == 1)
        #expect(fixture.send(try PushTokenCases.kit(["token": "null"])).text == PushTokenCases.removed, "which nobody has to wait for")
        #expect(fixture.wakeUpCount == 2)
        #expect(
            fixture.counts() == [
                #"{app="shop",result="limited"} 6"#, #"{app="shop",result="registered"} 1"#, #"{app="shop",result="removed"} 1"#,
                #"{app="shop",result="unchanged"} 1"#,
            ])
    }

    @Test func `a registration beyond a limit is logged with the limit`() throws {
        let fixture = try PushTokenFixture(members: #""push_tokens":{"limits":[{"per":"device","max":1,"window_seconds":300}]}"#)
        let body = try PushTokenCases.kit()
        for expected in [200, 429] { #expect(fixture.send(body, headers: ["X-Request-Id": "r1"]).status == expected) }
        let person = try fixture.configuration.makeAuthorizer()
            .userReference(appID: Array("shop".utf8).span, userID: Array("user-1".utf8).span)
        let next = RFC3339.text(PushTokenFixture.start + 300_000)
        #expect(
            try fixture.log.lines() == [
                "INFO  push token result=limited reason=limit_device next_at=\(next) app=shop key_id=1 "
                    + "user_ref=\(try #require(person)) request_id=r1"
            ])
    }

    @Test func `follows the configured limits`() throws {
        let limits = #""push_tokens":{"limits":[{"per":"device","max":2,"window_seconds":1},{"per":"service","max":2,"window_seconds":5}]}"#
        let fixture = try PushTokenFixture(members: limits)
        for token in ["a", "b"] { #expect(fixture.send(try PushTokenCases.kit(token: token)).text == PushTokenCases.registered) }
        let answer = #"""
            {"error":"too_many_requests","message":"At most 2 in 5 seconds per service; wait 5 seconds.","retry_after":5,\#
            "limit":{"per":"service","max":2,"window_seconds":5}}
            """#
        #expect(fixture.send(try PushTokenCases.kit(token: "c")).text == answer)
        let unlimited = try PushTokenFixture(members: #""push_tokens":{"limits":[]}"#)
        for token in ["a", "b", "c"] { #expect(unlimited.send(try PushTokenCases.kit(token: token)).text == PushTokenCases.registered) }
    }

    @Test(arguments: [
        (StoreError.Kind.queueFull, "queue_full", "Too many deliveries are pending; try again later.", "30"),
        (.diskFull, "disk_full", "There is no room to store it; try again later.", "60"),
        (.corrupt, "corrupt", "The store is damaged; try again later.", "60"),
        (.unavailable, "unavailable", "It could not be stored; try again.", "5"),
        (.closed, "closed", "The service is stopping; try again.", "1"),
    ])
    func `a store failure has a time to retry`(kind: StoreError.Kind, code: String, message: String, seconds: String) throws {
        let fixture = try PushTokenFixture(failure: StoreError(kind, "what operators read"))
        ExchangeCase(
            name: code, status: 503, answer: ExchangeCase.error(code, message), answerHeaders: ["retry-after": seconds]
        ).check(fixture.send(try PushTokenCases.kit(), headers: ["X-Request-Id": "r1"]))
        #expect(fixture.wakeUpCount == 0)
        #expect(fixture.counts() == [#"{app="shop",result="unavailable"} 1"#])
        #expect(
            try fixture.log.lines() == [
                #"ERROR push token result=unavailable reason=\#(kind.rawValue) app=shop detail="what operators read" request_id=r1"#
            ])
    }

    @Test func `logs and counts the reason`() throws {
        let fixture = try PushTokenFixture()
        let headers = ["X-Request-Id": "r1"]
        let bodies = try [
            PushTokenCases.kit(["security_key": "\"\(TestKey(secret: 9).text())\""]), PushTokenCases.kit(["app_id": #""MARKER""#]),
            PushTokenCases.kit(["security_key": #""MARKER""#]), PushTokenCases.kit(["type": #""MARKER\n""#]), Array("{MARKER".utf8),
            PushTokenCases.kit(),
        ]
        for body in bodies { _ = fixture.send(body, headers: headers) }
        let authorizer = try fixture.configuration.makeAuthorizer()
        let (shop, stranger, user) = (Array("shop".utf8), Array("MARKER".utf8), Array("user-1".utf8))
        let person = authorizer.userReference(appID: shop.span, userID: user.span) ?? ""
        let app = authorizer.appReference(appID: stranger.span) ?? ""
        let other = authorizer.userReference(appID: stranger.span, userID: user.span) ?? ""
        #expect(
            try fixture.log.lines() == [
                "INFO  push token result=denied reason=wrong_mac app=shop key_id=1 user_ref=\(person) request_id=r1",
                "INFO  push token result=denied reason=unknown_app app_ref=\(app) key_id=1 user_ref=\(other) request_id=r1",
                "INFO  push token result=malformed reason=not_a_security_key app=shop field=security_key request_id=r1",
                "INFO  push token result=malformed reason=bad_type app=shop request_id=r1",
                "INFO  push token result=malformed reason=invalid_json request_id=r1",
            ])
        #expect(
            fixture.counts() == [
                #"{app="",result="denied"} 1"#, #"{app="",result="malformed"} 1"#, #"{app="shop",result="denied"} 1"#,
                #"{app="shop",result="malformed"} 2"#, #"{app="shop",result="registered"} 1"#,
            ])
    }

    @Test func `does not log the content of a request`() throws {
        let fixture = try PushTokenFixture()
        let key = try TestKey().text()
        for exchange in try Self.cases.get() {
            let answer = exchange.send(to: fixture.client).text
            #expect(!answer.contains("MARK") && !answer.contains(key), "\(exchange.name)")
        }
        let reported = try fixture.log.text() + fixture.metricsText()
        #expect(!reported.contains("MARK"))
        #expect(!reported.contains("dgk1."))
        #expect(!reported.contains("6E1D3B2A"))
    }
}
