import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// Each change that an operator makes, and each wrong token, leaves a line.
@Suite struct AuditTests {
    private func send(_ address: ListenAddress, _ request: String, token: String?, body: String = "") throws -> Int {
        let client = try SocketClient(address)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send(
            "\(request) HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: abc\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try client.readResponse().status
    }

    private func audits(_ log: TestLog) throws -> [String] {
        try log.lines().filter { $0.contains(" audit ") }.map { line in
            // The peer's port is the system's choice.
            line.split(separator: " ").map { $0.hasPrefix("peer=127.0.0.1:") ? "peer" : String($0) }.joined(separator: " ")
        }
    }

    @Test func ofChangesOnARunningService() throws {
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
            // Looking is no change.
            #expect(try send(admin, "GET /v1/deliveries", token: token) == 200)
        }
        let (app, user) = (Array("shop".utf8), Array("user-1".utf8))
        let name = try fixture.configuration.makeAuthorizer().userReference(appID: app.span, userID: user.span) ?? ""
        #expect(
            try audits(fixture.log) == [
                "INFO audit action=keys.mint outcome=done app=shop user_ref=\(name) key_id=2 expires_at=\(TestTime.now + 60) role=operate token=admin.token peer request_id=abc",
                "INFO audit action=push_tokens.remove outcome=done removed=0 role=operate token=admin.token peer request_id=abc",
                "INFO audit action=deliveries.retry outcome=done retried=0 role=operate token=admin.token peer request_id=abc",
                "INFO audit action=deliveries.retry outcome=not_found role=operate token=admin.token peer request_id=abc",
                "INFO audit action=deliveries.purge outcome=done purged=0 role=operate token=admin.token peer request_id=abc",
            ])
    }

    /// The line says whose token it was, and never the token.
    @Test func ofTokensByTheirRoles() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(admin: #""port":0,"# + ServiceFixture.roleTokens))
        try fixture.withService { service throws in
            for role in AdminToken.Role.allCases {
                let status = try send(service.adminAddress, "DELETE /v1/deliveries?state=dead", token: ServiceFixture.token(role))
                #expect(status == (role == .operate ? 200 : 403))
            }
        }
        #expect(
            try audits(fixture.log) == [
                "WARN audit action=authenticate outcome=forbidden needed=operate role=mint token=admin.tokens[0] peer request_id=abc",
                "WARN audit action=authenticate outcome=forbidden needed=operate role=read token=admin.tokens[1] peer request_id=abc",
                "INFO audit action=deliveries.purge outcome=done purged=0 role=operate token=admin.tokens[2] peer request_id=abc",
            ])
        for role in AdminToken.Role.allCases { #expect(try !fixture.log.text().contains(ServiceFixture.token(role))) }
    }

    @Test func ofWrongTokens() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service throws in
            for token in [nil, TestSecret.text(201)] {
                #expect(try send(service.adminAddress, "DELETE /v1/deliveries?state=dead", token: token) == 401)
            }
            #expect(try send(service.adminAddress, "POST /v1/keys", token: TestSecret.text(201), body: "{}") == 401)
        }
        let line = "WARN audit action=authenticate outcome=unauthorized peer request_id=abc"
        #expect(try audits(fixture.log) == [line, line, line])
        #expect(try !fixture.log.text().contains(TestSecret.text(201)))
    }
}
