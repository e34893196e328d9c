import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The admin listener's responses, with and without a socket.
@Suite struct AdminRouteTests {
    @Test(arguments: AdminCases.all())
    func `answers in process`(_ exchange: ExchangeCase) throws {
        exchange.check(exchange.send(to: InProcessClient(try ServiceFixture().graph().adminRouter)))
    }

    @Test func `answers on a socket`() throws {
        try ServiceFixture().withService { service in
            let client = try SocketClient(service.adminAddress)
            for exchange in AdminCases.all() { exchange.check(try exchange.send(to: client)) }
        }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER"])
    func `accepts any spelling of the token's scheme`(_ scheme: String) throws {
        let client = InProcessClient(try ServiceFixture().graph().adminRouter)
        let body = Array(#"{"app_id":"shop","user_id":"user-1"}"#.utf8)
        let response = client.send(.post, "/v1/keys", headers: ["authorization": "\(scheme) \(ServiceFixture.token)"], body: body)
        #expect(response.status == 201)
    }

    @Test func `mints nothing without a configured token`() throws {
        let client = InProcessClient(try ServiceFixture(json: "{\(ConfigurationDirectory.apps)}").graph().adminRouter)
        for headers in [[:], AdminCases.authorization, ["Authorization": "Bearer "]] {
            ExchangeCase(
                name: "no token", status: 401,
                answer: ExchangeCase.error("unauthorized", "No admin token is configured; set admin.token."),
                answerHeaders: ["www-authenticate": "Bearer"]
            ).check(client.send(.post, "/v1/keys", headers: headers))
        }
        #expect(client.send(.get, "/metrics").status == 200)
    }

    @Test func `shows metrics without a token unless they need it`() throws {
        let open = InProcessClient(try ServiceFixture().graph().adminRouter)
        let response = open.send(.get, "/metrics")
        #expect(response.status == 200)
        #expect(response.headers == ["content-type": "text/plain; version=0.0.4; charset=utf-8"])
        let json = ServiceFixture.json(admin: #""metrics_need_token":true"#)
        let closed = InProcessClient(try ServiceFixture(json: json).graph().adminRouter)
        for (name, headers) in AdminCases.refusedAuthorizations() {
            ExchangeCase(name: name, status: 401, answer: AdminCases.unauthorized)
                .check(closed.send(.get, "/metrics", headers: headers))
        }
        #expect(closed.send(.get, "/metrics", headers: AdminCases.authorization).status == 200)
    }

    /// At any position in the list, a token that is almost correct is rejected.
    @Test func `rejects a token that is almost correct`() throws {
        let json = ServiceFixture.json(admin: ServiceFixture.roleTokens)
        let client = InProcessClient(try ServiceFixture(json: json).graph().adminRouter)
        for token in [ServiceFixture.token] + AdminToken.Role.allCases.map(ServiceFixture.token) {
            for wrong in ["\(token)x", String(token.dropLast()), String(token.dropFirst()), token.uppercased()] {
                ExchangeCase(name: "nearly", status: 401, answer: AdminCases.unauthorized)
                    .check(client.send(.get, "/v1/status", headers: ["Authorization": "Bearer \(wrong)"]))
            }
        }
    }

    @Test(arguments: AdminToken.Role.allCases) func `shows metrics to roles that may read`(_ role: AdminToken.Role) throws {
        let headers = ["Authorization": "Bearer \(ServiceFixture.token(role))"]
        for admin in [#""metrics_need_token":true"#, #""host":"0.0.0.0""#] {
            let json = ServiceFixture.json(admin: "\(admin),\(ServiceFixture.roleTokens)")
            let client = InProcessClient(try ServiceFixture(json: json).graph().adminRouter)
            #expect(client.send(.get, "/metrics", headers: headers).status == (role == .mint ? 403 : 200))
        }
        let open = InProcessClient(try ServiceFixture(json: ServiceFixture.json(admin: ServiceFixture.roleTokens)).graph().adminRouter)
        #expect(open.send(.get, "/metrics", headers: headers).status == 200)
    }
}
