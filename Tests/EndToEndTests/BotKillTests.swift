import JSON
import TestSupport
import Testing

/// A change that is running when the process is killed, with the real program.
@Suite struct BotKillTests {
    private static let user = "somebody"

    private static let reorder = "/bots/orders/functions/reorder"
    private static let order: JSONValue = ["order_id": "7"]

    private static func changes(_ backend: ScriptedServer, store: JSONValue) -> JSONObject {
        let order: JSONValue = ["type": "string", "description": "The order."]
        let parameters: JSONValue = ["type": "object", "properties": ["order_id": order], "required": ["order_id"]]
        let function: JSONValue = [
            "name": "reorder", "description": "Orders the same again.", "parameters": parameters,
            "request": ["method": "POST", "url": .string(backend.url("/reorder")), "timeout_ms": 30_000], "confirm": "none",
        ]
        return [
            "store": store,
            "bots": [
                [
                    "name": "orders", "apps": [.string(Workspace.app)], "public_url": "http://127.0.0.1:8080",
                    "secret": ["file": "bot.whsec"], "system_message": "You help with orders.", "functions": [function],
                ]
            ],
        ]
    }

    private func begin(_ server: RunningServer, path: String, body: JSONValue, headers: String = "") throws -> SocketClient {
        let (client, bytes) = (try SocketClient(server.publicAddress), body.serialized())
        let head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(bytes.count)\r\n\r\n"
        try client.send(Array(head.utf8) + bytes)
        return client
    }

    /// A customer's ticket, as the header of calls.
    private func start(_ server: RunningServer, _ workspace: Workspace) throws -> String {
        let key = try workspace.key(user: Self.user)
        let person: JSONValue = ["app_id": .string(Workspace.app), "user_id": .string(Self.user), "security_key": .string(key)]
        let started = try begin(server, path: "/bots/orders/start", body: person).readResponse()
        return "Authorization: Bearer \(try #require(JSONValue(parsing: started.body)?["ticket"]?.text))\r\n"
    }

    /// Repeats a change that is running, or was running when its process ended, and expects a refusal.
    private func expectRefusal(by server: RunningServer, _ ticket: String) throws {
        let again = try begin(server, path: Self.reorder, body: Self.order, headers: ticket).readResponse()
        #expect(again.status == 409)
        #expect(JSONValue(parsing: again.body)?["error"]?.text == "already_called")
        #expect(JSONValue(parsing: again.body)?["outcome"]?.text == "started")
    }

    private func workspace(_ backend: ScriptedServer, store: JSONValue) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("bot.whsec", "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx", mode: 0o600)
        try workspace.configure(Self.changes(backend, store: store))
        return workspace
    }

    @Test func `is not repeated`() throws {
        let backend = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { backend.stop() }
        let workspace = try workspace(backend, store: ["type": "sqlite", "path": "store.sqlite"])
        let first = try RunningServer(workspace)
        let ticket = try start(first, workspace)
        let cut = try begin(first, path: Self.reorder, body: Self.order, headers: ticket)
        #expect(backend.waitForRequests(1))
        first.process.send(9)
        #expect(try first.process.waitForEnd() == .signal(9))
        withExtendedLifetime(cut) {}
        let second = try RunningServer(workspace)
        try expectRefusal(by: second, ticket)
        #expect(backend.requests.count == 1)
        #expect(try second.stop() == .exit(0))
    }

    /// Two replicas on one database: the second one gets the change while it is running, and again after the first one was killed.
    @Test func `is not repeated by another replica`() throws {
        let backend = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { backend.stop() }
        let database = try PostgresServer()
        let workspace = try workspace(backend, store: ["type": "postgres", "url": ["file": "database-url"]])
        try workspace.write("database-url", database.url(), mode: 0o600)
        let (first, second) = (try RunningServer(workspace), try RunningServer(workspace))
        let ticket = try start(first, workspace)
        let cut = try begin(first, path: Self.reorder, body: Self.order, headers: ticket)
        #expect(backend.waitForRequests(1))
        try expectRefusal(by: second, ticket)
        first.process.send(9)
        #expect(try first.process.waitForEnd() == .signal(9))
        withExtendedLifetime(cut) {}
        try expectRefusal(by: second, ticket)
        #expect(backend.requests.count == 1)
        #expect(try second.stop() == .exit(0))
    }
}
