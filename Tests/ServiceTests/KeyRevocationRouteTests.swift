import Core
import HTTPServer
import HelpDesk
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// `GET /v1/keys/revoked`
@Suite struct KeyRevocationRouteTests {
    private static let none: JSONObject = ["known": true, "revoked": false, "blocked": false]
    private static let revoked: JSONObject = ["known": true, "revoked": true, "blocked": false]
    private static let blocked: JSONObject = ["known": true, "revoked": true, "blocked": true]

    private func query(_ key: String, user: String = "user-1") -> String {
        "/v1/keys/revoked?app_id=shop&user_id=\(user)&security_key=\(key)"
    }

    @Test(
        arguments: [
            ("/v1/revocations", #","issued_before":7"#, none), ("/v1/revocations", #","user_id":"user-2""#, none),
            ("/v1/revocations", #","key_id":2"#, none), ("/v1/revocations", #","user_id":"user-1""#, revoked),
            ("/v1/revocations", #","key_id":1"#, revoked), ("/v1/revocations", #","issued_before":1773130513"#, revoked),
            ("/v1/users/sign-out", #","user_id":"user-1""#, revoked), ("/v1/users/block", #","user_id":"user-1""#, blocked),
            ("/v1/users/forget", #","user_id":"user-1""#, blocked), ("/v1/users/block", #","user_id":"user-2""#, none),
        ])
    func `reports the revocations that apply to a key`(_ path: String, fields: String, answer: JSONObject) throws {
        let fixture = try AdminDeliverFixture()
        let key = try TestKey().text()
        #expect(try fixture.send(.get, query(key)).object() == Self.none)
        #expect([200, 201].contains(fixture.send(.post, path, body: #"{"app_id":"shop"\#(fields)}"#).status))
        #expect(try fixture.send(.get, query(key)).object() == answer)
    }

    @Test func `reports that a key is revoked`() throws {
        let fixture = try AdminDeliverFixture()
        let key = try TestKey().text()
        #expect(fixture.send(.post, "/v1/revocations", body: #"{"app_id":"shop","security_key":"\#(key)"}"#).status == 201)
        #expect(try fixture.send(.get, query(key)).object() == Self.revoked)
        // The caller checks the MAC, not this route.
        #expect(try fixture.send(.get, query(key, user: "user-2")).object() == Self.revoked)
    }

    /// In backend mode only the block of a person applies.
    @Test func `reports whether the person is blocked for a key of the backend's own`() throws {
        let fixture = try AdminDeliverFixture()
        #expect(fixture.send(.post, "/v1/users/sign-out", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        #expect(try fixture.send(.get, query("session-7")).object() == Self.none)
        #expect(fixture.send(.post, "/v1/users/block", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        #expect(try fixture.send(.get, query("session-7")).object() == Self.blocked)
    }

    @Test(
        arguments: [
            "", "?app_id=shop&user_id=user-1", "?app_id=shop&security_key=k", "?user_id=user-1&security_key=k",
            "?app_id=nobody&user_id=user-1&security_key=k", "?app_id=shop&user_id=&security_key=k",
            "?app_id=shop&user_id=user-1&security_key=",
            "?app_id=shop&user_id=user-1&security_key=k&key=k",
        ])
    func `malformed queries are rejected`(_ query: String) throws {
        #expect(try AdminDeliverFixture().send(.get, "/v1/keys/revoked\(query)").status == 400)
    }

    @Test func `reports no key as valid before the revocations are known`() throws {
        let fixture = try ServiceFixture()
        let store = try DeliveryStore()
        store.refuse(.revocations, times: 1)
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        defer { graph.admin.stop() }
        let key = try TestKey().text()
        func answer() throws -> JSONObject {
            try InProcessClient(graph.adminRouter).send(.get, query(key), headers: AdminCases.authorization).object()
        }
        #expect(try answer() == ["known": false, "revoked": .null, "blocked": .null])
        graph.revocations.refresh()
        #expect(try answer() == Self.none)
    }
}
