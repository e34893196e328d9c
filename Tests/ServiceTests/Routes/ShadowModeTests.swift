import Core
import HTTPServer
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// `apps[].shadow_until`: until then, requests that would be denied are allowed and counted.
@Suite struct ShadowModeTests {
    private static let end = TestTime.now + 1000
    private let directory: ConfigurationDirectory
    private let log: TestLog
    private let graph: ServiceGraph
    private let now = Monitor(TestTime.now)

    /// The apps `shop`, in shadow mode, and `bank`, which is not.
    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["HOOK"] = TestSecret.text(7)
        log = try TestLog(in: directory.scratch, level: .info)
        let configuration = try directory.configuration(Self.json(shadow: #""shadow_until":\#(Self.end),"#))
        graph = try ServiceGraph(
            configuration, logger: log.logger, clocks: Clocks(unixSeconds: { [now] in now.withLock { $0 } }, monotonicNanoseconds: { 0 }))
    }

    private static func json(shadow: String) -> String {
        """
        {"apps":[{"app_id":"shop",\(shadow)"webhook":{"secret":{"env":"HOOK"}},"keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]},
                 {"app_id":"bank","keys":[{"id":2,"secret":{"file":"secrets/app-2.key"}}]}],
         "admin":{"token":{"file":"secrets/admin-token"}},"security_keys":{"longest_life_seconds":7776000}}
        """
    }

    private func authorize(_ changes: [String: String?]) throws -> ReceivedResponse {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try AuthorizeCases.json(changes))
    }

    /// Keys that are denied for each reason possible in an app of the configuration.
    private static func denied() throws -> [(reason: String, keyID: String, key: TestKey)] {
        let now = TestTime.now
        return [
            ("wrong_mac", "1", TestKey(secret: 9)), ("unknown_key", "", TestKey(keyID: 3, secret: 3)),
            ("issued_in_future", "1", TestKey(issuedAt: now + 61)), ("expired", "1", TestKey(issuedAt: now - 100, expiresAt: now - 61)),
            ("too_old", "1", TestKey(issuedAt: now - 7_776_061)),
        ]
    }

    private func counts() -> [String] {
        let metric = "deskgate_authorize_requests_total"
        return InProcessClient(graph.adminRouter).send(.get, "/metrics").text.split(separator: "\n")
            .filter { $0.hasPrefix(metric) && !$0.hasSuffix(" 0") }.map { String($0.dropFirst(metric.count)) }
    }

    @Test func `allows and counts requests that would be denied`() throws {
        for (reason, keyID, key) in try Self.denied() {
            let response = try authorize(["security_key": "\"\(key.text())\""])
            #expect(response.status == 200, "\(reason)")
            #expect(response.text == AuthorizeCases.authorized)
            #expect(counts().contains(#"{app="shop",result="shadowed",reason="\#(reason)",key_id="\#(keyID)"} 1"#))
        }
        #expect(counts().count == 5, "nothing else is counted")
        let lines = try log.lines()
        for (reason, _, _) in try Self.denied() {
            #expect(lines.contains { $0.hasPrefix("INFO  authorize result=shadowed reason=\(reason) app=shop key_id=") })
        }
    }

    @Test func `does not change other responses`() throws {
        let key = try TestKey().text()
        #expect(try authorize([:]).status == 200)
        #expect(try authorize(["user_id": "\"\""]).status == 400)
        #expect(try authorize(["security_key": "\"x\""]).status == 400)
        // An app without the mode, and an unknown app.
        #expect(try authorize(["app_id": #""bank""#]).status == 403)
        #expect(try authorize(["app_id": #""stop""#, "security_key": "\"\(key)\""]).status == 403)
        #expect(!counts().contains { $0.contains("shadowed") })
        #expect(counts().contains(#"{app="shop",result="authorized",reason="valid",key_id="1"} 1"#))
        #expect(counts().contains(#"{app="",result="denied",reason="unknown_app",key_id=""} 1"#))
    }

    @Test func `ends at its time`() throws {
        let key = try TestKey(secret: 9).text()
        func status() throws -> Int { try authorize(["security_key": "\"\(key)\""]).status }
        now.update { $0 = Self.end - 1 }
        #expect(try status() == 200)
        now.update { $0 = Self.end }
        #expect(try status() == 403)
        now.update { $0 = SecurityKey.latestTime }
        #expect(try status() == 403)
        #expect(counts().contains(#"{app="shop",result="denied",reason="wrong_mac",key_id="1"} 2"#))
    }

    /// Revocations, and the status of requests with each key while the app is in shadow mode.
    @Test(
        arguments: [
            ("blocked", "/v1/users/block", #""user_id":"user-1""#, 403, 403),
            ("signed out", "/v1/users/sign-out", #""user_id":"user-1""#, 200, 200),
            ("forgotten", "/v1/users/forget", #""user_id":"user-1""#, 403, 403),
            ("another is blocked", "/v1/users/block", #""user_id":"user-2""#, 200, 200),
            ("a key id is revoked", "/v1/revocations", #""key_id":1"#, 200, 200),
            ("all are revoked", "/v1/revocations", #""issued_before":\#(TestTime.now.rawValue + 1)"#, 200, 200),
        ] as [(String, String, String, Int, Int)])
    func `allows no blocked user`(_ name: String, path: String, member: String, genuine: Int, wrong: Int) throws {
        let done = InProcessClient(graph.adminRouter).send(
            .post, path, headers: AdminCases.authorization, body: Array(#"{"app_id":"shop",\#(member)}"#.utf8))
        #expect((200...201).contains(done.status), "\(done.text)")
        #expect(try authorize([:]).status == genuine, "\(name), with a genuine key")
        for (reason, _, key) in try Self.denied() {
            #expect(try authorize(["security_key": "\"\(key.text())\""]).status == wrong, "\(name), \(reason)")
        }
        // The mode requires no valid key, so another user's id is not authenticated.
        #expect(try authorize(["user_id": #""user-3""#]).status == 200)
    }

    /// A block that was removed, or one of another app, denies no user.
    @Test func `allows users who are no longer blocked`() throws {
        func change(_ path: String, _ app: String) {
            let body = Array(#"{"app_id":"\#(app)","user_id":"user-1"}"#.utf8)
            let done = InProcessClient(graph.adminRouter).send(.post, path, headers: AdminCases.authorization, body: body)
            #expect(done.status == 200, "\(done.text)")
        }
        let key = try TestKey(secret: 9).text()
        func status() throws -> Int { try authorize(["security_key": "\"\(key)\""]).status }
        change("/v1/users/block", "bank")
        #expect(try status() == 200)
        change("/v1/users/block", "shop")
        #expect(try status() == 403)
        #expect(counts().contains(#"{app="shop",result="denied",reason="wrong_mac",key_id="1"} 1"#))
        change("/v1/users/unblock", "shop")
        #expect(try status() == 200)
    }

    /// A client without a key must not register a phone for another person's messages.
    @Test func `registers no device`() throws {
        for (_, _, key) in try Self.denied() {
            let body = try AuthorizeCases.json(
                ["security_key": "\"\(key.text())\""], extra: #","instance_id":"phone-1","token":"abc","type":"ios""#)
            for secret in [body, try AuthorizeCases.json(["security_key": "\"\(key.text())\""], extra: #","instance_id":"phone-1""#)] {
                #expect(InProcessClient(graph.publicRouter).send(.post, "/pyrus/push-token", body: secret).status == 403)
            }
        }
        #expect(try graph.store.devices(DeviceFilter(appID: "shop", userID: nil, deviceID: nil), after: nil, limit: 10).isEmpty)
    }

    /// The authentication of a webhook is independent of security keys, and is still required.
    @Test func `accepts no unauthenticated webhook`() throws {
        for path in ["/pyrus/webhook", "/pyrus/webhook/\(TestSecret.text(8))"] {
            #expect(InProcessClient(graph.publicRouter).send(.post, path, body: Array("{}".utf8)).status == 403)
        }
    }

    @Test func `has its series only if it is configured`() {
        let text = InProcessClient(graph.adminRouter).send(.get, "/metrics").text
        #expect(text.contains(#"{app="shop",result="shadowed",reason="wrong_mac",key_id="1"} 0"#))
        #expect(!text.contains(#"{app="bank",result="shadowed""#))
    }

    @Test func `is reported while it is enabled`() throws {
        let configuration = try directory.configuration(Self.json(shadow: #""shadow_until":\#(Self.end),"#))
        let time = "2026-03-10T08:31:52.000Z"
        func warnings(_ now: UnixSeconds) -> [String] {
            configuration.warnings(now: now).map { "\($0)" }.filter { $0.hasPrefix("$.apps[0].shadow_until") }
        }
        #expect(
            warnings(Self.end - 1) == [
                "$.apps[0].shadow_until: until \(time) everybody may use the chat of this app, under each user id that is not blocked or "
                    + "forgotten: denials are answered 200; remove it to deny again"
            ])
        #expect(warnings(Self.end) == ["$.apps[0].shadow_until: ended at \(time) and has no effect; remove it"])
        let status = InProcessClient(graph.adminRouter).send(.get, "/v1/status", headers: AdminCases.authorization)
        #expect(status.text.contains(#""warnings":[{"path":"$.apps[0].shadow_until","message":"until \#(time) everybody "#))
    }

    @Test(arguments: [
        ("true", "expected an integer from 1 to 1099511627775, found true or false"),
        ("null", "expected an integer from 1 to 1099511627775, found null"),
        ("0", "expected an integer from 1 to 1099511627775, found 0"),
        (
            #""2026-04-01""#,
            "expected an integer from 1 to 1099511627775, found a string; give seconds since 1970, as date -u -d DATE +%s prints them"
        ),
        (
            "1773130512000",
            "expected an integer from 1 to 1099511627775, found 1773130512000; if that is in milliseconds, give 1773130512"
        ),
        (
            "\(TestTime.now + 90 * 86_400 + 1)",
            "expected at most \(TestTime.now + 90 * 86_400), 90 days from now, found \(TestTime.now + 90 * 86_400 + 1): until then "
                + "everybody may use the chat, so the mode must end by itself if it is forgotten; give an earlier date in seconds "
                + "since 1970"
        ),
    ])
    func `needs a date in the near future`(value: String, problem: String) throws {
        #expect(try directory.problems(Self.json(shadow: #""shadow_until":\#(value),"#)) == ["$.apps[0].shadow_until: \(problem)"])
    }

    @Test(arguments: [1, TestTime.now.rawValue, TestTime.now.rawValue + 90 * 86_400]) func `accepts other dates`(_ date: UInt64) throws {
        #expect(try directory.problems(Self.json(shadow: #""shadow_until":\#(date),"#)) == [])
    }
}
