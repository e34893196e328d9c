import Core
import Crypto
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Keys minted by the service.
@Suite struct KeyMintingTests {
    private let user = "\u{1F600} \"user\\/\u{E9}"

    private func mint(_ graph: ServiceGraph, _ ttl: String = "") throws -> JSONObject {
        let user = String(decoding: JSONValue.string(user).serialized(), as: UTF8.self)
        let body = #"{"app_id":"shop","user_id":\#(user)\#(ttl)}"#
        let response = InProcessClient(graph.adminRouter).send(
            .post, "/v1/keys", headers: AdminCases.authorization, body: Array(body.utf8))
        #expect(response.status == 201)
        #expect(response.headers == ["content-type": "application/json", "cache-control": "no-store"])
        guard case .object(let object) = try JSONDocument(parsing: response.body.span).value() else { return [:] }
        #expect(object.members.map(\.key) == ["security_key", "key_id", "issued_at", "expires_at"])
        return object
    }

    @Test(arguments: [
        ("", TestTime.now + 604_800), (#","ttl_seconds":null"#, TestTime.now + 604_800), (#","ttl_seconds":0"#, 0),
        (#","ttl_seconds":1"#, TestTime.now + 1), (#","ttl_seconds":1097738497263"#, SecurityKey.latestTime),
    ])
    func `have the requested lifetime`(ttl: String, expiresAt: UnixSeconds) throws {
        let minted = try mint(ServiceFixture().graph(), ttl)
        #expect(minted["key_id"] == 2)
        #expect(minted["issued_at"] == .integer(Int64(TestTime.now.rawValue)))
        #expect(minted["expires_at"] == .integer(Int64(expiresAt.rawValue)))
    }

    @Test func `authorize only their user`() throws {
        let graph = try ServiceFixture().graph()
        guard case .string(let key) = try mint(graph)["security_key"] else {
            Issue.record("no key")
            return
        }
        let client = InProcessClient(graph.publicRouter)
        for (user, status) in [(user, 200), ("user-1", 403)] {
            let body: JSONValue = ["app_id": "shop", "user_id": .string(user), "security_key": .string(key)]
            #expect(client.send(.post, "/pyrus/authorize", body: body.serialized()).status == status)
        }
    }

    @Test func `differ each time`() throws {
        let graph = try ServiceFixture().graph()
        #expect(try mint(graph)["security_key"] != mint(graph)["security_key"])
    }

    @Test(arguments: [
        ("", 201), (#","ttl_seconds":100"#, 201), (#","ttl_seconds":1"#, 201), (#","ttl_seconds":101"#, 400), (#","ttl_seconds":0"#, 400),
    ])
    func `have a limited lifetime`(ttl: String, status: Int) throws {
        let graph = try ServiceFixture(members: #""security_keys":{"longest_life_seconds":100}"#).graph()
        let body = Array(#"{"app_id":"shop","user_id":"user-1"\#(ttl)}"#.utf8)
        let response = InProcessClient(graph.adminRouter).send(.post, "/v1/keys", headers: AdminCases.authorization, body: body)
        #expect(response.status == status)
        let refused = ExchangeCase.error("malformed", "A key may live at most 100 seconds, and not for ever.")
        #expect(status == 201 || response.text == refused)
    }

    /// Two apps: one with its own limits, and one with the common limits.
    private func twoApps() throws -> ServiceFixture {
        func app(_ name: String, number: Int, more: String) -> String {
            #"{"app_id":"\#(name)","keys":[{"id":1,"secret":{"file":"secrets/app-\#(number).key"}}]\#(more)}"#
        }
        let own = #","security_keys":{"longest_life_seconds":100,"default_life_seconds":50}"#
        return try ServiceFixture(
            json: #"{"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"#
                + #""apps":[\#(app("bank", number: 1, more: own)),\#(app("shop", number: 2, more: ""))],"security_keys":{"longest_life_seconds":200}}"#
        )
    }

    @Test(
        arguments: [
            ("bank", "", 50), ("bank", #","ttl_seconds":100"#, 100), ("bank", #","ttl_seconds":101"#, nil),
            ("bank", #","ttl_seconds":0"#, nil),
            ("shop", "", 200), ("shop", #","ttl_seconds":200"#, 200), ("shop", #","ttl_seconds":201"#, nil),
        ] as [(String, String, UInt64?)])
    func `have a lifetime within their app's limit`(app: String, ttl: String, life: UInt64?) throws {
        let body = Array(#"{"app_id":"\#(app)","user_id":"user-1"\#(ttl)}"#.utf8)
        let response = InProcessClient(try twoApps().graph().adminRouter)
            .send(.post, "/v1/keys", headers: AdminCases.authorization, body: body)
        guard let life else {
            let longest = app == "bank" ? 100 : 200
            let message = "A key may live at most \(longest) seconds, and not for ever."
            #expect(response.text == ExchangeCase.error("malformed", message))
            return
        }
        #expect(try response.object()["expires_at"] == .integer(Int64((TestTime.now + life).rawValue)))
    }

    /// Keys of a backend that mints by itself are limited as well.
    @Test(
        arguments: [("bank", 160, 200), ("bank", 161, 403), ("shop", 161, 200), ("shop", 260, 200), ("shop", 261, 403)]
            as [(String, UInt64, Int)])
    func `are denied when they are older than their app's limit`(app: String, age: UInt64, status: Int) throws {
        let key = TestKey(app: app, secret: app == "bank" ? 1 : 2, issuedAt: TestTime.now - age)
        let body = try AuthorizeCases.json(["app_id": "\"\(app)\"", "security_key": "\"\(key.text())\""])
        #expect(InProcessClient(try twoApps().graph().publicRouter).send(.post, "/pyrus/authorize", body: body).status == status)
    }

    @Test func `of a relay have a lifetime of ten minutes at most`() throws {
        for (app, life) in [("bank", 100), ("shop", 200)] as [(String, UInt64)] {
            let key = try twoApps().graph().mintKey(clocks: ServiceFixture.clocks)(app, "user-1") ?? ""
            let bytes = Array(key.utf8)
            #expect(SecurityKey(bytes.span)?.expiresAt == TestTime.now + life)
        }
        let key = try ServiceFixture().graph().mintKey(clocks: ServiceFixture.clocks)("shop", "user-1") ?? ""
        let bytes = Array(key.utf8)
        #expect(SecurityKey(bytes.span)?.expiresAt == TestTime.now + 600)
    }

    @Test func `are signed with the given key`() throws {
        let minting = KeyMinting(try ServiceFixture().configuration.makeAuthorizer(), defaultLifetimeSeconds: 0)
        let minted = try minting.mint(appID: "shop", userID: "user-1", keyID: 1, now: TestTime.now)
        #expect(minted.keyID == 1)
        #expect(minted.expiresAt == 0)
        #expect {
            try minting.mint(appID: "shop", userID: "user-1", keyID: 3, now: TestTime.now)
        } throws: {
            "\($0)" == "The app has no key with the id 3."
        }
    }

    @Test func `expire within the times that fit in a key`() throws {
        let minting = KeyMinting(try ServiceFixture().configuration.makeAuthorizer(), defaultLifetimeSeconds: 0)
        let minted = try minting.mint(appID: "shop", userID: "user-1", lifetimeSeconds: 1, now: SecurityKey.latestTime - 1)
        #expect(minted.expiresAt == SecurityKey.latestTime)
        #expect {
            try minting.mint(appID: "shop", userID: "user-1", lifetimeSeconds: 1, now: SecurityKey.latestTime)
        } throws: {
            "\($0)" == "A key may live at most 0 seconds, or for ever."
        }
    }

    /// Keys 1, 2 … of an app, each with its state and expiry.
    private func minting(
        _ keys: [(state: Application.Key.State, notAfter: UnixSeconds?)], life: UInt64 = 1000
    ) throws -> KeyMinting {
        let secret = try HMACKey<SHA256>(secret: Array(repeating: 7, count: 32).span)
        let keys = keys.enumerated().map {
            Application.Key(id: UInt32($0.offset + 1), secret: secret, state: $0.element.state, notAfter: $0.element.notAfter)
        }
        return KeyMinting(try Authorizer([Application(id: "shop", keys: keys)]), defaultLifetimeSeconds: life)
    }

    private func refusal(_ minting: KeyMinting, keyID: UInt32? = nil, life: UInt64? = nil) -> String? {
        do {
            _ = try minting.mint(appID: "shop", userID: "user-1", keyID: keyID, lifetimeSeconds: life, now: TestTime.now)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `are signed with the newest active key`() throws {
        let past = TestTime.now - 1
        let minting = try minting([(.active, nil), (.active, nil), (.verifyOnly, nil), (.active, past), (.verifyOnly, past)])
        #expect(try minting.mint(appID: "shop", userID: "user-1", now: TestTime.now).keyID == 2)
        #expect(try minting.mint(appID: "shop", userID: "user-1", keyID: 1, now: TestTime.now).keyID == 1)
        #expect(
            refusal(minting, keyID: 3)
                == "The app's key 3 is verify_only; leave --key-id out, or, if it is the newest, "
                + "make it active with deskgate secret rotate.")
        for keyID in [4, 5] as [UInt32] {
            #expect(
                refusal(minting, keyID: keyID)
                    == "The app's key \(keyID) has ended, as its not_after has passed; leave --key-id out.")
        }
    }

    @Test func `are not signed with an inactive key`() throws {
        let refused = "The app has no active key: each one is verify_only, or its not_after has passed; run deskgate secret rotate."
        #expect(refusal(try minting([(.verifyOnly, nil), (.active, TestTime.now - 1)])) == refused)
        let json = ServiceFixture.json(keys: [1]).replacing(#"app-1.key"}"#, with: #"app-1.key"},"state":"verify_only""#)
        let graph = try ServiceFixture(json: json).graph()
        let body = Array(#"{"app_id":"shop","user_id":"user-1"}"#.utf8)
        let response = InProcessClient(graph.adminRouter).send(.post, "/v1/keys", headers: AdminCases.authorization, body: body)
        #expect(response.status == 409)
        #expect(response.text == ExchangeCase.error("no_active_key", refused))
    }

    /// The default lifetime is limited by the end of the secret; a longer requested lifetime is rejected.
    @Test func `do not outlive their secret`() throws {
        for life in [1000, 0] as [UInt64] {
            let minting = try minting([(.active, TestTime.now + 500)], life: life)
            #expect(try minting.mint(appID: "shop", userID: "user-1", now: TestTime.now).expiresAt == TestTime.now + 500)
            #expect(refusal(minting, life: 500) == nil)
            for longer in [501, 0] as [UInt64] {
                #expect(
                    refusal(minting, life: longer)
                        == "The app's key 1 ends in 500 seconds (not_after), and its keys must expire before.")
            }
        }
    }
}
