import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Service

/// The admin requests about revocations and people.
@Suite struct RevocationRoutesTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture()
    }

    private func add(_ body: String) -> ReceivedResponse { fixture.send(.post, "/v1/revocations", body: body) }

    private func object(_ response: ReceivedResponse) throws -> JSONObject {
        guard case .object(let object)? = JSONValue(parsing: Array(response.text.utf8)) else { throw SocketClient.Failure.closed }
        return object
    }

    private static let now = Int64(TestTime.now.rawValue)

    @Test(
        arguments: [
            (#"{"app_id":"shop","user_id":"user-1"}"#, "user", now + 1),
            (#"{"app_id":"shop","user_id":"user-1","issued_before":7}"#, "user", 7),
            (#"{"app_id":"shop","issued_before":7}"#, "app", 7), (#"{"app_id":"shop","key_id":1}"#, "key_id", nil),
            (#"{"app_id":"shop","key_id":1,"issued_before":\#(now + 61)}"#, "key_id", now + 61),
            (#"{"app_id":"shop","all":true}"#, "app", now + 1), (#"{"app_id":"shop","all":true,"issued_before":7}"#, "app", 7),
        ] as [(String, String, Int64?)])
    func `a revocation is added`(body: String, kind: String, issuedBefore: Int64?) throws {
        let response = add(body)
        #expect(response.status == 201)
        let added = try object(response)
        #expect(added["kind"] == .string(kind))
        #expect(added["issued_before"] == issuedBefore.map { .integer($0) } ?? .null)
        let list = try object(fixture.send(.get, "/v1/revocations?limit=1"))
        #expect(list["revocations"] == [.object(added)])
        #expect(list["next"] != .null)
    }

    @Test(
        arguments: [
            #"{}"#, #"{"app_id":"shop"}"#, #"{"app_id":"shop","user_id":null,"issued_before":7}"#,
            #"{"app_id":"shop","user_Id":"x","issued_before":7}"#, #"{"app_id":"shop","user_id":""}"#,
            #"{"app_id":"shop","key_id":-1}"#, #"{"app_id":"shop","key_id":1,"user_id":"x"}"#, #"{"app_id":"shop","key_id":99}"#,
            #"{"app_id":"shop","issued_before":0}"#, #"{"app_id":"shop","issued_before":1099511627777}"#,
            #"{"app_id":"shop","user_id":"x","issued_before":\#(now + 62)}"#,
            #"{"app_id":"shop","all":false}"#, #"{"app_id":"shop","all":1}"#, #"{"app_id":"shop","all":null}"#, #"{"all":true}"#,
            #"{"app_id":"shop","all":true,"user_id":"x"}"#, #"{"app_id":"shop","all":true,"key_id":1}"#,
            #"{"app_id":"shop","security_key":"x"}"#, #"{"app_id":"nobody","user_id":"x"}"#,
            #"{"app_id":"shop","user_id":"x","reason":"\n"}"#, "[]",
        ])
    func refuses(body: String) throws {
        let before = try fixture.store.revocationChanges(since: nil).version
        let response = add(body)
        #expect(response.status == 400, "\(response.text)")
        #expect(try fixture.store.revocationChanges(since: nil).version == before)
    }

    @Test func `lists in pages and removes`() throws {
        for number in 0..<5 { #expect(add(#"{"app_id":"shop","user_id":"user-\#(number)"}"#).status == 201) }
        var (ids, after) = (Set<String>(), "")
        var pages = 0
        while true {
            let page = try object(fixture.send(.get, "/v1/revocations?limit=2\(after)"))
            guard case .array(let rows)? = page["revocations"] else { break }
            for case .object(let row) in rows { if case .string(let id)? = row["id"] { ids.insert(id) } }
            pages += 1
            guard case .string(let next)? = page["next"] else { break }
            after = "&after=\(next)"
        }
        let all = try fixture.store.revocations(of: nil, after: nil, limit: 100)
        #expect(ids == Set(all.map(\.id.description)))
        #expect(pages == (all.count + 1) / 2)
        let of = try object(fixture.send(.get, "/v1/revocations?app_id=shop&user_id=user-3"))
        guard case .array(let rows)? = of["revocations"] else { throw SocketClient.Failure.closed }
        #expect(rows.count == 1)
        for id in ids { #expect(fixture.send(.delete, "/v1/revocations/\(id)").status == 200) }
        #expect(fixture.send(.delete, "/v1/revocations/\(ids.first ?? "")").status == 404)
        #expect(fixture.send(.delete, "/v1/revocations/x").status == 404)
        for query in ["?after=x", "?user_id=u", "?limit=0"] {
            #expect(fixture.send(.get, "/v1/revocations\(query)").status == 400)
        }
    }

    @Test func `lists the revocations of an app`() throws {
        try fixture.store.revoke(.sample(1, appID: "other", .user("user-1")))
        #expect(add(#"{"app_id":"shop","user_id":"user-1"}"#).status == 201)
        #expect(add(#"{"app_id":"shop","key_id":1}"#).status == 201)
        func listed(_ query: String) throws -> [String] {
            let rows = try object(fixture.send(.get, "/v1/revocations\(query)"))["revocations"]?.elements ?? []
            return rows.compactMap { row in row["kind"]?.text }.sorted()
        }
        // The fixture has a revocation of its own.
        #expect(try listed("?app_id=shop") == ["key_id", "user", "user"])
        #expect(try listed("?app_id=other") == ["block"])
        #expect(try listed("") == ["block", "key_id", "user", "user"])
        let page = try object(fixture.send(.get, "/v1/revocations?app_id=shop&limit=2"))
        let next = try #require(page["next"]?.text)
        #expect(try listed("?app_id=shop&after=\(next)").count == 1)
    }

    @Test(arguments: ["?app_id=shopp", "?app_id=shopp&user_id=user-1"]) func `suggests a similar app`(query: String) {
        let response = fixture.send(.get, "/v1/revocations\(query)")
        #expect(response.status == 400)
        #expect(response.text.contains(#"did you mean \"shop\"?"#), "\(response.text)")
    }

    /// The line identifies the person by a digest, and contains neither an id nor a key.
    @Test func `writes audit lines`() throws {
        let key = "dgk1." + String(repeating: "A", count: 84)
        #expect(add(#"{"app_id":"shop","user_id":"user-7"}"#).status == 201)
        #expect(add(#"{"app_id":"shop","security_key":"\#(key)"}"#).status == 201)
        for action in ["sign-out", "block", "unblock"] {
            #expect(fixture.send(.post, "/v1/users/\(action)", body: #"{"app_id":"shop","user_id":"user-7"}"#).status == 200)
        }
        let lines = try fixture.log.lines().filter { $0.contains(" audit ") }
        let reference = "user_ref=\(AdminDeliverFixture.userReference(app: "shop", user: "user-7", fixture.configuration))"
        #expect(lines.count == 5)
        for (line, action) in zip(lines, ["revocations.add", "revocations.add", "users.sign_out", "users.block", "users.unblock"]) {
            #expect(line.contains("action=\(action) outcome=done"))
            #expect(line.contains("app=shop"))
        }
        #expect(lines.enumerated().allSatisfy { $0.offset == 1 || $0.element.contains(reference) })
        #expect(!lines.contains { $0.contains("user-7") || $0.contains("dgk1") })
    }

    /// The response, the audit line and `explain` contain the number of removed devices.
    @Test(
        arguments: [
            ("/v1/revocations", #""user_id":"user-1""#, "devices_removed", 2), ("/v1/users/block", #""user_id":"user-1""#, "removed", 2),
            ("/v1/users/sign-out", #""user_id":"user-1""#, "removed", 2),
            ("/v1/revocations", #""issued_before":\#(now + 1)"#, "devices_removed", 3),
            ("/v1/revocations", #""issued_before":\#(now)"#, "devices_removed", 0),
        ])
    func `reports the number of removed devices`(path: String, fields: String, member: String, count: Int) throws {
        for (user, device) in [("user-1", "d1"), ("user-1", "d2"), ("user-2", "d1")] {
            try AdminDeviceRoutesTests.register(fixture.store, user: user, device: device)
        }
        let response = fixture.send(.post, path, body: #"{"app_id":"shop",\#(fields)}"#)
        #expect(try object(response)[member] == .integer(Int64(count)))
        #expect(try fixture.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 9).count == 3 - count)
        #expect(try fixture.log.lines().last { $0.contains(" audit ") }?.contains(" removed=\(count)") == true)
        #expect(fixture.wakeUpCount == (count > 0 ? 1 : 0))
        let steps = try object(fixture.send(.get, "/v1/explain?app_id=shop&user_id=user-1"))["steps"]?.elements ?? []
        let reported = steps.first { $0["step"] == "revocations" }?["text"]?.text ?? ""
        #expect(reported.contains(" \(count) devices were signed out by it.") == (count > 0), "\(reported)")
        let row = try object(fixture.send(.get, "/v1/revocations?limit=1"))["revocations"]?.elements.first
        #expect(row?["devices_removed"] == .integer(Int64(count)))
    }

    /// The revocation is in force, and upkeep searches for its devices.
    @Test func `a failed search keeps the revocation in force`() throws {
        let store = try DeliveryStore()
        let fixture = try AdminDeliverFixture(store: store)
        store.refuse(.signOuts, times: 1)
        let response = fixture.send(.post, "/v1/revocations", body: #"{"app_id":"shop","key_id":1}"#)
        #expect(response.status == 201)
        #expect(try object(response)["devices_removed"] == 0)
        #expect(try store.revocations(of: nil, after: nil, limit: 9).contains { $0.subject == .keyID(1) })
        #expect(try fixture.log.lines().last { $0.contains(" audit ") }?.contains("outcome=done") == true)
    }

    /// The user is known, so no search is needed: the transaction of the revocation removes the device.
    @Test func `the key of a given user signs out without a search`() throws {
        let store = try DeliveryStore()
        let fixture = try AdminDeliverFixture(store: store)
        let key = TestKey()
        let salt = [UInt8](repeating: key.salt, count: 16)
        let claims = KeyClaims(KeyIdentity(keyID: key.keyID, issuedAt: key.issuedAt, salt: salt))
        try AdminDeviceRoutesTests.register(store, user: key.user, device: "d1", claims: claims)
        store.refuse(.signOuts, times: 1)
        let body = #"{"app_id":"shop","user_id":"\#(key.user)","security_key":"\#(try key.text())"}"#
        let response = fixture.send(.post, "/v1/revocations", body: body)
        #expect(response.status == 201)
        #expect(try object(response)["devices_removed"] == 1)
        #expect(store.refusals == 0)
    }

    /// Earlier versions kept the devices of a blocked user.
    @Test func `an earlier block removes the remaining devices`() throws {
        try AdminDeviceRoutesTests.register(fixture.store, user: "user-1", device: "d1")
        let block = Revocation.sample(1, appID: "shop", .user("user-1"))
        #expect(try fixture.store.revoke(block, of: nil, announcing: nil, telling: .nobody) == 0)
        let answer = try object(fixture.send(.post, "/v1/users/block", body: #"{"app_id":"shop","user_id":"user-1"}"#))
        #expect(answer["id"] == .string(block.id.description))
        #expect(answer["removed"] == 1)
        #expect(try fixture.store.devices(DeviceFilter(appID: "shop"), after: nil, limit: 9).isEmpty)
    }

    /// A blocked user has no devices.
    @Test func `a second block removes nothing`() throws {
        try AdminDeviceRoutesTests.register(fixture.store, user: "user-1", device: "d1")
        for count in [1, 0] as [Int64] {
            let answer = try object(fixture.send(.post, "/v1/users/block", body: #"{"app_id":"shop","user_id":"user-1"}"#))
            #expect(answer["removed"] == .integer(count))
        }
    }

    @Test func `a key of another user is not accepted`() {
        // Its key id is configured, and its MAC is not the person's.
        let key = "dgk1." + "AAAAAAEAaVW5AABpfUYA" + String(repeating: "A", count: 64)
        let response = add(#"{"app_id":"shop","user_id":"user-1","security_key":"\#(key)"}"#)
        #expect(response.status == 400)
        #expect(response.text.contains("wrong_key"))
    }
}
