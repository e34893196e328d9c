import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

/// The simulated Sendbird Chat, through its Platform API.
@Suite struct SimulatedChatTests {
    private static let start: UnixMilliseconds = 1_800_000_000_000

    private func with(
        _ change: (inout SimulatedChatSettings) -> Void = { _ in }, faults: FaultScript = FaultScript(),
        _ body: (ChatCaller) throws -> Void
    ) throws {
        var settings = SimulatedSendbirdSettings()
        settings.chat.now = { Self.start }
        change(&settings.chat)
        let sendbird = try SimulatedSendbird(settings, faults: faults)
        defer { sendbird.stop() }
        let client = try Client()
        defer { client.close() }
        try body(ChatCaller(sendbird: sendbird, client: client))
    }

    @Test func `issues and revokes session tokens`() throws {
        try with { chat throws in
            let path = "v3/users/a%2Fb/token"
            #expect(try chat.code(.post, path: path, body: [:]) == "400 400201")
            #expect(try chat.code(.delete, path: path) == "400 400201")
            let user: JSONObject = ["user_id": "a/b", "nickname": "", "profile_url": ""]
            #expect(try chat.call(.post, path: "v3/users", body: user)["user_id"] == "a/b")
            #expect(try chat.code(.post, path: "v3/users", body: user) == "400 400202")
            #expect(try chat.call(.get, path: "v3/users/a%2Fb")["nickname"] == "")
            #expect(try chat.call(.put, path: "v3/users/a%2Fb", body: ["nickname": "Mary"])["nickname"] == "Mary")
            #expect(try chat.call(.put, path: "v3/users/a%2Fb", body: [:])["nickname"] == "Mary")
            #expect(try chat.code(.put, path: "v3/users/nobody", body: ["nickname": "Mary"]) == "400 400201")
            let long = JSONValue.string(String(repeating: "a", count: 81))
            #expect(try chat.code(.put, path: "v3/users/a%2Fb", body: ["nickname": long]) == "400 400110")
            let usual = try chat.call(.post, path: path, body: [:])
            #expect(usual["expires_at"] == .integer(1_800_000_000_000 + 7 * 86_400_000))
            let short = try chat.call(.post, path: path, body: ["expires_at": 1_800_000_060_000])
            #expect(short["expires_at"] == 1_800_000_060_000)
            #expect(short["token"] != usual["token"])
            #expect(chat.chat.sessions(of: "a/b") == [usual["token"]?.text, short["token"]?.text])
            for wrong in [1_800_000_000_000, "1800000060000", .null] as [JSONValue] {
                #expect(try chat.code(.post, path: path, body: ["expires_at": wrong]) == "400 400111")
            }
            let end = try chat.send(.delete, path: path)
            #expect(end.status == 200)
            #expect(end.body.isEmpty)
            #expect(chat.chat.sessions(of: "a/b") == [])
        }
    }

    @Test func `stores push tokens of each service`() throws {
        try with { chat throws in
            chat.chat.meet("user-1")
            for (service, member) in [("apns", "apns_device_token"), ("gcm", "gcm_reg_token"), ("huawei", "huawei_device_token")] {
                let path = "v3/users/user-1/push/\(service)"
                #expect(try chat.code(.post, path: path, body: ["token": "t"]) == "400 400105")
                for token in ["t/1", "t2", "t2"] { _ = try chat.call(.post, path: path, body: [member: .string(token)]) }
                #expect(try chat.call(.get, path: path)["tokens"] == ["t/1", "t2"])
                #expect(try chat.call(.delete, path: "\(path)/t%2F1")["token"] == "t/1")
                #expect(try chat.code(.delete, path: "\(path)/t%2F1") == "400 400201")
                #expect(chat.chat.pushTokens(of: "user-1", service) == ["t2"])
            }
            for number in 3...22 {
                _ = try chat.call(.post, path: "v3/users/user-1/push/gcm", body: ["gcm_reg_token": .string("t\(number)")])
            }
            #expect(chat.chat.pushTokens(of: "user-1", "gcm").count == 20, "the oldest goes")
            #expect(try chat.code(.post, path: "v3/users/user-1/push/fcm", body: ["gcm_reg_token": "t"]) == "400 400111")
            #expect(try chat.code(.post, path: "v3/users/nobody/push/gcm", body: ["gcm_reg_token": "t"]) == "400 400201")
        }
    }

    @Test func `validates strictly`() throws {
        try with { chat throws in
            #expect(try chat.code(.get, path: "v3/applications/settings/webhook", token: "wrong") == "400 400401")
            #expect(try chat.call(.get, path: "v3/applications/settings/webhook")["webhook"]?["enabled"] == false)
            #expect(try chat.code(.post, path: "v3/users", body: ["user_id": "user-1"]) == "400 400105")
            let long: JSONObject = ["user_id": .string(String(repeating: "u", count: 81)), "nickname": "", "profile_url": ""]
            #expect(try chat.code(.post, path: "v3/users", body: long) == "400 400110")
            #expect(try chat.code(.get, path: "v3/users") == "405 400201")
            #expect(try chat.code(.get, path: "v3/nothing/at/all") == "404 400201")
        }
    }

    @Test func `limits requests of each kind`() throws {
        let now = Monitor(Self.start)
        try with({
            $0.requestsPerSecond = 2
            $0.now = { now.withLock { $0 } }
        }) { chat throws in
            for _ in 0..<2 { #expect(try chat.code(.post, path: "v3/users/nobody/token", body: [:]) == "400 400201") }
            let refused = try chat.send(.post, path: "v3/users/nobody/token", body: [:])
            #expect(refused.status == 429)
            #expect(refused.header("X-RateLimit-RetryAfter") == "1")
            #expect(JSONValue(parsing: refused.body)?["code"] == 500910)
            #expect(try chat.code(.get, path: "v3/users/nobody") == "400 400201", "another kind")
            now.update { $0 += 1000 }
            #expect(try chat.code(.post, path: "v3/users/nobody/token", body: [:]) == "400 400201")
        }
    }

    @Test func `fails as scripted`() throws {
        let faults = FaultScript()
        let script = """
            {"faults":[{"provider":"sendbird-chat","match":{"token":"issue_session_token"},"answer":{"status":429,"retry_after":3}},
             {"provider":"sendbird-chat","match":{"token":"view_user"},"answer":{"status":400,"reason":"400108"}}]}
            """
        try FaultReader.read(script: Array(script.utf8), into: faults, DeviceRegistry())
        try with(faults: faults) { chat throws in
            let response = try chat.send(.post, path: "v3/users/user-1/token", body: [:])
            #expect(response.status == 429)
            #expect(response.header("X-RateLimit-RetryAfter") == "3")
            #expect(try chat.code(.post, path: "v3/users/user-1/token", body: [:]) == "400 400201")
            #expect(try chat.code(.get, path: "v3/users/user-1") == "400 400108")
        }
    }
}
