import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct AdminDeviceRoutesTests {
    private static let odd = AdminDeliverFixture.oddUser
    private let fixture: AdminDeliverFixture

    init() throws {
        let store = MemoryStore()
        // It has deliveries of its own, for people without devices.
        fixture = try AdminDeliverFixture(store: store)
        for user in ["user-1", "user-2", Self.odd] {
            for number in 1...2 { try Self.register(store, user: user, device: "d\(number)") }
        }
        try Self.register(store, user: "user-2", device: "d3", token: nil)
        try Self.register(store, app: "bank", user: "user-1", device: "d1")
    }

    static func register(_ store: any Store, app: String = "shop", user: String, device: String, claims: KeyClaims? = nil) throws {
        let token = "MARKER-\(user)-\(device)-012345678901234567890123456789"
        try register(store, app: app, user: user, device: device, token: token, claims: claims)
    }

    private static func register(
        _ store: any Store, app: String = "shop", user: String, device: String, token: String?, claims: KeyClaims? = nil
    ) throws {
        let done = Monitor(false)
        store.register(
            Registration(
                key: Device.Key(appID: app, userID: user, deviceID: device), type: "ios", token: try token.map { try PushToken($0) },
                now: AdminDeliverFixture.time, rules: [], claims: claims)
        ) { result in
            if (try? result.get()) != nil { done.update { $0 = true } }
        }
        try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
    }

    /// The persons and devices in a response.
    static func names(_ response: ReceivedResponse) throws -> [String] {
        guard case .array(let devices) = try response.object()["push_tokens"] else { throw SocketClient.Failure.closed }
        return devices.compactMap { device in
            guard case .object(let device) = device, case .string(let user) = device["user_id"], case .string(let id) = device["device_id"]
            else { return nil }
            return "\(user) \(id)"
        }
    }

    private func get(_ query: String) -> ReceivedResponse { fixture.send(.get, "/v1/push-tokens?\(query)") }

    @Test func `shows a device and masks its token`() {
        let response = get("app_id=shop&user_id=user-1&device_id=d2")
        #expect(response.status == 200)
        #expect(response.headers["cache-control"] == "no-store")
        let name = AdminDeliverFixture.userReference(app: "shop", user: "user-1", fixture.configuration)
        let expected = #"""
            {"push_tokens":[{"app_id":"shop","user_id":"user-1","device_id":"d2","type":"ios","token":"MARK…6789(47)","environment":null,\#
            "registered_at":"2026-03-10T08:15:12.000Z","seen_at":"2026-03-10T08:15:12.000Z","user_ref":"\#(name)"}],"next":null}
            """#
        #expect(response.text == expected)
    }

    @Test(arguments: [
        ("app_id=shop", ["\(odd) d1", "\(odd) d2", "user-1 d1", "user-1 d2", "user-2 d1", "user-2 d2"]), ("app_id=bank", ["user-1 d1"]),
        ("app_id=sho%70&user_id=user-2", ["user-2 d1", "user-2 d2"]), ("app_id=shop&user_id=user-2&device_id=d3", []),
        ("app_id=shop&user_id=a+b%2Bc%26d%3d%C3%a9%25&limit=1", ["\(odd) d1"]),
        ("app_id=shop&device_id=d2&limit=2", ["\(odd) d2", "user-1 d2"]),
        ("app_id=shop&user_id=", []),
    ])
    func `lists matching devices`(_ query: String, _ expected: [String]) throws {
        #expect(try Self.names(get(query)) == expected)
    }

    @Test(arguments: 1...7) func `lists in pages`(_ limit: Int) throws {
        var found: [String] = []
        var next: String? = ""
        var pages = 0
        while let place = next {
            let response = get("app_id=shop&limit=\(limit)" + (place.isEmpty ? "" : "&after=\(place)"))
            let names = try Self.names(response)
            #expect(names.count <= limit)
            found += names
            pages += 1
            next = if case .string(let text) = try response.object()["next"] { text } else { nil }
        }
        #expect(try found == Self.names(get("app_id=shop")))
        #expect(pages == (6 + limit - 1) / limit, "none is empty")
    }

    @Test(arguments: [
        ("", "app_id: missing"), ("user_id=user-1", "app_id: missing"), ("app_id=", "app_id: missing"),
        ("app_id=shop&app_id=shop", "app_id: given twice."), ("app_id=shop&limit=0", "limit: expected"),
        ("app_id=shop&limit=1001", "limit: expected"), ("app_id=shop&after=", "after: expected"),
        ("app_id=shop&after=!", "after: expected"),
        ("app_id=shop&after=dXNlcg", "after: expected"), ("app_id=shop&after=_wBk", "after: expected"),
        ("app_id=shop&token=x", "Unknown criterion token; known are app_id, user_id, device_id, after, limit."), ("app_id=%", "The query"),
    ])
    func `rejects invalid queries`(_ query: String, _ message: String) {
        let response = get(query)
        #expect(response.status == 400)
        #expect(response.text.hasPrefix(#"{"error":"malformed","message":"\#(message)"#))
    }

    @Test(arguments: [
        ("app_id=shop&user_id=user-1", 2, 5), ("app_id=shop&user_id=user-1&device_id=d1", 1, 6), ("app_id=shop&user_id=user-2", 2, 5),
        ("app_id=shop&user_id=user-2&device_id=d3", 0, 7), ("app_id=bank&user_id=user-1", 1, 6), ("app_id=shop&user_id=nobody", 0, 7),
    ])
    func removes(_ query: String, removed: Int, left: Int) throws {
        let response = fixture.send(.delete, "/v1/push-tokens?\(query)")
        #expect(response.status == 200)
        #expect(response.text == #"{"removed":\#(removed)}"#)
        #expect(fixture.wakeUpCount == (removed > 0 ? 1 : 0))
        // An app that is not configured is unknown without a device.
        let others = (try? Self.names(get("app_id=bank"))) ?? []
        #expect(try Self.names(get("app_id=shop")).count + others.count == left)
        let reported = try fixture.store.deliveries(DeliveryFilter(), limit: 100).filter { $0.event.kind == .pushTokenRemoved }
        // An app that is not configured has no notifier for the event.
        #expect(reported.count == (query.hasPrefix("app_id=bank") ? 0 : removed))
        #expect(reported.allSatisfy { String(decoding: $0.event.data, as: UTF8.self).hasSuffix(#","reason":"operator"}"#) })
    }

    @Test(arguments: [
        ("", "app_id: missing"), ("app_id=shop", "user_id: missing"), ("app_id=shop&user_id=", "user_id: missing"),
        ("app_id=shop&device_id=d1", "user_id: missing"), ("user_id=user-1", "app_id: missing"),
        ("app_id=shop&user_id=user-1&limit=1", "Unknown criterion limit; known are app_id, user_id, device_id."),
    ])
    func `rejects an invalid removal`(_ query: String, _ message: String) throws {
        let response = fixture.send(.delete, "/v1/push-tokens?\(query)")
        #expect(response.status == 400)
        #expect(response.text.hasPrefix(#"{"error":"malformed","message":"\#(message)"#))
        #expect(try Self.names(get("app_id=shop")).count == 6)
    }

    @Test func `requires the token and the methods`() {
        let client = InProcessClient(fixture.router)
        for method in [.get, .delete] as [HTTPServer.Method] {
            for headers in [[:], ["Authorization": "Bearer x"]] {
                #expect(client.send(method, "/v1/push-tokens?app_id=shop&user_id=user-1", headers: headers).status == 401)
            }
        }
        #expect(fixture.send(.post, "/v1/push-tokens").status == 405)
    }

    @Test func `reports that the store is closed`() throws {
        fixture.store.close()
        let response = get("app_id=shop")
        #expect(response.status == 503)
        #expect(try response.object()["error"] == "closed")
    }
}
