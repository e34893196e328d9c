import Core
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Service

/// `GET /v1/find`
@Suite struct FindRouteTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture()
    }

    /// The matches as texts.
    private func find(_ query: String) throws -> [String] {
        let response = fixture.send(.get, "/v1/find?\(query)")
        #expect(response.status == 200, "\(response.text)")
        return try response.object()["found"]?.elements.map { match in
            let sources = match["found_in"]?.elements.compactMap(\.text).joined(separator: "+") ?? ""
            return "\(match["kind"]?.text ?? "") \(match["app_id"]?.text ?? "") \(match["user_id"]?.text ?? "-") \(sources)"
        } ?? []
    }

    /// The app is not part of the query.
    @Test func `finds a user who is blocked in the twenty fifth app`() throws {
        for number in 1...30 as ClosedRange<UInt64> {
            try fixture.store.revoke(.sample(number, appID: "app-\(number)", .user(number == 25 ? "ann" : "bob")))
        }
        #expect(try find("query=ann") == ["user app-25 ann block"])
    }

    /// One line for each object, however often it was found.
    @Test func `combines the records of a user`() throws {
        try AdminDeviceRoutesTests.register(fixture.store, user: "user-1", device: "phone")
        #expect(fixture.send(.post, "/v1/revocations", body: #"{"app_id":"shop","user_id":"user-1","issued_before":7}"#).status == 201)
        #expect(try find("query=user-1&kind=user") == ["user shop user-1 device+revocation+delivery"])
        #expect(try find("query=phone") == ["device shop user-1 device"])
    }

    @Test(
        arguments: [
            ("query=1", ["comment shop - delivery"]), ("query=4&kind=comment", ["comment bank - delivery"]),
            ("query=revoked", ["user shop revoked revocation"]), ("query=a%20b%2Bc%26d%3D%C3%A9%25", ["user bank a b+c&d=é% delivery"]),
            ("query=1&kind=ticket", []), ("query=nobody", []), ("query=user", []),
        ])
    func `finds by name`(query: String, found: [String]) throws {
        #expect(try find(query) == found)
    }

    @Test func `finds the ticket in each app`() throws {
        #expect(try find("query=9007199254740993").sorted() == ["ticket bank - delivery", "ticket shop - delivery"])
    }

    @Test(arguments: [true, false]) func `finds a delivery by its ID`(isUppercase: Bool) throws {
        let id = AdminDeliverFixture.id(1).description
        let query = isUppercase ? id.uppercased() : id
        #expect(try find("query=\(query)") == ["delivery shop user-1 delivery"])
        #expect(try find("query=\(query)&kind=user") == [])
    }

    /// The delivery that reports the erasure names the user until it has ended.
    @Test func `finds a forgotten user`() throws {
        #expect(fixture.send(.post, "/v1/users/forget", body: #"{"app_id":"shop","user_id":"user-9"}"#).status == 200)
        #expect(try find("query=user-9") == ["user shop user-9 former+delivery"])
        #expect(try find("query=user-9&kind=device") == [])
        let (store, time) = (fixture.store, AdminDeliverFixture.time)
        let claim = Claim(notifier: "log", now: time, leaseMilliseconds: 1000, limit: 1)
        let telling = try #require(try store.work([], [claim])[0].get().deliveries.first)
        _ = try store.work([FinishedAttempt(id: telling.id, attempt: 1, next: .delivered, reason: "arrived", now: time)], [])
        #expect(try find("query=user-9") == ["user shop user-9 former"])
    }

    /// Finds the app whose secret signed the key, if the user is given.
    @Test func `finds the app of a security key`() throws {
        let key = TestKey()
        #expect(try find("query=\(key.text())&user_id=\(key.user)").first == "security_key shop user-1 signature")
        #expect(try find("query=\(key.text())&user_id=somebody-else").contains("security_key shop - key_id"))
        #expect(try find("query=\(key.text())").contains("security_key shop - key_id"))
        #expect(try find("query=\(TestKey(keyID: 77).text())") == [])
        #expect(try find("query=\(key.text())&kind=user") == [])
    }

    @Test func `continues where a page has ended`() throws {
        for number in 100...220 { try AdminDeviceRoutesTests.register(fixture.store, user: "user-\(number)", device: "shared") }
        let first = try fixture.send(.get, "/v1/find?query=shared").object()
        #expect(first["found"]?.elements.count == 100)
        let next = try #require(first["next"]?.text)
        let second = try fixture.send(.get, "/v1/find?query=shared&after=\(next)").object()
        #expect(second["found"]?.elements.count == 21)
        #expect(second["next"] == .null)
        #expect(fixture.send(.get, "/v1/find?query=shared&after=e5").status == 200)
    }

    @Test(
        arguments: [
            "", "?query=", "?query=x&kind=person", "?query=x&kind=", "?query=x&after=", "?query=x&after=x", "?query=x&after=e",
            "?query=x&after=e-1", "?query=x&after=e+1", "?query=x&after=e01", "?query=x&after=d", "?query=x&after=dQQ", "?query=x&user_id=",
            "?query=x&app_id=shop", "?query=x&query=y",
        ])
    func refuses(query: String) {
        #expect(fixture.send(.get, "/v1/find\(query)").status == 400)
    }
}
