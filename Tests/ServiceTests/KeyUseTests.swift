import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The last use of keys: reported by `GET /v1/status`, and kept in the store.
@Suite struct KeyUseTests {
    private static let usedAt = Int64(TestTime.now.rawValue / 60 * 60)

    private func authorize(_ graph: ServiceGraph, _ path: String = "/pyrus/authorize", keyID: Int, user: String = "user-1") throws -> Int {
        let key = try TestKey(keyID: UInt32(keyID), secret: keyID).text()
        var body: JSONObject = ["app_id": "shop", "user_id": .string(user), "security_key": .string(key)]
        if path.hasSuffix("token") { for name in ["device_id", "type", "token"] { body.append(.string(name), forKey: name) } }
        return InProcessClient(graph.publicRouter).send(.post, path, body: JSONValue.object(body).serialized()).status
    }

    /// The last uses of the app's keys.
    private func lastUses(_ graph: ServiceGraph) throws -> [JSONValue?] { try reported("last_used", graph) }

    /// A member of each key of the app.
    private func reported(_ member: String, _ graph: ServiceGraph) throws -> [JSONValue?] {
        let status = InProcessClient(graph.adminRouter).send(.get, "/v1/status", headers: AdminCases.authorization)
        guard case .object(let object) = try JSONDocument(parsing: status.body.span).value(), case .array(let keys)? = object["keys"] else {
            return []
        }
        return keys.map { if case .object(let key) = $0 { key[member] } else { nil } }
    }

    @Test func `only an allowed request uses a key`() throws {
        let graph = try ServiceFixture().graph()
        #expect(try lastUses(graph) == [.null, .null])
        #expect(try authorize(graph, keyID: 1, user: "stranger") == 403)
        #expect(try lastUses(graph) == [.null, .null])
        #expect(try authorize(graph, keyID: 2) == 200)
        #expect(try lastUses(graph) == [.null, .integer(Self.usedAt)])
        #expect(try authorize(graph, "/pyrus/push-token", keyID: 1) == 200)
        #expect(try lastUses(graph) == [.integer(Self.usedAt), .integer(Self.usedAt)])
    }

    @Test func `an expired key is not reported as active`() throws {
        func states(_ end: UnixSeconds) throws -> [JSONValue?] {
            let json = ServiceFixture.json(keys: [1]).replacing(#"app-1.key"}"#, with: #"app-1.key"},"not_after":\#(end)"#)
            return try reported("state", ServiceFixture(json: json).graph())
        }
        #expect(try states(TestTime.now) == ["active"])
        #expect(try states(TestTime.now - 1) == ["ended"])
    }

    @Test func `a key with a revoked id is not reported as active`() throws {
        let graph = try ServiceFixture().graph()
        func revoke(_ keyID: Int, _ more: String = "") throws {
            let body = Array(#"{"app_id":"shop","key_id":\#(keyID)\#(more)}"#.utf8)
            let answer = InProcessClient(graph.adminRouter).send(.post, "/v1/revocations", headers: AdminCases.authorization, body: body)
            #expect(answer.status == 201)
        }
        try revoke(2, #","issued_before":\#(TestTime.now)"#)
        #expect(try reported("state", graph) == ["active", "active"], "keys that are minted now count")
        try revoke(1)
        #expect(try reported("state", graph) == ["revoked", "active"])
    }

    @Test func `a reload keeps the last uses`() throws {
        let fixture = try ServiceFixture()
        let graph = try fixture.graph()
        #expect(try authorize(graph, keyID: 1) == 200)
        try graph.prepare(fixture.configuration)()
        #expect(try lastUses(graph) == [.integer(Self.usedAt), .null])
    }

    @Test func `uses recorded by other processes are shown`() throws {
        let fixture = try ServiceFixture()
        let store = MemoryStore()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        let (earlier, later) = (TestTime.now - 3600, TestTime.now + 60)
        try store.record([
            KeyUse(appID: "shop", keyID: 1, since: 0, usedAt: later.milliseconds),
            KeyUse(appID: "shop", keyID: 2, since: 0, usedAt: earlier.milliseconds),
        ])
        #expect(try authorize(graph, keyID: 2) == 200)
        graph.keyUses.save()
        #expect(try lastUses(graph) == [.integer(Int64(later.rawValue)), .integer(Self.usedAt)])
        #expect(try store.keyUses().map(\.usedAt?.seconds.rawValue) == [later.rawValue, UInt64(Self.usedAt)])
        #expect(try store.keyUses().map(\.since) == [0, 0])
    }

    @Test func `the first status has the stored uses`() throws {
        let store = MemoryStore()
        try store.record([KeyUse(appID: "shop", keyID: 2, since: 7000, usedAt: (TestTime.now - 3600).milliseconds)])
        let fixture = try ServiceFixture()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        #expect(try lastUses(graph) == [.null, .integer(Int64((TestTime.now - 3600).rawValue))])
        #expect(try reported("known_since", graph) == [.integer(Int64(TestTime.now.rawValue)), .integer(7)])
    }

    /// Null in both members means unknown; a time only in `known_since` means that the key has not been used since.
    @Test func `no key is reported as unused before the store was read`() throws {
        let fixture = try ServiceFixture()
        let (store, now) = (try DeliveryStore(), Int64(TestTime.now.rawValue))
        try store.record([KeyUse(appID: "shop", keyID: 1, since: 7000, usedAt: 60_000)])
        store.refuse(.keyUseReads, times: 2)
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        #expect(try lastUses(graph) == [.null, .null])
        #expect(try reported("known_since", graph) == [.null, .null])
        // A use in this process is known without the store.
        #expect(try authorize(graph, keyID: 2) == 200)
        graph.keyUses.runIfDue()
        #expect(store.refusals == 2)
        #expect(try lastUses(graph) == [.null, .integer(Self.usedAt)])
        #expect(try reported("known_since", graph) == [.null, .integer(now)])
        // Without the delay of a minute that follows a failed write.
        graph.keyUses.runIfDue()
        #expect(try lastUses(graph) == [.integer(60), .integer(Self.usedAt)])
        #expect(try reported("known_since", graph) == [.integer(7), .integer(now)])
    }

    /// Otherwise a database that hangs would delay the start twice.
    @Test func `a store that did not answer at the start is not read again before serving`() throws {
        let fixture = try ServiceFixture()
        let store = try DeliveryStore()
        store.refuse(.revocations, times: 1)
        store.refuse(.keyUseReads, times: 1)
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        #expect(store.refusals == 1)
        graph.keyUses.runIfDue()
        #expect(store.refusals == 2)
    }

    @Test func `a store that refuses writes can still be read`() throws {
        let fixture = try ServiceFixture()
        let store = try DeliveryStore()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        try store.record([KeyUse(appID: "shop", keyID: 1, since: 7000, usedAt: 60_000)])
        store.refuse(.keyUses, times: 1)
        graph.keyUses.save()
        #expect(store.refusals == 1)
        #expect(try lastUses(graph) == [.integer(60), .null])
    }

    /// Once a minute, and only changes.
    @Test func `is written rarely`() throws {
        let store = MemoryStore()
        let now = Monitor(1000 as UInt64)
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { now.withLock { $0 } * 1_000_000_000 })
        let fixture = try ServiceFixture()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: clocks) { store }
        func runIfDue(after seconds: UInt64) -> [KeyUse] {
            now.withLock { $0 += seconds }
            graph.keyUses.runIfDue()
            return (try? store.keyUses()) ?? []
        }
        #expect(runIfDue(after: 0).map(\.usedAt) == [nil, nil])
        #expect(try authorize(graph, keyID: 1) == 200)
        #expect(runIfDue(after: 59).map(\.usedAt) == [nil, nil])
        #expect(runIfDue(after: 1).map(\.usedAt?.seconds.rawValue) == [UInt64(Self.usedAt), nil])
    }

    @Test func `a failing store is reported once and does not affect requests`() throws {
        let fixture = try ServiceFixture()
        let store = try DeliveryStore()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
        store.refuse(.keyUses, times: 3)
        for _ in 0..<3 { graph.keyUses.save() }
        #expect(try authorize(graph, keyID: 1) == 200)
        let line = "WARN  the last use of keys cannot be stored"
        #expect(try fixture.log.lines().filter { $0.hasPrefix(line) }.count == 1)
        graph.keyUses.save()
        #expect(try store.keyUses().map(\.usedAt?.seconds.rawValue) == [UInt64(Self.usedAt), nil])
    }
}
