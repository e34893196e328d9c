import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationAddressTests {
    @Test(arguments: [
        (#""port":9090"#, "{}", "127.0.0.1:9090", "127.0.0.1:9090"),
        (#""port":8443"#, #"{"host":"127.0.0.1","port":8443}"#, "127.0.0.1:8443", "127.0.0.1:8443"),
        (#""host":"0.0.0.0","port":9090"#, "{}", "127.0.0.1:9090", "0.0.0.0:9090"),
        (#""host":"::","port":9090"#, "{}", "127.0.0.1:9090", "[::]:9090"),
        (#""host":"::1","port":7"#, #"{"host":"::","port":7}"#, "[::]:7", "[::1]:7"),
        (#""host":"::","port":7"#, #"{"host":"0.0.0.0","port":7}"#, "0.0.0.0:7", "[::]:7"),
        (#""host":"chat.example.com","port":7"#, #"{"host":"0.0.0.0","port":7}"#, "0.0.0.0:7", "chat.example.com:7"),
    ])
    func `must differ`(listen: String, admin: String, adminAddress: String, listenAddress: String) throws {
        let problem = "$.admin.port: \(adminAddress) is taken by $.listen, which has \(listenAddress); give one of them another port"
        #expect(try problems(listen, admin) == [problem])
    }

    @Test(arguments: [
        (#""port":0"#, #"{"port":0}"#), (#""host":"0.0.0.0","port":0"#, #"{"port":0}"#), (#""port":8080"#, #"{"port":8081}"#),
        (#""host":"127.0.0.1","port":7"#, #"{"host":"127.0.0.2","port":7}"#), (#""host":"::1","port":7"#, #"{"host":"0.0.0.0","port":7}"#),
        (#""unix":"a.sock""#, #"{"unix":"b.sock"}"#), (#""unix":"a.sock""#, "{}"),
    ])
    func `may have neighbouring ports`(listen: String, admin: String) throws {
        #expect(try problems(listen, admin) == [])
    }

    @Test(arguments: ["a.sock", "DIR/a.sock"]) func `must not be the same socket`(_ path: String) throws {
        let directory = try ConfigurationDirectory()
        let other = path.replacing("DIR", with: directory.scratch.path)
        let problems = try directory.problems(members: #""listen":{"unix":"a.sock"},"admin":{"unix":"\#(other)"}"#)
        #expect(problems == ["$.admin.unix: $.listen has this socket already; give one of them another path"])
    }

    @Test func `a socket path has no scheme`() throws {
        let problems = try problems(#""unix":"unix:/run/deskgate.sock""#, "{}")
        #expect(problems == ["$.listen.unix: a path has no scheme; remove unix:, and // if that follows"])
    }

    @Test(arguments: ["listen", "admin"]) func `socket paths have at most 107 bytes`(_ listener: String) throws {
        let directory = try ConfigurationDirectory()
        func problems(_ count: Int) throws -> [String] {
            let name = String(repeating: "s", count: count - directory.scratch.path.utf8.count - 1)
            return try directory.problems(members: #""\#(listener)":{"unix":"\#(name)"}"#)
        }
        #expect(try problems(107) == [])
        #expect(
            try problems(108) == [
                "$.\(listener).unix: expected at most 107 bytes, which is all that the path of a Unix socket may have; "
                    + "found 108 from the configuration's directory on"
            ])
    }

    @Test func `are reported with other mistakes`() throws {
        let problems = try problems(#""port":9090,"max_connections":0"#, #"{"metrics_need_token":true}"#)
        #expect(problems.count == 3)
        #expect(problems.contains { $0.hasPrefix("$.admin.port: ") })
    }

    private func problems(_ listen: String, _ admin: String) throws -> [String] {
        try ConfigurationDirectory().problems(members: #""listen":{\#(listen)},"admin":\#(admin)"#)
    }
}
