import JSON
import TestSupport
import Testing

/// A change that is under way when the process is killed, with the real program.
@Suite struct BotKillTests {
    private static let user = "somebody"

    private static func changes(_ backend: ScriptedServer) -> JSONObject {
        let order: JSONValue = ["type": "string", "description": "The order."]
        let parameters: JSONValue = ["type": "object", "properties": ["order_id": order], "required": ["order_id"]]
        let function: JSONValue = [
            "name": "reorder", "description": "Orders the same again.", "parameters": parameters,
            "request": ["method": "POST", "url": .string(backend.url("/reorder")), "timeout_ms": 20_000], "confirm": "none",
        ]
        return [
            "store": ["type": "sqlite", "path": "store.sqlite"],
            "bots": [
                [
                    "name": "orders", "apps": [.string(Workspace.app)], "public_url": "http://127.0.0.1:8080",
                    "secret": ["file": "bot.whsec"], "system_message": "You help with orders.", "functions": [function],
                ]
            ],
        ]
    }

    private func begin(_ server: RunningServer, _ path: String, _ body: JSONValue, headers: String = "") throws -> SocketClient {
        let (client, bytes) = (try SocketClient(server.publicAddress), body.serialized())
        let head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(bytes.count)\r\n\r\n"
        try client.send(Array(head.utf8) + bytes)
        return client
    }

    @Test func isNotMadeAgain() throws {
        let backend = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { backend.stop() }
        let workspace = try Workspace()
        try workspace.write("bot.whsec", "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx", mode: 0o600)
        try workspace.configure(Self.changes(backend))
        let first = try RunningServer(workspace)
        let key = try workspace.key(user: Self.user)
        let person: JSONValue = ["app_id": .string(Workspace.app), "user_id": .string(Self.user), "security_key": .string(key)]
        let started = try begin(first, "/bots/orders/start", person).readResponse()
        let ticket = try #require(JSONValue(parsing: started.body)?["ticket"]?.text)
        let bearer = "Authorization: Bearer \(ticket)\r\n"
        let cut = try begin(first, "/bots/orders/functions/reorder", ["order_id": "7"], headers: bearer)
        #expect(backend.waitForRequests(1))
        first.process.send(9)
        #expect(try first.process.waitForEnd() == .signal(9))
        withExtendedLifetime(cut) {}
        let second = try RunningServer(workspace)
        let again = try begin(second, "/bots/orders/functions/reorder", ["order_id": "7"], headers: bearer).readResponse()
        #expect(again.status == 409)
        #expect(JSONValue(parsing: again.body)?["error"]?.text == "already_called")
        #expect(JSONValue(parsing: again.body)?["outcome"]?.text == "started")
        #expect(backend.requests.count == 1)
        #expect(try second.stop() == .exit(0))
    }
}
