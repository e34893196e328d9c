import Glibc
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// Session tokens and push tokens at Sendbird, with the real program.
@Suite struct SendbirdSessionTests {
    private let site: SendbirdSite

    init() throws {
        site = try SendbirdSite()
    }

    private var sessions: [String] { site.chat.sessions(of: SendbirdSite.user) }

    private func token(_ response: ReceivedResponse) throws -> String {
        #expect(response.status == 200)
        #expect(response.headers["cache-control"] == "no-store")
        return try jsonObject(response.text).string("session_token") ?? ""
    }

    @Test func `a token is cached until a block`() throws {
        let server = try RunningServer(site.workspace)
        let first = try token(site.call(server, path: "session-token"))
        #expect(sessions == [first], "the user was made first")
        #expect(try token(site.call(server, path: "session-token")) == first)
        #expect(sessions == [first])
        #expect(try token(site.call(server, path: "session-token", user: "customer-2")) != first)
        #expect(try site.operate(server, "/v1/users/block") == 200)
        #expect(try site.call(server, path: "session-token").status == 403)
        #expect(eventually { sessions.isEmpty })
        #expect(site.chat.sessions(of: "customer-2").count == 1)
        func count(_ result: String) throws -> Int {
            try PushSite.value(of: #"deskgate_session_token_requests_total{app="APP-1",result="\#(result)"}"#, server) ?? 0
        }
        #expect(try count("issued") == 2)
        #expect(try count("kept") == 1)
        try site.end(server, hiding: [first])
    }

    /// Sendbird is unavailable when a user is blocked, and the service is killed; the user's tokens still end.
    @Test func `a block ends tokens even after a kill`() throws {
        var server = try RunningServer(site.workspace)
        _ = try token(site.call(server, path: "session-token"))
        site.sendbird.faults.add(Fault(.answer(Fault.Answer(503)), at: .sendbirdChat, token: "end_sessions", times: nil))
        #expect(try site.operate(server, "/v1/users/block") == 200)
        #expect(
            eventually {
                let shown = try? PushSite.get(server.adminAddress, "/v1/deliveries?notifier=sendbird")
                return shown?.contains("status_503") == true
            })
        #expect(try server.stop(SIGKILL) == .signal(SIGKILL))
        #expect(sessions.count == 1)
        site.sendbird.faults.removeAll()
        server = try RunningServer(site.workspace)
        #expect(eventually { sessions.isEmpty })
        #expect(try site.call(server, path: "session-token").status == 403)
        try site.end(server)
    }

    @Test func `push tokens at Sendbird match the registry`() throws {
        let server = try RunningServer(site.workspace)
        func tokens() -> [String] { site.chat.pushTokens(of: SendbirdSite.user, "apns") }
        let later = String(repeating: "0b", count: 32)
        #expect(try site.register(server) == #"{"status":"registered"}"#)
        #expect(eventually { tokens() == [PushSite.token] }, "the user was made first")
        #expect(try site.register(server, token: later) == #"{"status":"registered"}"#)
        #expect(eventually { tokens() == [later] }, "the former one is not used any more")
        #expect(try site.register(server, token: nil) == #"{"status":"removed"}"#)
        #expect(eventually { tokens().isEmpty })
        try site.end(server, hiding: [later])
    }

    @Test func `check tests the tokens`() throws {
        let good = try Deskgate.run("check", "--live", "--json", "--config", site.workspace.configuration)
        #expect(try Self.evaluated(good).map { $0["status"]?.text } == ["good", "good"])
        #expect(good.code == 0)
        let wrong = try SendbirdSite(["desk_token": ["file": "other-secret"]])
        let result = try Deskgate.run("check", "--live", "--json", "--config", wrong.workspace.configuration)
        let found = try Self.evaluated(result)
        #expect(result.code == 2)
        #expect(found.map { $0["credential"]?.text } == ["chat_token", "desk_token"])
        #expect(found.map { $0["status"]?.text } == ["good", "bad"])
        #expect(found[1]["remedy"]?.text?.contains("apps[].sendbird.desk_token") == true)
        #expect(!result.output.contains(wrong.chat.token))
        site.sendbird.faults.add(Fault(.answer(Fault.Answer(503)), at: .sendbirdDesk, times: nil))
        #expect(try Deskgate.run("check", "--live", "--config", site.workspace.configuration).code == 1)
    }

    private static func evaluated(_ result: Deskgate.Result) throws -> [JSONValue] {
        try #require(try result.json["credentials"]).elements.filter { $0["app"] != nil }
    }
}
