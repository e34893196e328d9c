import Core
import HTTPServer
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// When keys were last used: seen by `GET /v1/status`, and kept in the store.
@Suite struct KeyUseTests {
    private static let usedAt = Int64(TestTime.now.rawValue / 60 * 60)

    private func authorize(_ graph: ServiceGraph, _ path: String = "/pyrus/authorize", keyID: Int, user: String = "user-1") throws -> Int {
        let key = try TestKey(keyID: UInt32(keyID), secret: keyID).text()
        var body: JSONObject = ["app_id": "shop", "user_id": .string(user), "security_key": .string(key)]
        if path.hasSuffix("token") { for name in ["device_id", "type", "token"] { body.append(.string(name), forKey: name) } }
        return InProcessClient(graph.publicRouter).send(.post, path, body: JSONValue.object(body).serialized()).status
    }

    /// The last use of the keys of the one app.
    private func lastUses(_ graph: ServiceGraph) throws -> [JSONValue?] {
        let status = InProcessClient(graph.adminRouter).send(.get, "/v1/status", headers: AdminCases.authorization)
        guard case .object(let object) = try JSONDocument(parsing: status.body.span).value(), case .array(let keys)? = object["keys"] else {
            return []
        }
        return keys.map { if case .object(let key) = $0 { key["last_used"] } else { nil } }
    }

    @Test func onlyWhoIsAuthorizedUsesAKey() throws {
        let graph = try ServiceFixture().graph()
        #expect(try lastUses(graph) == [.null, .null])
        #expect(try authorize(graph, keyID: 1, user: "stranger") == 403)
        #expect(try lastUses(graph) == [.null, .null])
        #expect(try authorize(graph, keyID: 2) == 200)
        #expect(try lastUses(graph) == [.null, .integer(Self.usedAt)])
        #expect(try authorize(graph, "/pyrus/push-token", keyID: 1) == 200)
        #expect(try lastUses(graph) == [.integer(Self.usedAt), .integer(Self.usedAt)])
    }

    @Test func aReloadForgetsNoUse() throws {
        let fixture = try ServiceFixture()
        let graph = try fixture.graph()
        #expect(try authorize(graph, keyID: 1) == 200)
        try graph.prepare(fixture.configuration)()
        #expect(try lastUses(graph) == [.integer(Self.usedAt), .null])
    }

    @Test func whatOthersHaveRecordedIsShown() throws {
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

    /// Once a minute, and only what has changed.
    @Test func isWrittenSeldom() throws {
        let store = MemoryStore()
        let now = Monitor(1000 as UInt64)
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { now.withLock { $0 } * 1_000_000_000 })
        let fixture = try ServiceFixture()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: clocks) { store }
        func tend(after seconds: UInt64) -> [KeyUse] {
            now.withLock { $0 += seconds }
            graph.keyUses.tend()
            return (try? store.keyUses()) ?? []
        }
        #expect(tend(after: 0).map(\.usedAt) == [nil, nil])
        #expect(try authorize(graph, keyID: 1) == 200)
        #expect(tend(after: 59).map(\.usedAt) == [nil, nil])
        #expect(tend(after: 1).map(\.usedAt?.seconds.rawValue) == [UInt64(Self.usedAt), nil])
    }

    @Test func aStoreThatFailsIsToldOnceAndHurtsNobody() throws {
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
