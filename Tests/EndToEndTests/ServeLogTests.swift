import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate serve`: its log, and its behavior when the log is not read.
@Suite struct ServeLogTests {
    @Test func `every line is one JSON object`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        try provoke(server, workspace)
        #expect(try server.stop() == .exit(0))
        let text = try server.process.errors.text()
        #expect(text.hasSuffix("}\n"))
        var messages: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let object = try jsonObject(String(line))
            #expect(object.keys.starts(with: ["time", "level", "message"]))
            messages.insert(object.string("message") ?? "")
        }
        #expect(messages.isSuperset(of: ["serving", "authorize", "configuration not reloaded", "stopping", "stopped"]))
    }

    @Test(arguments: ["json", "text"])
    func `the log contains no secret`(_ format: String) throws {
        let workspace = try Workspace(["log": ["level": "debug", "format": .string(format)]])
        let server = try RunningServer(workspace)
        try provoke(server, workspace)
        #expect(try server.stop() == .exit(0))
        try workspace.write("log", server.process.errors.text())
        let scan = try ScanSecrets.run(workspace.directory.path("log"))
        #expect(scan.code == 0)
        #expect(scan.output.isEmpty)
    }

    @Test(arguments: [ChildProcess.ErrorOutput.closed, .broken, .unread])
    func `the service works when its log is not read`(_ errors: ChildProcess.ErrorOutput) throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let configuration = try workspace.read("config.json")
        let key = try workspace.key()
        let process = try RunningServer.start(workspace.configuration, errors: errors)
        let client = try connect(to: .unix(path: workspace.directory.path("public.sock")))
        // At level debug each of these has a line, and all together exceed a page.
        for _ in 0..<200 { #expect(try client.authorize(key).status == 200) }
        process.send(SIGHUP)
        #expect(try client.authorize(key, user: Markers.otherUser).status == 403)
        process.send(SIGTERM)
        #expect(try client.isClosedByServer())
        #expect(try process.waitForEnd() == .exit(0))
        #expect(try process.output.bytes().isEmpty)
        #expect(try workspace.read("config.json") == configuration)
        #expect(!workspace.directory.contents().contains("public.sock"))
    }

    @Test func `no socket takes the number of a closed descriptor`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let process = try RunningServer.start(workspace.configuration, errors: .closed)
        _ = try connect(to: .unix(path: workspace.directory.path("public.sock")))
        #expect(linkTarget("/proc/\(process.identifier)/fd/2") == "/dev/null")
        process.send(SIGTERM)
        #expect(try process.waitForEnd() == .exit(0))
    }

    /// Sends requests that are rejected in every way, with secrets in right and wrong places.
    private func provoke(_ server: RunningServer, _ workspace: Workspace) throws {
        let key = try workspace.key()
        #expect(try server.authorize(key).status == 200)
        #expect(try server.authorize(key, user: Markers.otherUser).status == 403)
        #expect(try server.authorize(key, app: Markers.stray).status == 403)
        #expect(try server.authorize(Markers.stray).status == 400)
        #expect(try server.authorize(Markers.user, user: key).status == 400)
        let requests = [
            "GET /\(Markers.stray)?security_key=\(key) HTTP/1.1\r\n", "DELETE /pyrus/authorize?user_id=\(Markers.user) HTTP/1.1\r\n",
            "POST /pyrus/authorize HTTP/1.1\r\nContent-Type: \(Markers.stray)\r\nContent-Length: 2\r\n",
            "POST /pyrus/authorize HTTP/1.1\r\nX-Request-Id: \(key)\r\nContent-Length: 2\r\n",
        ]
        for request in requests {
            let client = try SocketClient(server.publicAddress)
            try client.send("\(request)Host: localhost\r\n\r\n{\(Markers.stray)")
            #expect(try (400...499).contains(client.readResponse().status))
        }
        #expect(try mint(server, token: Markers.adminToken).status == 201)
        #expect(try mint(server, token: Markers.stray).status == 401)
        try workspace.write("config.json", "{\"apps\": \"\(Markers.stray)\"}")
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration not reloaded")
    }

    private func mint(_ server: RunningServer, token: String) throws -> ReceivedResponse {
        let body = JSONValue.object(["app_id": "app-1", "user_id": .string(Markers.user)]).serialized()
        let client = try SocketClient(server.adminAddress)
        try client.send(
            "POST /v1/keys HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        return try client.readResponse()
    }

    /// Connects as soon as the server listens.
    private func connect(to address: ListenAddress) throws -> SocketClient {
        #expect(eventually { (try? SocketClient(address)) != nil })
        return try SocketClient(address)
    }
}
