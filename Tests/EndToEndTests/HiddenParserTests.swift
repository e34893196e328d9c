import JSON
import TestSupport
import Testing

/// A machine without libxml2, which parses pages for URL previews: here the loader finds an empty file instead.
@Suite struct HiddenParserTests {
    private static let user = "somebody"
    private let workspace: Workspace
    private let environment: [String: String]

    init() throws {
        workspace = try Workspace()
        for name in ["chat-token", "desk-token"] { try workspace.write(name, "\(Markers.prefix)-\(name)-0123456789", mode: 0o600) }
        try workspace.configure([
            "apps": [
                [
                    "app_id": .string(Workspace.app), "help_desk": "sendbird", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
                    "sendbird": ["chat_token": ["file": "chat-token"], "desk_token": ["file": "desk-token"], "url_previews": true],
                ]
            ]
        ])
        try workspace.directory.write("libraries/libxml2.so.2", "")
        environment = ["LD_LIBRARY_PATH": workspace.directory.path("libraries")]
    }

    @Test func `check reports the app`() throws {
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0, "libxml2 is installed here")
        let result = try Deskgate.run("check", "--config", workspace.configuration, environment: environment)
        #expect(result.code == 2)
        #expect(result.errors.contains("$.apps[0].sendbird.url_previews: libxml2, which reads pages for previews, is not installed"))
    }

    @Test func `the route is unavailable with a reason`() throws {
        let server = try RunningServer(configuration: workspace.configuration, environment: environment)
        let key = try workspace.key(user: Self.user)
        func ask(_ key: String) throws -> ReceivedResponse {
            let client = try SocketClient(server.publicAddress)
            let body: JSONValue = [
                "app_id": .string(Workspace.app), "user_id": .string(Self.user), "security_key": .string(key), "url": "http://example.com/",
            ]
            let bytes = body.serialized()
            try client.send("POST /sendbird/url-preview HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n")
            try client.send(bytes)
            return try client.readResponse()
        }
        let answer = try ask(key)
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(!answer.text.contains("libxml2"))
        let line = try server.process.errors.line(containing: "no_html_parser").text
        #expect(try jsonObject(line).string("level") == "error")
        #expect(try jsonObject(line).string("app") == Workspace.app)
        #expect(try ask(workspace.key(user: "another")).status == 403, "strangers do not learn of it")
        #expect(try server.stop() == .exit(0))
    }
}
