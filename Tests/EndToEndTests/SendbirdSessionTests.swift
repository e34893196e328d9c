import Glibc
import JSON
import TestSupport
import Testing

/// Session tokens of Sendbird, with the real program.
@Suite struct SendbirdSessionTests {
    private static let user = "somebody"

    private static func changes(_ sendbird: ScriptedServer, desk: ScriptedServer? = nil) -> JSONObject {
        [
            "notifiers": ["sendbird": ["type": "sendbird"]],
            "apps": [
                [
                    "app_id": .string(Workspace.app), "help_desk": "sendbird", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
                    "sendbird": [
                        "chat_token": ["file": "chat-token"], "desk_token": ["file": "desk-token"],
                        "chat_url": .string("http://127.0.0.1:\(sendbird.port)"),
                        "desk_url": .string("http://127.0.0.1:\((desk ?? sendbird).port)"), "session_tokens": [:],
                    ],
                    "notifiers": ["sendbird"],
                ]
            ],
        ]
    }

    @Test func checkHasTheTokensJudged() throws {
        let (chat, desk) = (try ScriptedServer(.everyRequest(.respond(200, body: "{}"))), try ScriptedServer(.everyRequest(.respond(403))))
        defer { for server in [chat, desk] { server.stop() } }
        let workspace = try Workspace()
        for name in ["chat-token", "desk-token"] { try workspace.write(name, "\(Markers.prefix)-\(name)-0123456789", mode: 0o600) }
        try workspace.configure(Self.changes(chat, desk: desk))
        let result = try Deskgate.run("check", "--live", "--json", "--config", workspace.configuration)
        #expect(result.code == 2 && !result.output.contains(Markers.prefix))
        let found = try #require(try jsonObject(result.output)["credentials"]).elements.filter { $0["app"] != nil }
        #expect(found.map { $0["credential"]?.text } == ["chat_token", "desk_token"])
        #expect(found.map { $0["status"]?.text } == ["good", "bad"])
        #expect(found[1]["remedy"]?.text?.contains("apps[].sendbird.desk_token") == true)
        #expect(chat.requests.map { "\($0.method) \($0.target)" } == ["GET /v3/applications/settings/webhook"])
        #expect(desk.requests.map { "\($0.method) \($0.target)" } == ["GET /platform/v1/tickets?limit=1"])
        #expect(desk.requests.first?.header("SENDBIRDDESKAPITOKEN") == "\(Markers.prefix)-desk-token-0123456789")
        desk.stop()
        #expect(try Deskgate.run("check", "--live", "--config", workspace.configuration).code == 1)
    }

    private func session(_ server: RunningServer, _ key: String) throws -> ReceivedResponse {
        let client = try SocketClient(server.publicAddress)
        let body = #"{"app_id":"\#(Workspace.app)","user_id":"\#(Self.user)","security_key":"\#(key)"}"#
        try client.send(
            "POST /sendbird/session-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    private func block(_ server: RunningServer) throws -> ReceivedResponse {
        let client = try SocketClient(server.adminAddress)
        let body = #"{"app_id":"\#(Workspace.app)","user_id":"\#(Self.user)"}"#
        try client.send(
            "POST /v1/users/block HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Markers.adminToken)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    /// Sendbird is away when a user is blocked, and the service is killed; all the same the user's tokens end.
    @Test func aBlockEndsTokensEvenAfterAKill() throws {
        let sendbird = try ScriptedServer(
            .requests([[.respond(200, body: #"{"token":"\#(Markers.prefix)-session"}"#)], [.respond(503)]]))
        let later = try ScriptedServer(.everyRequest(.respond(200)))
        defer { for server in [sendbird, later] { server.stop() } }
        let workspace = try Workspace()
        for name in ["chat-token", "desk-token"] { try workspace.write(name, "\(Markers.prefix)-\(name)-0123456789", mode: 0o600) }
        try workspace.configure(Self.changes(sendbird))
        var server = try RunningServer(workspace)
        let key = try workspace.key(user: Self.user)
        #expect(try session(server, key).status == 200)
        #expect(try block(server).status == 200)
        #expect(try session(server, key).status == 403)
        try #require(sendbird.waitForRequests(2))
        #expect(sendbird.requests[1].method == "DELETE")
        #expect(try server.stop(SIGKILL) == .signal(SIGKILL))
        try workspace.configure(Self.changes(later))
        server = try RunningServer(workspace)
        try #require(later.waitForRequests(1))
        #expect(later.requests[0].method == "DELETE" && later.requests[0].target == "/v3/users/\(Self.user)/token")
        #expect(try session(server, key).status == 403)
        #expect(try server.stop() == .exit(0))
        #expect(try !server.process.errors.text().contains(Markers.prefix))
    }
}
