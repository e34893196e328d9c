internal import Core
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// The table of the admin listener's requests matches the listener's behavior.
@Suite struct AdminTableTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture(others: #""log":{},"# + AdminDeliverFixture.pushNotifiers)
    }

    private static let indices = AdminRoute.all.indices

    /// A valid request, by method and path.
    private static let good: [String: (query: String, body: String)] = [
        "POST /v1/keys": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
        "GET /v1/keys/revoked": ("?app_id=shop&user_id=user-1&security_key=k", ""),
        "GET /v1/find": ("?query=user-1", ""),
        "GET /v1/explain": ("?app_id=shop&user_id=user-1", ""),
        "GET /v1/listener-proof": ("?nonce=\(String(repeating: "A", count: 43))", ""),
        "DELETE /v1/deliveries": ("?state=delivered", ""),
        "POST /v1/deliveries/retry": ("", #"{"all":true}"#),
        "GET /v1/push-tokens": ("?app_id=shop", ""),
        "DELETE /v1/push-tokens": ("?app_id=shop&user_id=user-1", ""),
        "POST /v1/revocations": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
        "POST /v1/notifiers/test": ("", #"{"notifier":"log"}"#),
        "POST /v1/notifiers/prove": ("", "{}"),
        "POST /v1/notifiers/push": ("", #"{"notifier":"phones","token":"token-1"}"#),
        "POST /v1/users/sign-out": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
        "POST /v1/users/block": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
        "POST /v1/users/forget": ("", #"{"app_id":"shop","user_id":"user-9"}"#),
        "POST /v1/users/seen": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
        "GET /v1/users": ("?app_id=shop&user_id=user-1", ""),
        "GET /v1/tickets": ("?app_id=shop", ""),
        "GET /v1/tickets/count": ("?app_id=shop", ""),
        "GET /v1/tickets/show": ("?app_id=shop&ticket_id=101", ""),
        "POST /v1/tickets": ("", #"{"app_id":"shop","user_id":"user-1","title":"Order 7"}"#),
        "POST /v1/tickets/close": ("", #"{"app_id":"shop","ticket_id":101}"#),
        "POST /v1/tickets/reopen": ("", #"{"app_id":"shop","ticket_id":101}"#),
        "POST /v1/tickets/priority": ("", #"{"app_id":"shop","ticket_id":101,"priority":"HIGH"}"#),
        "POST /v1/tickets/related-channels": ("", #"{"app_id":"shop","ticket_id":101,"related_channels":[]}"#),
        "POST /v1/tickets/fields": ("", #"{"app_id":"shop","ticket_id":101,"custom_fields":{"order":"7"}}"#),
        "POST /v1/users/unblock": ("", #"{"app_id":"shop","user_id":"user-1"}"#),
    ]

    private func send(_ route: AdminRoute, query: String? = nil, body: String? = nil, token: String? = ServiceFixture.token)
        -> ReceivedResponse
    {
        let good = Self.good["\(route.method.token) \(route.path)"] ?? ("", "")
        let path = "\(route.path)".split(separator: "/").map { $0.first == ":" ? AdminDeliverFixture.id(2).description : String($0) }
        return InProcessClient(fixture.router).send(
            route.method, "/" + path.joined(separator: "/") + (query ?? good.query),
            headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:], body: Array((body ?? good.body).utf8))
    }

    @Test(arguments: indices) func `lists the response`(_ index: Int) throws {
        let route = AdminRoute.all[index]
        guard !route.answer.members.isEmpty, !["/v1/status", "/v1/listener-proof", "/openapi.json"].contains("\(route.path)") else {
            return
        }
        let response = send(route)
        #expect(response.status == route.answer.status)
        guard case .object(let object)? = JSONValue(parsing: Array(response.text.utf8)) else { throw SocketClient.Failure.closed }
        #expect(object.members.map(\.key) == route.answer.members)
    }

    @Test(arguments: indices) func `lists the permitted callers`(_ index: Int) {
        let route = AdminRoute.all[index]
        let needsToken = ![.anyone, .scrape].contains(route.role)
        #expect((send(route, token: nil).status == 401) == needsToken)
    }

    @Test(arguments: indices, AdminToken.Role.allCases) func `lists the sufficient roles`(_ index: Int, _ role: AdminToken.Role) throws {
        let route = AdminRoute.all[index]
        let allowed: Set<AdminRoute.Role> =
            switch role {
            case .mint: [.anyone, .scrape, .mint]
            case .read: [.anyone, .scrape, .read]
            case .operate: [.anyone, .scrape, .read, .operate]
            }
        let response = send(route, token: ServiceFixture.token(role))
        #expect((response.status == 403) == !allowed.contains(route.role))
        guard response.status == 403 else { return }
        let (needed, sent) = (route.role.rawValue, role.rawValue)
        #expect(
            response.text
                == ExchangeCase.error("forbidden", "This request needs a token of the role \(needed); the one sent has the role \(sent)."))
        #expect(response.headers["www-authenticate"] == #"Bearer error="insufficient_scope", scope="\#(needed)""#)
        #expect(try fixture.log.lines().filter { $0.contains(" audit ") }.count == 1)
    }

    /// A command's role depends on whether its action makes a change.
    @Test(arguments: indices) func `lists the requests with an audit line`(_ index: Int) throws {
        let route = AdminRoute.all[index]
        #expect(send(route).status < 500)
        #expect(try fixture.log.lines().filter { $0.contains(" audit ") }.count == ([.mint, .operate].contains(route.role) ? 1 : 0))
    }

    /// A query parameter that is missing from the table is rejected, and one in the table is accepted.
    @Test(arguments: indices) func `lists the parameters`(_ index: Int) {
        let route = AdminRoute.all[index]
        let names = route.parameters.filter { $0.place == .query }.map(\.name)
        guard !names.isEmpty else { return }
        let isProof = "\(route.path)" == "/v1/listener-proof"
        #expect(send(route, query: "?surely-unknown=1").status == (isProof ? 404 : 400))
        for name in names { #expect(!send(route, query: "?\(name)=%00").text.contains("Unknown criterion")) }
    }

    @Test func `lists each parameter of a body`() throws {
        for route in AdminRoute.all {
            for parameter in route.parameters where parameter.place == .body {
                let text = send(route, body: "{\"\(parameter.name)\":[]}").text
                #expect(!text.contains("Unknown"), "\(route.path) \(parameter.name)")
            }
        }
    }

    @Test func `is complete`() {
        #expect(Set(AdminRoute.all.map { "\($0.method.token) \($0.path)" }).count == AdminRoute.all.count)
        for route in AdminRoute.all {
            #expect(route.summary.last == ".")
            #expect(route.answer.text.last == ".")
            #expect("\(route.path)".contains(":") == route.parameters.contains { $0.place == .path })
            #expect(Set(route.parameters.map(\.name)).count == route.parameters.count)
            #expect(route.parameters.allSatisfy { $0.text.last == "." })
            #expect(Set(route.answer.types.keys).isSubset(of: route.answer.members))
            // A change needs the role operate or mint.
            #expect(route.method == .get || [.operate, .mint].contains(route.role))
        }
        #expect(AdminRoute.all.contains { $0.role == .scrape })
        #expect(AdminRoute.all.contains { $0.role == .mint })
    }
}
