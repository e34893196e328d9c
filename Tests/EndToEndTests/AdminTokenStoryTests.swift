import Glibc
import JSON
import TestSupport
import Testing

/// `admin.tokens`: the permissions of each role in a running service.
@Suite struct AdminTokenStoryTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        for role in ["mint", "read", "operate", "next"] { try workspace.write("\(role)-token", Self.token(role), mode: 0o600) }
    }

    private static func token(_ name: String) -> String { "\(Markers.prefix)-\(name)-token-e3Rk8sVw0pLdQz5tGh" }

    /// A configuration with tokens by their files and roles, and without `admin.token`.
    private func configure(_ tokens: [(file: String, role: String)], port: UInt16 = 0) throws {
        let list = tokens.map { file, role -> JSONValue in
            ["name": .string("\(file)-holder"), "role": .string(role), "token": ["file": .string("\(file)-token")]]
        }
        try workspace.configure([
            "admin": ["host": "127.0.0.1", "port": .integer(Int64(port)), "max_connections": 100, "tokens": .array(list)]
        ])
    }

    private func status(_ server: RunningServer, request: String, name: String, body: String = "") throws -> Int {
        let client = try SocketClient(server.adminAddress)
        try client.send(
            "\(request) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Self.token(name))\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse().status
    }

    private func run(_ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(words + ["--config", workspace.configuration])
    }

    @Test func `each role has its own permissions`() throws {
        try configure([("mint", "mint"), ("read", "read"), ("operate", "operate")])
        let server = try RunningServer(configuration: workspace.configuration)
        let minting = #"{"app_id":"app-1","user_id":"\#(Markers.user)"}"#
        for (name, mints, reads, operates) in [("mint", 201, 403, 403), ("read", 403, 200, 403), ("operate", 403, 200, 200)] {
            #expect(try status(server, request: "POST /v1/keys", name: name, body: minting) == mints, "\(name)")
            #expect(try status(server, request: "GET /v1/status", name: name) == reads, "\(name)")
            #expect(try status(server, request: "DELETE /v1/deliveries?state=dead", name: name) == operates, "\(name)")
        }
        #expect(try status(server, request: "GET /v1/status", name: "next") == 401)
        _ = try server.process.errors.line(containing: #""token":"operate-holder""#)
        #expect(try server.stop() == .exit(0))
    }

    /// The old and the new token of a role are both valid until the old one is removed, without a restart.
    @Test func `a token is rotated without a restart`() throws {
        try configure([("mint", "mint")])
        let server = try RunningServer(configuration: workspace.configuration)
        func statuses() throws -> [Int] {
            try ["mint", "next"].map { try status(server, request: "POST /v1/keys", name: $0, body: #"{"app_id":"app-1","user_id":"u"}"#) }
        }
        var seen = 0
        func reload(_ tokens: [(String, String)]) throws {
            try configure(tokens)
            server.process.send(SIGHUP)
            seen = try server.process.errors.line(containing: "configuration reloaded", from: seen).number + 1
        }
        #expect(try statuses() == [201, 401])
        try reload([("mint", "mint"), ("next", "mint")])
        #expect(try statuses() == [201, 201])
        try reload([("next", "mint")])
        #expect(try statuses() == [401, 201])
        #expect(try server.stop() == .exit(0))
    }

    /// Commands use a token with a sufficient role, for a service that holds the store.
    @Test func `commands use a token with a sufficient role`() throws {
        let socket: JSONValue = ["unix": "admin.sock", "max_connections": 100]
        func configure(_ names: [String]) throws {
            guard case .object(var admin) = socket else { return }
            let list = names.map { name -> JSONValue in
                ["name": .string("\(name)-holder"), "role": .string(name), "token": ["file": .string("\(name)-token")]]
            }
            admin.append(.array(list), forKey: "tokens")
            try workspace.configure(["admin": .object(admin)])
        }
        try configure(["mint", "read", "operate"])
        let server = try RunningServer(configuration: workspace.configuration)
        #expect(try run("status").code == 0)
        #expect(try run("deliveries", "list").code == 0)
        #expect(try run("deliveries", "purge", "--state", "dead").code == 0)
        try configure(["mint", "read"])
        #expect(try run("deliveries", "list").code == 0)
        let refused = try run("deliveries", "purge", "--state", "dead")
        #expect(refused.code == 2)
        #expect(
            refused.errors.contains("is called with an admin token of the role operate, and none is configured; add one to admin.tokens"))
        let check = try run("check")
        #expect(check.code == 0)
        #expect(check.errors.contains(#"warning: $.admin.tokens: none has the role "operate", so no command can change anything"#))
        #expect(try server.stop() == .exit(0))
    }
}
