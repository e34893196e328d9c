import HTTPServer
import JSON
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration

/// A browser signs in with an admin token. Its session has the token's permissions, but only on the page.
@Suite struct SessionTests {
    private let fixture: PageFixture
    private let retry = #"{"all":true}"#

    init() throws {
        fixture = try PageFixture()
    }

    private var role: String { fixture.send(.get, "/session").text }

    @Test func `opens for tokens that may read`() throws {
        #expect(role == #"{"role":null,"token":null}"#)
        let response = fixture.signIn(.read)
        #expect(response.status == 200)
        #expect(try response.object().members.map(\.key) == ["role", "token", "secret"])
        #expect(try response.object()["role"] == "read")
        #expect(try response.object()["token"] == "read-holder")
        #expect(role == #"{"role":"read","token":"read-holder"}"#)
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
        #expect(fixture.send(.get, "/v1/status").status == 200)
    }

    @Test func `has a cookie that is hidden from scripts and other sites`() throws {
        let set = try #require(fixture.signIn(.read).headers["set-cookie"])
        let parts = set.split(separator: "; ").map { String($0) }
        #expect(parts.dropFirst().elementsEqual(["Path=/", "HttpOnly", "SameSite=Strict"]))
        #expect(parts[0].hasPrefix("deskgate_session_9090=") && parts[0].utf8.count == "deskgate_session_9090=".utf8.count + 43)
    }

    /// With TLS, browsers accept it only from this host.
    @Test func `has a cookie for its host only with TLS`() throws {
        let files = try TemporaryDirectory()
        try files.write("certificate.pem", TestCertificate.shared.certificate, mode: 0o644)
        try files.write("key.pem", TestCertificate.shared.key)
        let tls = #""tls":{"certificate":"\#(files.path("certificate.pem"))","key":"\#(files.path("key.pem"))"}"#
        let fixture = try PageFixture(members: "\(tls),\(ServiceFixture.roleTokens)")
        let set = try #require(fixture.signIn(ServiceFixture.token(.read), origin: "https://127.0.0.1:9090").headers["set-cookie"])
        #expect(set.hasPrefix("__Host-deskgate_session_9090="))
        #expect(set.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
    }

    /// Browsers send cookies to every port of a host: services behind two tunnels must not replace each other's cookies.
    @Test func `has a cookie named after the port`() throws {
        let (first, second) = (["Host": "127.0.0.1:9090"], ["Host": "localhost:9091"])
        func set(_ headers: [String: String]) throws -> String {
            let origin = "http://" + (headers["Host"] ?? "")
            let body = #"{"token":"\#(ServiceFixture.token(.read))"}"#
            let response = fixture.send(.post, "/session", body: body, origin: origin, headers: headers)
            return String(try #require(response.headers["set-cookie"]).prefix { $0 != "=" })
        }
        #expect(try set(first) == "deskgate_session_9090")
        #expect(try set(second) == "deskgate_session_9091")
        #expect(try set(["Host": "localhost"]) == "deskgate_session")
    }

    @Test func `is denied without a valid token`() throws {
        #expect(fixture.signIn(TestSecret.text(99)).status == 401)
        let minting = fixture.signIn(.mint)
        #expect(minting.status == 403)
        #expect(minting.headers["set-cookie"] == nil)
        #expect(fixture.send(.post, "/session", body: #"{"token":1}"#).status == 400)
        #expect(fixture.send(.post, "/session", body: #"{"other":""}"#).status == 400)
        #expect(fixture.send(.post, "/session", body: "").status == 400)
        #expect(role == #"{"role":null,"token":null}"#)
        #expect(
            try fixture.audits() == [
                "WARN audit action=authenticate outcome=unauthorized",
                "WARN audit action=authenticate outcome=forbidden needed=read role=mint token=mint-holder",
            ])
    }

    @Test func `has its token's permissions`() throws {
        _ = fixture.signIn(.read)
        #expect(fixture.send(.post, "/v1/deliveries/retry", body: retry).status == 403)
        _ = fixture.signIn(.operate)
        #expect(fixture.send(.post, "/v1/deliveries/retry", body: retry).status == 200)
        #expect(
            try fixture.audits() == [
                "INFO audit action=session.open outcome=done role=read token=read-holder",
                "WARN audit action=authenticate outcome=forbidden needed=operate role=read token=read-holder",
                "INFO audit action=session.open outcome=done role=operate token=operate-holder",
                "INFO audit action=deliveries.retry outcome=done retried=2 role=operate token=operate-holder",
            ])
    }

    /// `admin.token` may mint, but a browser session with it may not.
    @Test func `mints no key`() {
        #expect(fixture.signIn(ServiceFixture.token).status == 200)
        #expect(fixture.send(.post, "/v1/keys", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 403)
    }

    @Test(arguments: [
        nil, "null", "http://127.0.0.1:8080", "http://localhost:9090", "https://evil.example", "http://127.0.0.1:9090.evil.example",
    ])
    func `rejects changes from another origin`(_ origin: String?) {
        #expect(fixture.signIn(ServiceFixture.token(.operate), origin: origin).status == 403)
        _ = fixture.signIn(.operate)
        let response = fixture.send(.post, "/v1/deliveries/retry", body: retry, origin: origin)
        #expect(response.status == 403)
        #expect(response.text.contains("foreign_origin"))
        #expect(fixture.send(.delete, "/session", origin: origin).status == 403)
        #expect(role.contains("operate"))
    }

    @Test(arguments: ["cross-site", "same-site", "none"]) func `rejects changes that the browser marks as foreign`(_ site: String) {
        _ = fixture.signIn(.operate)
        let headers = ["Sec-Fetch-Site": site]
        #expect(fixture.send(.post, "/v1/deliveries/retry", body: retry, headers: headers).status == 403)
        #expect(fixture.send(.post, "/v1/deliveries/retry", body: retry, headers: ["Sec-Fetch-Site": "same-origin"]).status == 200)
    }

    @Test func `ends by signing out`() throws {
        _ = fixture.signIn(.read)
        let response = fixture.send(.delete, "/session")
        #expect(response.status == 200)
        #expect(try #require(response.headers["set-cookie"]).contains("Max-Age=0"))
        #expect(fixture.send(.get, "/v1/deliveries").status == 401)
        #expect(try fixture.audits().contains("INFO audit action=session.close outcome=done role=read token=read-holder"))
    }

    /// The browser may still have the cookie of an ended session.
    @Test func `ends with its token`() throws {
        _ = fixture.signIn(.read)
        try fixture.admin.reload(
            members: #""tokens":[{"name":"operate-holder","role":"operate","token":{"file":"secrets/operate-token"}}]"#)
        let response = fixture.send(.get, "/v1/deliveries")
        #expect(response.status == 401)
        #expect(response.text.contains("session_ended"))
        #expect(try fixture.audits().last == "WARN audit action=authenticate outcome=session_ended")
        try fixture.admin.reload(members: ServiceFixture.roleTokens)
        #expect(fixture.send(.get, "/v1/deliveries").status == 401)
    }

    @Test func `follows its token's role`() throws {
        _ = fixture.signIn(.operate)
        try fixture.admin.reload(members: #""tokens":[{"name":"operate-holder","role":"read","token":{"file":"secrets/operate-token"}}]"#)
        #expect(role == #"{"role":"read","token":"operate-holder"}"#)
        #expect(fixture.send(.post, "/v1/deliveries/retry", body: retry).status == 403)
    }

    @Test func `expires without use`() {
        _ = fixture.signIn(.read)
        fixture.pass(minutes: 29)
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
        fixture.pass(minutes: 29)
        // The page's own polling is not counted as use.
        #expect(fixture.send(.get, "/v1/status", headers: ["Deskgate-Background": "1"]).status == 200)
        fixture.pass(minutes: 1)
        #expect(fixture.send(.get, "/v1/deliveries").status == 401)
    }

    @Test func `expires after eight hours`() {
        _ = fixture.signIn(.read)
        for _ in 1...19 {
            fixture.pass(minutes: 25)
            #expect(fixture.send(.get, "/v1/deliveries").status == 200)
        }
        fixture.pass(minutes: 5)
        #expect(fixture.send(.get, "/v1/deliveries").status == 401)
    }

    /// The session of the same token with the oldest use is replaced.
    @Test func `are limited for each token`() throws {
        let (book, tokens) = try bookAndTokens()
        let token = try #require(tokens["read"])
        let first = try book.open(token)
        fixture.pass(minutes: 1)
        let second = try book.open(token)
        fixture.pass(minutes: 1)
        #expect(isOpen(first, of: token, in: book))
        for _ in 2..<AdminSessionStore.maximumSessionsPerToken { _ = try book.open(token) }
        fixture.pass(minutes: 1)
        _ = try book.open(token)
        #expect(book.count == AdminSessionStore.maximumSessionsPerToken)
        #expect(isOpen(first, of: token, in: book))
        #expect(!isOpen(second, of: token, in: book))
    }

    /// For each pair of tokens; the victim's session has the oldest use of all.
    @Test(arguments: ["admin", "read", "operate"], ["admin", "read", "operate"])
    func `are not ended by those of another token`(_ flooding: String, _ victim: String) throws {
        let (book, tokens) = try bookAndTokens()
        let flood = try #require(tokens[flooding])
        let token = try #require(tokens[victim])
        let session = try book.open(token)
        fixture.pass(minutes: 1)
        for _ in 0..<(4 * AdminSessionStore.maximumSessionsPerToken) { _ = try book.open(flood) }
        #expect(isOpen(session, of: token, in: book) == (flooding != victim))
        #expect(book.count == AdminSessionStore.maximumSessionsPerToken + (flooding == victim ? 0 : 1))
    }

    /// A session store with the fixture's clock, and the tokens that sign in, by name.
    private func bookAndTokens() throws -> (AdminSessionStore, [String: AdminToken]) {
        let clock = fixture.clock
        let tokens = fixture.admin.configuration.admin.tokens.filter { $0.has(.read) }
        let named = tokens.map { ($0.hasAllRoles ? "admin" : $0.role.rawValue, $0) }
        return (AdminSessionStore { .init(nanoseconds: clock.withLock { $0 }) }, Dictionary(uniqueKeysWithValues: named))
    }

    private func isOpen(_ session: SessionCredential, of token: AdminToken, in book: AdminSessionStore) -> Bool {
        book.token(of: session, among: [token], isUse: true) != nil
    }
}
