import Core
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration

/// A browser sends a session's cookie to every port of the host, so the cookie is useless without the session's secret.
@Suite struct SessionSecretTests {
    /// Secrets that another program may send with the cookie.
    enum Forgery: CaseIterable {
        case nothing, empty, shorter, longer, cookie, secretOfAnotherSession

        var code: String { self == .nothing ? "session_secret_missing" : "session_ended" }
    }

    private static let guarded = AdminRoute.all.indices.filter { AdminRoute.all[$0].role != .anyone }
    private static let person = #"{"app_id":"shop","user_id":"user-1"}"#
    /// The session's cookie among others with similar names, which another port of the host may have set.
    private static let mixtures = [
        "deskgate_session_9090=x; OWN", "OWN; deskgate_session_9090=x", "deskgate_session_9090=; OWN", "deskgate_session_9090==; OWN",
        "deskgate_session_9090=x; deskgate_session_9090=y; OWN; deskgate_session_9090=z", "OWN; OWN",
        "deskgate_session=x; deskgate_session_9091=x; OWN",
    ]
    /// The session's cookie with that of another session.
    private static let pairs = ["OTHER; OWN", "OWN; OTHER"]

    private let fixture: PageFixture
    /// Another session of the same token.
    private let otherCookie, otherSecret: String
    private let cookie, secret: String

    init() throws {
        fixture = try PageFixture(members: #""metrics_need_token":true,"# + ServiceFixture.roleTokens)
        _ = fixture.signIn(.operate)
        otherCookie = try #require(fixture.cookie)
        otherSecret = try #require(fixture.secret)
        fixture.secret = nil
        _ = fixture.signIn(.operate)
        cookie = try #require(fixture.cookie)
        secret = try #require(fixture.secret)
    }

    private func forged(_ forgery: Forgery) -> String? {
        switch forgery {
        case .nothing: nil
        case .empty: ""
        case .shorter: String(secret.dropLast())
        case .longer: secret + "A"
        case .cookie: cookie.split(separator: "=").last.map { String($0) }
        case .secretOfAnotherSession: otherSecret
        }
    }

    private func mixed(_ mixture: String) -> String {
        mixture.replacing("OWN", with: cookie).replacing("OTHER", with: otherCookie)
    }

    private func send(_ route: AdminRoute) -> ReceivedResponse {
        let path = "\(route.path)".split(separator: "/").map { $0.first == ":" ? AdminDeliverFixture.id(2).description : String($0) }
        return fixture.send(route.method, "/" + path.joined(separator: "/"))
    }

    private var mayChat: JSONValue? {
        get throws { try fixture.admin.send(.get, "/v1/users?app_id=shop&user_id=user-1").object()["may_chat"] }
    }

    @Test func `is random and not part of the cookie`() {
        #expect(secret.utf8.count == 43)
        #expect(secret != otherSecret)
        #expect(!cookie.contains(secret))
    }

    @Test(arguments: guarded, Forgery.allCases) func `is required by every request`(_ index: Int, _ forgery: Forgery) {
        fixture.secret = forged(forgery)
        let response = send(AdminRoute.all[index])
        #expect(response.status == 401)
        #expect(response.text.contains(forgery.code))
    }

    @Test(arguments: guarded) func `is sufficient with the cookie`(_ index: Int) {
        #expect(send(AdminRoute.all[index]).status != 401)
    }

    /// The program forges all other headers of a browser.
    @Test(arguments: Forgery.allCases) func `is required to block a user`(_ forgery: Forgery) throws {
        let headers = ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"]
        fixture.secret = forged(forgery)
        #expect(fixture.send(.post, "/v1/users/block", body: Self.person, headers: headers).status == 401)
        #expect(try mayChat == true)
        fixture.secret = secret
        #expect(fixture.send(.post, "/v1/users/block", body: Self.person, headers: headers).status == 200)
        #expect(try mayChat == false)
    }

    @Test(arguments: Forgery.allCases) func `is required to see the session`(_ forgery: Forgery) {
        fixture.secret = forged(forgery)
        #expect(fixture.send(.get, "/session").text == #"{"role":null,"token":null}"#)
    }

    @Test(arguments: Forgery.allCases) func `is required to end the session`(_ forgery: Forgery) {
        fixture.secret = forged(forgery)
        let response = fixture.send(.delete, "/session")
        #expect(response.status == 401)
        #expect(response.text.contains(forgery.code))
        #expect(response.headers["set-cookie"] == nil)
        fixture.secret = secret
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
    }

    /// Signing in ends the browser's former session. A client with a token and another user's cookie ends none.
    @Test func `is required to replace the session`() {
        _ = fixture.signIn(.operate)
        (fixture.cookie, fixture.secret) = (cookie, secret)
        #expect(fixture.send(.get, "/v1/deliveries").text.contains("session_ended"))
        (fixture.cookie, fixture.secret) = (otherCookie, otherSecret)
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
    }

    @Test(arguments: mixtures + pairs) func `finds the session's cookie among others`(_ mixture: String) {
        fixture.cookie = mixed(mixture)
        #expect(fixture.send(.get, "/session").text.contains("operate"))
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
        #expect(fixture.send(.post, "/v1/users/block", body: Self.person).status == 200)
    }

    @Test(arguments: mixtures + pairs) func `ends the session among others`(_ mixture: String) {
        fixture.cookie = mixed(mixture)
        #expect(fixture.send(.delete, "/session").status == 200)
        (fixture.cookie, fixture.secret) = (cookie, secret)
        #expect(fixture.send(.get, "/v1/deliveries").text.contains("session_ended"))
        (fixture.cookie, fixture.secret) = (otherCookie, otherSecret)
        #expect(fixture.send(.get, "/v1/deliveries").status == 200)
    }

    @Test(arguments: mixtures, Forgery.allCases) func `is required with several cookies`(_ mixture: String, _ forgery: Forgery) {
        fixture.cookie = mixed(mixture)
        fixture.secret = forged(forgery)
        let response = fixture.send(.get, "/v1/deliveries")
        #expect(response.status == 401)
        #expect(response.text.contains(forgery.code))
    }

    @Test func `is not required with a token`() {
        fixture.secret = nil
        #expect(fixture.send(.get, "/v1/deliveries", headers: AdminDeliverFixture.authorization).status == 200)
    }

    @Test func `the error asks for it`() {
        fixture.secret = nil
        let text = fixture.send(.get, "/v1/deliveries").text
        #expect(text.contains("Deskgate-Session-Secret"))
        #expect(text.contains("Authorization: Bearer"))
    }

    @Test func `its absence is in the audit log`() throws {
        fixture.secret = nil
        _ = fixture.send(.post, "/v1/users/block", body: Self.person)
        #expect(try fixture.audits().last == "WARN audit action=authenticate outcome=session_secret_missing")
    }

    @Test func `is not logged`() throws {
        _ = fixture.send(.post, "/v1/users/block", body: Self.person)
        fixture.secret = otherSecret
        _ = fixture.send(.post, "/v1/users/block", body: Self.person)
        let lines = try fixture.admin.log.lines()
        #expect(lines.contains { $0.contains("session_ended") })
        #expect(!lines.contains { $0.contains(secret) })
        #expect(!lines.contains { $0.contains(otherSecret) })
    }
}
