import JSON
import TestSupport
import Testing

/// `listen.allow` and `listen.shared_header` on the real service.
@Suite struct PublicGateStoryTests {
    private static let secret = "\(Markers.prefix)-shared-header-e3Rk8sVw0pLd"

    private func serve(_ members: JSONObject) throws -> (Workspace, RunningServer) {
        var listen: JSONObject = ["host": "127.0.0.1", "port": 0, "max_connections": 100]
        for member in members.members { listen.append(member.value, forKey: member.key) }
        let workspace = try Workspace()
        try workspace.write("shared-header", Self.secret, mode: 0o600)
        try workspace.configure(["listen": .object(listen)])
        return (workspace, try RunningServer(configuration: workspace.configuration))
    }

    private func authorize(_ server: RunningServer, _ workspace: Workspace, header: String = "") throws -> ReceivedResponse {
        let (client, body) = (try SocketClient(server.publicAddress), SocketClient.body(try workspace.key()))
        try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\n\(header)Content-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        return try client.readResponse()
    }

    @Test func `another network is rejected and the probes answer`() throws {
        let (workspace, server) = try serve(["allow": ["192.0.2.0/24"]])
        let refused = try authorize(server, workspace)
        #expect(refused.status == 403)
        #expect(try jsonObject(refused.text).string("error") == "forbidden_network")
        _ = try server.process.errors.line(containing: "caller refused")
        #expect(try status(server.publicAddress, "/livez") == 200)
        #expect(try status(server.publicAddress, "/readyz") == 200)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the shared header admits a caller`() throws {
        let (workspace, server) = try serve([
            "allow": ["127.0.0.0/8"], "shared_header": ["name": "X-Shared-Secret", "secret": ["file": "shared-header"]],
        ])
        #expect(try authorize(server, workspace, header: "X-Shared-Secret: \(Self.secret)\r\n").status == 200)
        let refused = try authorize(server, workspace)
        #expect(refused.status == 403)
        #expect(try jsonObject(refused.text).string("error") == "forbidden_header")
        #expect(try server.stop() == .exit(0))
    }
}
