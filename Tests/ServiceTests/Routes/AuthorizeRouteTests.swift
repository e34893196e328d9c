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

/// The public listener's responses, with and without a socket.
@Suite struct AuthorizeRouteTests {
    private static let members = #""security_keys":{"longest_life_seconds":7776000}"#

    @Test(arguments: try AuthorizeCases.all())
    func `answers in process`(_ exchange: ExchangeCase) throws {
        let client = InProcessClient(try ServiceFixture(members: Self.members).graph().publicRouter)
        exchange.check(exchange.send(to: client))
    }

    @Test func `answers on a socket`() throws {
        try ServiceFixture(members: Self.members).withService { service in
            for exchange in try AuthorizeCases.all() {
                exchange.check(try exchange.send(to: SocketClient(service.publicAddress)))
            }
        }
    }

    @Test func `answers on a persistent connection`() throws {
        try ServiceFixture(members: Self.members).withService { service in
            let client = try SocketClient(service.publicAddress)
            for exchange in try AuthorizeCases.all() { exchange.check(try exchange.send(to: client)) }
        }
    }

    @Test(arguments: try AuthorizeCases.all().filter { $0.status >= 400 })
    func `errors have one form`(_ exchange: ExchangeCase) throws {
        let client = InProcessClient(try ServiceFixture(members: Self.members).graph().publicRouter)
        let value = try JSONDocument(parsing: exchange.send(to: client).body.span).value()
        guard case .object(let object) = value else {
            Issue.record("not an object: \(exchange.name)")
            return
        }
        #expect(object.members.map(\.key) == ["error", "message"])
        for member in object.members {
            guard case .string(let text) = member.value else {
                Issue.record("\(member.key) is not a string: \(exchange.name)")
                continue
            }
            #expect(!text.isEmpty)
        }
    }

    @Test func `errors contain no value of the request`() throws {
        let client = InProcessClient(try ServiceFixture().graph().publicRouter)
        let marker = "MARKER"
        for field in AuthorizeCases.expectations.keys {
            for value in ["\"\(marker)\\u0001\"", "[\"\(marker)\"]", "{\"\(marker)\":1}", "\"\(marker)", "\"\(marker)\\x\"", marker] {
                let body = try AuthorizeCases.json([field: value])
                let response = client.send(.post, "/pyrus/authorize", body: body)
                #expect(response.status == 400)
                #expect(!response.text.contains(marker))
            }
            for value in ["\(marker)%", "\(marker)%01", "\(marker)%FF", "\(marker)%01&\(field)=\(marker)"] {
                let response = client.send(.post, "/pyrus/authorize", body: try AuthorizeCases.form([field: value]))
                #expect(response.status == 400)
                #expect(!response.text.contains(marker))
            }
        }
    }

    @Test func `ignores the query`() throws {
        try ServiceFixture().withService { service in
            let exchange = ExchangeCase(
                name: "query", path: "/pyrus/authorize?app_id=bank", headers: AuthorizeCases.jsonType, body: try AuthorizeCases.json(),
                status: 200, answer: AuthorizeCases.authorized)
            exchange.check(try exchange.send(to: SocketClient(service.publicAddress)))
        }
    }

    @Test func `answers HEAD like GET without a body`() throws {
        try ServiceFixture().withService { service in
            let exchange = ExchangeCase(name: "HEAD", method: .head, path: "/livez", status: 200, answer: "")
            exchange.check(try exchange.send(to: SocketClient(service.publicAddress)))
        }
    }

    @Test func `is not ready while stopping`() throws {
        let graph = try ServiceFixture().graph()
        graph.readiness.stop()
        let client = InProcessClient(graph.publicRouter)
        ExchangeCase(
            name: "ready", method: .get, path: "/readyz", status: 503, answer: #"{"status":"not_ready","authorization":"ready"}"#,
            answerHeaders: ["retry-after": "1"]
        ).check(client.send(.get, "/readyz"))
        #expect(client.send(.get, "/livez").status == 200)
    }
}
