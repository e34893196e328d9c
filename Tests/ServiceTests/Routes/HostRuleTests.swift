import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct HostRuleTests {
    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost:9090", "127.0.0.1", "127.0.0.1:9090", "10.1.2.3", "[::1]", "[::1]:9090", "[fe80::1]:1",
    ])
    func `addresses and localhost are local`(_ host: String) {
        let bytes = Array(host.utf8)
        let isLocal = HostRule.isLocalName(bytes.span)
        #expect(isLocal)
    }

    @Test(arguments: [
        "", ":9090", "evil.example", "evil.example:9090", "localhost.evil.example", "localhost:9090.evil.example", "127.0.0.1.evil.example",
        "face", "[::1].evil.example", "::1x", "0x7f.1", "localhost ", "evil.example:", "a:1:2",
    ])
    func `other names are not`(_ host: String) {
        let bytes = Array(host.utf8)
        let isLocal = HostRule.isLocalName(bytes.span)
        #expect(!isLocal)
    }

    private func get(_ address: ListenAddress, _ path: String, host: String, headers: String = "") throws -> ReceivedResponse {
        let client = try SocketClient(address)
        try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n")
        return try client.readResponse()
    }

    @Test func `a local listener rejects requests for other hosts`() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service in
            let token = "Authorization: Bearer \(ServiceFixture.token)\r\n"
            #expect(try get(service.adminAddress, "/metrics", host: "localhost:1").status == 200)
            #expect(try get(service.adminAddress, "/v1/deliveries", host: "127.0.0.1", headers: token).status == 200)
            for path in ["/metrics", "/v1/deliveries", "/v1/push-tokens?app_id=shop"] {
                let refusal = try get(service.adminAddress, path, host: "evil.example", headers: token)
                #expect(refusal.status == 421)
                #expect(refusal.text.hasPrefix(#"{"error":"misdirected","#))
            }
            // The help desk may use any name.
            #expect(try get(service.publicAddress, "/livez", host: "chat.example").status == 200)
        }
    }

    @Test func `metrics need the token if other machines can reach them`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(admin: #""host":"0.0.0.0","port":0"#))
        try fixture.withService { service throws in
            let address = service.adminAddress.onThisMachine
            #expect(try get(address, "/metrics", host: "metrics.example").status == 401)
            let token = "Authorization: Bearer \(ServiceFixture.token)\r\n"
            #expect(try get(address, "/metrics", host: "metrics.example", headers: token).status == 200)
        }
    }
}
