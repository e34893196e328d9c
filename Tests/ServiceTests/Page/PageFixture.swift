import HTTPServer
import JSON
import TestSupport
import Threading

@testable import AdminAPI
@testable import Configuration

/// A browser with the operators' page: it stores the cookie and the session's secret, and sends its origin.
final class PageFixture {
    let admin: AdminDeliverFixture
    /// Nanoseconds of the monotonic clock.
    let clock: Monitor<UInt64>
    /// The cookie with its name; several are separated as in the header.
    var cookie: String?
    /// The session's secret, which is sent with each request.
    var secret: String?

    init(members: String = ServiceFixture.roleTokens, others: String = #""log":{}"#) throws {
        let clock = Monitor<UInt64>(0)
        self.clock = clock
        admin = try AdminDeliverFixture(members: members, others: others, clock: clock)
    }

    /// Sends a request like the page; nil omits the origin.
    func send(
        _ method: HTTPServer.Method, _ path: String, body: String = "", origin: String? = "http://127.0.0.1:9090",
        headers: [String: String] = [:]
    ) -> ReceivedResponse {
        var all = ["Host": "127.0.0.1:9090"].merging(headers) { _, given in given }
        all["Cookie"] = cookie.map { "other=1; \($0)" }
        all["Deskgate-Session-Secret"] = secret
        all["Origin"] = origin
        let response = InProcessClient(admin.router).send(method, path, headers: all, body: Array(body.utf8))
        if let set = response.headers["set-cookie"] {
            let pair = set.split(separator: ";").first.map { String($0) }
            cookie = set.contains("Max-Age=0") ? nil : pair
            secret = JSONValue(parsing: response.body)?["secret"]?.text
        }
        return response
    }

    /// Signs in with the token of a role.
    func signIn(_ role: AdminToken.Role) -> ReceivedResponse { signIn(ServiceFixture.token(role)) }

    func signIn(_ token: String, origin: String? = "http://127.0.0.1:9090") -> ReceivedResponse {
        send(.post, "/session", body: #"{"token":"\#(token)"}"#, origin: origin)
    }

    /// Advances the monotonic clock.
    func pass(minutes: UInt64) { clock.withLock { $0 += minutes * 60 * 1_000_000_000 } }

    /// The lines of the audit, without peer and request.
    func audits() throws -> [String] {
        try admin.log.lines().filter { $0.contains(" audit ") }.map { line in
            let words = line.split(separator: " ")
            return words.filter { !$0.hasPrefix("peer=") && !$0.hasPrefix("request_id=") && !$0.contains("T") }.joined(separator: " ")
        }
    }
}
