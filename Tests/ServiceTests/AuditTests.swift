import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Each change by an operator and each wrong token writes a line.
@Suite struct AuditTests {
    private func send(
        _ address: ListenAddress, _ request: String, token: String?, body: String = "", author: String? = nil
    ) throws -> Int {
        let client = try SocketClient(address)
        let headers = [token.map { "Authorization: Bearer \($0)\r\n" }, author.map { "Deskgate-Author: \($0)\r\n" }].compactMap(\.self)
        try client.send(
            "\(request) HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: abc\r\n\(headers.joined())"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse().status
    }

    private func audits(_ log: TestLog) throws -> [String] {
        try log.lines().filter { $0.contains(" audit ") }.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `changes of a running service are logged`() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service throws in
            let (admin, token) = (service.adminAddress, ServiceFixture.token)
            let minting = #"{"app_id":"shop","user_id":"user-1","ttl_seconds":60}"#
            #expect(try send(admin, "POST /v1/keys", token: token, body: minting) == 201)
            #expect(try send(admin, "DELETE /v1/push-tokens?app_id=shop&user_id=user-1", token: token) == 200)
            #expect(try send(admin, "POST /v1/deliveries/retry", token: token, body: #"{"all":true}"#) == 200)
            let unknown = UUIDv7(milliseconds: 1, random: .init(repeating: 1))
            #expect(try send(admin, "POST /v1/deliveries/\(unknown)/retry", token: token) == 404)
            #expect(try send(admin, "DELETE /v1/deliveries?state=dead", token: token) == 200)
            // A read is no change.
            #expect(try send(admin, "GET /v1/deliveries", token: token) == 200)
        }
        let (app, user) = (Array("shop".utf8), Array("user-1".utf8))
        let name = try fixture.configuration.makeAuthorizer().userReference(appID: app.span, userID: user.span) ?? ""
        #expect(
            try audits(fixture.log) == [
                "INFO audit action=keys.mint outcome=done app=shop user_ref=\(name) key_id=2 expires_at=\(TestTime.now + 60) role=operate token=admin.token peer=127.0.0.1 request_id=abc",
                "INFO audit action=push_tokens.remove outcome=done removed=0 role=operate token=admin.token peer=127.0.0.1 request_id=abc",
                "INFO audit action=deliveries.retry outcome=done retried=0 role=operate token=admin.token peer=127.0.0.1 request_id=abc",
                "INFO audit action=deliveries.retry outcome=not_found role=operate token=admin.token peer=127.0.0.1 request_id=abc",
                "INFO audit action=deliveries.purge outcome=done purged=0 role=operate token=admin.token peer=127.0.0.1 request_id=abc",
            ])
    }

    /// The line names the token's holder, and never contains the token.
    @Test func `changes have the token's role and name`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(admin: #""port":0,"# + ServiceFixture.roleTokens))
        try fixture.withService { service throws in
            for role in AdminToken.Role.allCases {
                let status = try send(service.adminAddress, "DELETE /v1/deliveries?state=dead", token: ServiceFixture.token(role))
                #expect(status == (role == .operate ? 200 : 403))
            }
        }
        #expect(
            try audits(fixture.log) == [
                "WARN audit action=authenticate outcome=forbidden needed=operate role=mint token=mint-holder peer=127.0.0.1 request_id=abc",
                "WARN audit action=authenticate outcome=forbidden needed=operate role=read token=read-holder peer=127.0.0.1 request_id=abc",
                "INFO audit action=deliveries.purge outcome=done purged=0 role=operate token=operate-holder peer=127.0.0.1 request_id=abc",
            ])
        for role in AdminToken.Role.allCases { #expect(try !fixture.log.text().contains(ServiceFixture.token(role))) }
    }

    /// The token of the changes has another position in the configuration after the reload.
    @Test func `a reload does not mix up the tokens' names`() throws {
        let fixture = try AdminDeliverFixture(members: ServiceFixture.roleTokens)
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        func purge() throws -> Int {
            try send(server.address, "DELETE /v1/deliveries?state=dead", token: ServiceFixture.token(.operate))
        }
        #expect(try purge() == 200)
        let later =
            #""tokens":[{"name":"operate-holder","role":"operate","token":{"file":"secrets/operate-token"}},"#
            + #"{"name":"new","role":"operate","token":{"file":"secrets/read-token"}}]"#
        try fixture.reload(members: later)
        #expect(try purge() == 200)
        #expect(try audits(fixture.log).map { $0.contains(" token=operate-holder ") } == [true, true])
    }

    @Test(arguments: [
        ("anna", "anna"), ("anna.k-2_X", "anna.k-2_X"), (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
        // A text from a client is not a name.
        ("", nil), ("anna k", nil), ("anna)", nil), ("anna=1", nil), ("~anna", nil), (String(repeating: "a", count: 65), nil),
    ])
    func `a command sends the author of a change`(_ header: String, _ author: String?) throws {
        let fixture = try AdminDeliverFixture(members: ServiceFixture.roleTokens)
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        let body = #"{"app_id":"shop","key_id":1}"#
        #expect(
            try send(server.address, "POST /v1/revocations", token: ServiceFixture.token(.operate), body: body, author: header) == 201)
        let line = try #require(try audits(fixture.log).first { $0.contains("action=revocations.add") })
        let end = author.map { "author=\($0) peer=127.0.0.1" } ?? "peer=127.0.0.1"
        #expect(line.contains(" role=operate token=operate-holder \(end) request_id=abc"))
        #expect(
            try fixture.store.revocations(of: nil, after: nil, limit: 1).map(\.author)
                == [author.map { "operate-holder 127.0.0.1 (\($0))" } ?? "operate-holder 127.0.0.1"])
    }

    @Test func `the author is not logged without a valid token`() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service throws in
            #expect(
                try send(service.adminAddress, "DELETE /v1/deliveries?state=dead", token: TestSecret.text(201), author: "anna") == 401)
        }
        #expect(try audits(fixture.log) == ["WARN audit action=authenticate outcome=unauthorized peer=127.0.0.1 request_id=abc"])
    }

    @Test func `wrong tokens leave an audit line`() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service throws in
            for token in [nil, TestSecret.text(201)] {
                #expect(try send(service.adminAddress, "DELETE /v1/deliveries?state=dead", token: token) == 401)
            }
            #expect(try send(service.adminAddress, "POST /v1/keys", token: TestSecret.text(201), body: "{}") == 401)
        }
        let line = "WARN audit action=authenticate outcome=unauthorized peer=127.0.0.1 request_id=abc"
        #expect(try audits(fixture.log) == [line, line, line])
        #expect(try !fixture.log.text().contains(TestSecret.text(201)))
    }
}
