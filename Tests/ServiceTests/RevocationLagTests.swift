import Core
import HTTPClient
import HTTPServer
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

/// Revocations on replicas that cache a backend's responses: in force at once on the replica that adds them, and on others after the next
/// refresh.
@Suite struct RevocationLagTests {
    enum Shared: CaseIterable {
        case memory, sqlite, postgres
    }

    /// Replicas of one service, whose revocations are refreshed by the test.
    private final class Replicas {
        let graphs: [ServiceGraph]
        private let fixture: BackendFixture
        private let make: () throws -> ServiceGraph
        private let place: PostgresSchemaFixture?

        init(_ shared: Shared, count: Int, json: (BackendFixture) -> String) throws {
            let fixture = try BackendFixture()
            let configuration = try fixture.directory.configuration(json(fixture))
            let place = shared == .postgres ? try PostgresSchemaFixture() : nil
            // Without PostgreSQL a store belongs to one process, so the replicas share it in this one.
            let store: (any Store)? =
                switch shared {
                case .memory: MemoryStore()
                case .sqlite: try SQLiteStore(path: fixture.directory.scratch.path("store.db"))
                case .postgres: nil
                }
            make = {
                let own = try store ?? #require(place).store()
                return try ServiceGraph(configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { own }
            }
            (self.fixture, self.place) = (fixture, place)
            graphs = try (0..<count).map { [make] _ in try make() }
        }

        deinit {
            for graph in graphs { Self.close(graph) }
        }

        private static func close(_ graph: ServiceGraph) {
            graph.backends.close()
            graph.admin.stop()
            graph.store.close()
        }

        /// Calls `body` with a process that has just started.
        func withRestarted(_ body: (ServiceGraph) throws -> Void) throws {
            let graph = try make()
            defer {
                graph.backends.close()
                graph.admin.stop()
                if place != nil { graph.store.close() }
            }
            try body(graph)
        }
    }

    private func status(_ graph: ServiceGraph, user: String = "user-1") throws -> Int {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try BackendCaller.body(user: user)).status
    }

    private func admin(_ graph: ServiceGraph, method: HTTPServer.Method, path: String, body: String = "") -> ReceivedResponse {
        InProcessClient(graph.adminRouter).send(method, path, headers: AdminCases.authorization, body: Array(body.utf8))
    }

    private func metric(_ graph: ServiceGraph, _ name: String) -> String? {
        admin(graph, method: .get, path: "/metrics").text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.map(String.init)
    }

    @Test(arguments: Shared.allCases) func `apply at once on one replica and with the next refresh on others`(shared: Shared) throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let replicas = try Replicas(shared, count: 2) { $0.json(backend.url(), #","cache":{"positive_seconds":86400}"#) }
        let (here, there) = (replicas.graphs[0], replicas.graphs[1])
        for graph in replicas.graphs {
            for user in ["user-1", "user-2"] { #expect(try status(graph, user: user) == 200) }
        }
        let added = admin(here, method: .post, path: "/v1/revocations", body: #"{"app_id":"shop","user_id":"user-1"}"#)
        #expect(added.status == 201)
        #expect(try status(here) == 403)
        #expect(try status(there) == 200, "it has not heard of it")
        there.revocations.refresh()
        #expect(try status(there) == 403)
        for graph in replicas.graphs {
            #expect(try status(graph, user: "user-2") == 200)
            #expect(metric(graph, "deskgate_revocations") == "deskgate_revocations 1")
        }
        try replicas.withRestarted { (graph) throws in #expect(try status(graph) == 403) }
        let revocation = try #require(try here.store.revocations(of: nil, after: nil, limit: 1).first)
        #expect(admin(there, method: .delete, path: "/v1/revocations/\(revocation.id)").status == 200)
        #expect(try status(there) == 200)
        here.revocations.refresh()
        #expect(try status(here) == 200)
        #expect(metric(here, "deskgate_revocations") == "deskgate_revocations 0")
        #expect(backend.requests.filter { $0.text.contains("user-2") }.count == 2, "what is kept about others is not forgotten")
    }

    /// An answered change is in force at once, although another replica made it and this one has not read it.
    @Test(arguments: Shared.allCases) func `apply at once if another replica has already made the change`(shared: Shared) throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let replicas = try Replicas(shared, count: 2) { $0.json(backend.url()) }
        let (here, there) = (replicas.graphs[0], replicas.graphs[1])
        let person = #"{"app_id":"shop","user_id":"user-1"}"#
        let block = admin(there, method: .post, path: "/v1/users/block", body: person)
        #expect(block.status == 200)
        #expect(try status(here) == 200, "it has not heard of it")
        #expect(admin(here, method: .post, path: "/v1/users/block", body: person).text == block.text)
        #expect(try status(here) == 403)
        #expect(admin(there, method: .post, path: "/v1/users/unblock", body: person).text == #"{"removed":1,"forgotten":false}"#)
        #expect(try status(here) == 403, "it has not heard of it")
        #expect(admin(here, method: .post, path: "/v1/users/unblock", body: person).text == #"{"removed":0,"forgotten":false}"#)
        #expect(try status(here) == 200)
        #expect(admin(here, method: .post, path: "/v1/revocations", body: person).status == 201)
        let revocation = try #require(try here.store.revocations(of: nil, after: nil, limit: 1).first)
        #expect(admin(there, method: .delete, path: "/v1/revocations/\(revocation.id)").status == 200)
        #expect(try status(here) == 403, "it has not heard of it")
        #expect(admin(here, method: .delete, path: "/v1/revocations/\(revocation.id)").status == 404)
        #expect(try status(here) == 200)
    }

    /// Without PostgreSQL, because the command would wait 1.5 seconds for the other replicas.
    @Test(arguments: [Shared.memory, .sqlite]) func `erasure applies if another replica has already made it`(shared: Shared) throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let replicas = try Replicas(shared, count: 2) { $0.json(backend.url()) }
        let (here, there) = (replicas.graphs[0], replicas.graphs[1])
        let person = #"{"app_id":"shop","user_id":"user-1"}"#
        #expect(admin(there, method: .post, path: "/v1/users/forget", body: person).status == 200)
        #expect(try status(here) == 200, "it has not heard of it")
        #expect(admin(here, method: .post, path: "/v1/users/forget", body: person).status == 200)
        #expect(try status(here) == 403)
    }

    /// In backend mode, a sign-out in a refresh causes another call to the backend, and a block denies.
    @Test(arguments: Shared.allCases) func `a refresh removes cached responses`(shared: Shared) throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let replicas = try Replicas(shared, count: 2) {
            $0.json(backend.url(), #","cache":{"positive_seconds":86400}"#, mode: "backend")
        }
        let (here, there) = (replicas.graphs[0], replicas.graphs[1])
        func calls() -> Int { backend.requests.count }
        for user in ["user-1", "user-2"] { #expect(try status(there, user: user) == 200) }
        #expect(calls() == 2)
        #expect(admin(here, method: .post, path: "/v1/users/sign-out", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        #expect(try status(there) == 200)
        #expect(calls() == 2)
        there.revocations.refresh()
        for user in ["user-1", "user-2"] { #expect(try status(there, user: user) == 200) }
        #expect(calls() == 3)
        #expect(admin(here, method: .post, path: "/v1/users/block", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        there.revocations.refresh()
        #expect(try status(there) == 403)
        #expect(calls() == 3)
        try replicas.withRestarted { (graph) throws in #expect(try status(graph) == 403) }
        #expect(admin(here, method: .post, path: "/v1/users/unblock", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        there.revocations.refresh()
        #expect(try status(there) == 200)
    }

    /// After an outage of the store, changes may have been missed, so no cached response is valid.
    @Test func `an outage of the store removes all cached responses`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let fixture = try BackendFixture()
        let store = try DeliveryStore()
        let now = Monitor(TestTime.now)
        let clocks = Clocks(unixSeconds: { now.withLock { $0 } }, monotonicNanoseconds: { 0 })
        let configuration = try fixture.directory.configuration(fixture.json(backend.url(), mode: "backend"))
        let graph = try ServiceGraph(configuration, logger: fixture.log.logger, clocks: clocks) { store }
        defer { graph.backends.close() }
        func age() -> UInt64? {
            metric(graph, "deskgate_revocations_refresh_timestamp_seconds").flatMap { Double($0.split(separator: " ")[1]) }
                .map { now.withLock { $0 }.rawValue - UInt64($0) }
        }
        #expect(try status(graph) == 200)
        now.update { $0 = $0 + 10 }
        graph.revocations.refresh()
        #expect(age() == 0)
        store.refuse(.revocations, times: 2)
        for seconds in [100, 200] as [UInt64] {
            now.update { $0 = $0 + 100 }
            graph.revocations.refresh()
            #expect(age() == seconds)
            #expect(try status(graph) == 200)
        }
        #expect(backend.requests.count == 1)
        graph.revocations.refresh()
        #expect(age() == 0)
        #expect(try status(graph) == 200)
        #expect(backend.requests.count == 2)
    }
}
