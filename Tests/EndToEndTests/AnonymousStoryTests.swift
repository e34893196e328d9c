import JSON
import TestSupport
import Testing

/// A chat in anonymous mode, with the complete program.
@Suite struct AnonymousStoryTests {
    private static let body: JSONValue = [
        "ticket_id": 17, "created_at": "2026-03-10T08:15:12Z", "token": ["app_id": .string(Workspace.app), "device_id": "device-1"],
        "comment": ["comment_id": 1, "body": "Hello"],
    ]

    private func site(_ sink: ScriptedServer, anonymous: String, database: PostgresServer? = nil) throws -> WebhookSite {
        guard case .object(var app) = WebhookSite.app(notifiers: ["log", "sink"]) else { throw ChildProcess.Failure.missingOutput }
        app.append(.string(anonymous), forKey: "anonymous")
        var members: JSONObject = ["apps": [.object(app)]]
        if database != nil { members.append(["type": "postgres", "url": ["file": "database-url"]], forKey: "store") }
        let site = try WebhookSite(sink, members)
        if let database { try site.workspace.write("database-url", database.url(), mode: 0o600) }
        return site
    }

    @Test(arguments: [false, true])
    func `an anonymous comment reaches the backend, and explain shows why no phone was notified`(_ isPostgres: Bool) throws {
        let database = isPostgres ? try PostgresServer() : nil
        defer { withExtendedLifetime(database) {} }
        let sink = try ScriptedServer(.requests([[.respond(200)]]))
        defer { sink.stop() }
        let site = try site(sink, anonymous: "accept", database: database)
        let server = try site.start()
        #expect(try WebhookSite.send(Self.body.serialized(), SocketClient(server.publicAddress)).status == 200)
        #expect(sink.waitForRequests(1))
        let event = try jsonObject(sink.requests[0].text)
        #expect(event.string("user_id")?.isEmpty == true)
        #expect(event["data"]?["device_id"]?.text == "device-1")
        let counted = #"deskgate_webhook_events_total{app="\#(Workspace.app)",result="anonymous"}"#
        #expect(try PushSite.value(of: counted, server) == 1)
        let explained = try Deskgate.run("explain", "--comment", "1", "--config", site.workspace.configuration)
        #expect(explained.output.contains("the app's chat was in anonymous mode"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `it is rejected by default, and the log has the remedy`() throws {
        let sink = try ScriptedServer(.requests([[.respond(200)]]))
        defer { sink.stop() }
        let server = try site(sink, anonymous: "reject").start()
        #expect(try WebhookSite.send(Self.body.serialized(), SocketClient(server.publicAddress)).status == 400)
        let line = try jsonObject(server.process.errors.line(containing: #""reason":"anonymous""#).text)
        #expect(line.string("remedy")?.contains("apps[].anonymous") == true)
        #expect(try server.stop() == .exit(0))
    }
}
