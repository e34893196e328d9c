import Core
import Glibc
import JSON
import POSIX
import TestSupport
import Testing
import Time

/// An app with its own backend, with the real program.
@Suite struct BackendStoryTests {
    // 33 bytes whose base64 begins with the marker prefix.
    private static let secret = "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx"

    private static func app(_ url: String, mode: String) -> JSONObject {
        var app: JSONObject = [
            "app_id": .string(Workspace.app),
            "verify": [
                "mode": .string(mode), "url": .string(url), "secret": ["file": "verify.whsec"], "timeout_ms": 10_000,
            ],
        ]
        if mode != "backend" { app.append([["id": 1, "secret": ["file": "app-1.key"]]], forKey: "keys") }
        return ["apps": [.object(app)]]
    }

    private static func workspace(_ url: String, mode: String) throws -> Workspace {
        let workspace = try Workspace(app(url, mode: mode))
        try workspace.write("verify.whsec", secret, mode: 0o600)
        return workspace
    }

    @Test func `the backend's response decides`() throws {
        let backend = try ScriptedServer(.requests([[.respond(204)], [.respond(403)], [.respond(500)]]))
        defer { backend.stop() }
        let workspace = try Self.workspace(backend.url(), mode: "key_and_backend")
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0)
        let server = try RunningServer(workspace)
        let (key, other) = (try workspace.key(), try workspace.key(user: Markers.otherUser))
        for _ in 1...2 { #expect(try server.authorize(key).status == 200) }
        #expect(try server.authorize(other, user: Markers.otherUser).status == 403)
        #expect(backend.requests.count == 2)
        #expect(try isGenuine(#require(backend.requests.first)))
        for number in 1...6 {
            let user = "user-\(number)"
            #expect(try server.authorize(workspace.key(user: user), user: user).status == 503)
        }
        let line = try jsonObject(server.process.errors.line(containing: "a backend returns no decisions").text)
        #expect(line.string("reason") == "backend_status")
        #expect(line.string("cause") == "status_500")
        #expect(line.string("level") == "warning")
        // Without a backend the key decides.
        try workspace.configure()
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try server.authorize(other, user: Markers.otherUser).status == 200)
        #expect(try server.stop() == .exit(0))
    }

    private func isGenuine(_ request: RecordedRequest) throws -> Bool {
        try StandardWebhookSignature.isGenuine(
            signature: request.header("webhook-signature") ?? "", id: request.header("webhook-id") ?? "",
            timestamp: request.header("webhook-timestamp") ?? "", body: request.body.span, secrets: [StandardWebhookSecret(Self.secret)],
            now: SystemClock.unixMilliseconds())
    }

    @Test func `a company can start with its existing keys`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let workspace = try Self.workspace(backend.url(), mode: "backend")
        let server = try RunningServer(workspace)
        let key = "\(Markers.prefix) a key of their own"
        #expect(try server.authorize(key).status == 200)
        let body = try jsonObject(#require(backend.requests.first).text)
        #expect(body.string("security_key") == key)
        #expect(body.string("user_id") == Markers.user)
        #expect(try server.stop() == .exit(0))
        let minted = try Deskgate.run("key", "mint", "--config", workspace.configuration, "--app", Workspace.app, "--user", "someone")
        #expect(minted.code == 2)
        #expect(minted.errors.contains("The app has no key"))
    }

    @Test(arguments: [0, 20] as [Int64]) func `a stop answers waiting requests`(drainSeconds: Int64) throws {
        let backend = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { backend.stop() }
        let workspace = try Self.workspace(backend.url(), mode: "backend")
        var members = Self.app(backend.url(), mode: "backend")
        members.append(["drain_seconds": .integer(drainSeconds)], forKey: "shutdown")
        try workspace.configure(members)
        let server = try RunningServer(workspace)
        // Each request is for another person and calls the backend, so the backend shows when all of them wait.
        let clients = try (1...10).map { number in
            let client = try SocketClient(server.publicAddress)
            let body = SocketClient.body("a key of their own", user: "user-\(number)")
            try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
            try client.send(body)
            return client
        }
        #expect(backend.waitForRequests(10))
        server.process.send(SIGTERM)
        _ = try server.process.errors.line(containing: "stopping")
        if drainSeconds > 0 { backend.release(10) }
        for client in clients { #expect(try client.readResponse().status == (drainSeconds > 0 ? 200 : 503)) }
        #expect(try server.process.waitForEnd() == .exit(0))
        #expect(try !server.process.errors.text().contains("internal_error"))
    }

    /// Runs the Python code of the documentation on a call.
    @Test func `the documented verification accepts our calls`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let workspace = try Self.workspace(backend.url(), mode: "key_and_backend")
        let server = try RunningServer(workspace)
        #expect(try server.authorize(workspace.key()).status == 200)
        #expect(try server.stop() == .exit(0))
        let request = try #require(backend.requests.first)
        let page = String(decoding: try File.read("\(packageRoot)/docs/BACKEND.md", limit: 1 << 20).bytes, as: UTF8.self)
        let start = try #require(page.firstRange(of: "```python\n")).upperBound
        let proof = page[start...].prefix { $0 != "\n" }
        let headers = request.headers.map { "\"\($0.name)\": \"\($0.value)\"" }.joined(separator: ", ")
        try workspace.write("body.json", request.text)
        try workspace.write(
            "proof.py",
            """
            import sys, types
            sys.path.insert(0, "\(packageRoot)/clients")
            from deskgate import DeskgateError, verify_event
            secret = "\(Self.secret)"
            def is_proven(body):
                request = types.SimpleNamespace(headers={\(headers)}, body=body)
                try:
                    \(proof)
                except DeskgateError as error:
                    return error.reason
            body = open("\(workspace.directory.path("body.json"))", "rb").read()
            print([is_proven(text) for text in (body[:-1], body)])
            """)
        let result = try Command("python3", workspace.directory.path("proof.py"))
        #expect(result.status == 0)
        #expect(result.output == "[None, 'not_genuine']\n")
    }

    @Test func `verifying a key calls no backend`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let workspace = try Self.workspace(backend.url(), mode: "key_and_backend")
        let result = try Deskgate.run(
            "key", "verify", "--config", workspace.configuration, "--app", Workspace.app, "--user", Markers.user, "--key",
            workspace.key(), "--offline", "--json")
        #expect(result.code == 1)
        #expect(try result.json.string("reason") == "unconfirmed")
        let message = try #require(try result.json.string("message"))
        #expect(message.hasPrefix("Revocations were not asked: "))
        #expect(message.hasSuffix(" The service would now call the app's backend, which this command does not."))
        #expect(backend.connectionCount == 0)
    }
}
