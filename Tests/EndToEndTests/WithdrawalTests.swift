import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// A conversation is read on one device, and the notifications on the others are withdrawn: with the whole program and the simulated
/// providers, on both stores.
@Suite struct WithdrawalTests {
    enum StoreKind: CaseIterable {
        case sqlite, postgres

        func database() throws -> PostgresServer? { self == .postgres ? try PostgresServer() : nil }
    }

    private static let withdraw: [String: JSONObject] = [
        "apns": ["withdraw": true], "fcm": ["withdraw": true], "hms": ["withdraw": true], "rustore": ["withdraw": true],
    ]
    private static let types = ["android", "huawei", "ios", "rustore"]

    private func token(_ number: Int) -> String { String(repeating: "5d3f0a9\(number)", count: 8) }

    /// Starts the program. A database's revocations are loaded a moment after the listener starts.
    private func start(_ site: PushSite) throws -> RunningServer {
        let server = try RunningServer(site.workspace)
        #expect(eventually { (try? PushSite.get(server.publicAddress, "/readyz")) == #"200 {"status":"ready"}"# })
        return server
    }

    private func see(_ server: RunningServer, user: String = Markers.user, ticket: Int64? = 17) throws -> String {
        var members: JSONObject = ["app_id": .string(Workspace.app), "user_id": .string(user)]
        if let ticket { members.append(.integer(ticket), forKey: "ticket_id") }
        let body = JSONValue.object(members).serialized()
        let client = try SocketClient(server.adminAddress)
        try client.send(
            "POST /v1/users/seen HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Markers.adminToken)\r\n"
                + "Content-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        return try client.readResponse().text
    }

    private func deliveries(_ query: String, _ server: RunningServer) throws -> [JSONValue] {
        try jsonObject(String(PushSite.get(server.adminAddress, "/v1/deliveries?\(query)").dropFirst(4)))["deliveries"]?.elements ?? []
    }

    private static func aps(_ push: SimulatedPush) -> JSONValue? { push.payload["aps"] }

    /// The data that the app gets.
    private static func data(_ push: SimulatedPush) throws -> JSONValue {
        switch push.provider {
        case .apns, .apnsSandbox: push.payload
        case .hms: .object(try jsonObject(try #require(push.payload["message"]?["data"]?.text)))
        default: try #require(push.payload["message"]?["data"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `each device of the reader, and no other, gets one silent push`(_ store: StoreKind) throws {
        let database = try store.database()
        defer { withExtendedLifetime(database) {} }
        let site = try PushSite()
        try site.configure(Self.withdraw, database: database)
        let server = try start(site)
        for (number, type) in Self.types.enumerated() {
            try site.register(server, device: "device-\(number)", type: type, token: token(number))
        }
        try site.register(server, user: "other", device: "device-9", token: token(9))
        #expect(try see(server) == #"{"superseded":0}"#)
        let haveArrived = site.simulators.recorder.wait(for: 4, milliseconds: WaitLimit.milliseconds)
        let found = try deliveries("type=conversation.seen", server).map { delivery in
            ["notifier", "state", "reason"].map { delivery[$0]?.text ?? "" }.joined(separator: " ")
        }
        #expect(haveArrived, "\(found)")
        let pushes = site.simulators.recorder.pushes
        #expect(Set(pushes.map(\.token)) == Set((0..<4).map(token)))
        for push in pushes {
            #expect("\(push.title)\(push.body)".isEmpty)
            let data = try Self.data(push)
            #expect(data["type"] == "conversation.seen")
            #expect(data["thread"] == "ticket-17")
            #expect(data["seen_at"]?.text?.hasSuffix("Z") == true)
        }
        let apple = try #require(pushes.first { $0.provider == .apns })
        #expect(Self.aps(apple) == ["content-available": 1])
        #expect(apple.headers.contains { $0.name == "apns-push-type" && $0.value == "background" })
        let counter = #"deskgate_deliveries_total{notifier="apns",outcome="withdrawn",reason="withdrawn"}"#
        #expect(eventually { (try? PushSite.value(of: counter, server)) == 1 })
        let shown = #"deskgate_deliveries_total{notifier="apns",outcome="delivered",reason="status_200"}"#
        #expect(try PushSite.value(of: shown, server) == nil)
        #expect(try deliveries("type=conversation.seen&user_id=other", server).isEmpty)
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        for number in 0..<4 { #expect(!log.contains(token(number))) }
    }

    @Test(arguments: StoreKind.allCases)
    func `many read receipts cause one silent push, and a later comment is shown`(_ store: StoreKind) throws {
        let database = try store.database()
        defer { withExtendedLifetime(database) {} }
        let site = try PushSite()
        try site.configure(Self.withdraw, database: database)
        let server = try start(site)
        // APNs is unavailable, so that no push is sent between the receipts, however slow they are.
        site.simulators.faults.add(Fault(.answer(.init(503, "ServiceUnavailable")), at: .apns, times: nil))
        try site.register(server)
        for _ in 0..<20 { _ = try see(server, ticket: nil) }
        func pending() throws -> Int { try deliveries("type=conversation.seen&notifier=apns&state=pending", server).count }
        // PostgreSQL skips a push that is being claimed.
        #expect(
            eventually {
                _ = try? see(server, ticket: nil)
                return (try? pending()) == 1
            })
        #expect(try deliveries("type=conversation.seen&notifier=apns&reason=superseded_by_read", server).count >= 19)
        site.simulators.faults.removeAll()
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        #expect(site.simulators.recorder.wait(for: 2, milliseconds: WaitLimit.milliseconds))
        let pushes = site.simulators.recorder.pushes
        let silent = try #require(pushes.first { $0.title.isEmpty })
        #expect(silent.payload["thread"] == nil)
        let shown = try #require(pushes.first { !$0.title.isEmpty })
        #expect(shown.payload["created_at"]?.text?.hasSuffix("Z") == true)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `without the setting phones get nothing`() throws {
        let site = try PushSite()
        let server = try start(site)
        try site.register(server)
        _ = try see(server)
        #expect(try deliveries("type=conversation.seen", server).map { $0["notifier"] } == ["log"])
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(site.simulators.recorder.pushes.first?.payload["created_at"] == nil)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a forgotten user gets nothing`() throws {
        let site = try PushSite()
        try site.configure(Self.withdraw)
        let server = try start(site)
        try site.register(server)
        let client = try SocketClient(server.adminAddress)
        let body = JSONValue.object(["app_id": .string(Workspace.app), "user_id": .string(Markers.user)]).serialized()
        try client.send(
            "POST /v1/users/forget HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Markers.adminToken)\r\n"
                + "Content-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        #expect(try client.readResponse().status == 200)
        #expect(try see(server) == #"{"superseded":0}"#)
        #expect(try deliveries("type=conversation.seen", server).isEmpty)
        #expect(site.simulators.recorder.count == 0)
        #expect(try server.stop() == .exit(0))
    }
}
