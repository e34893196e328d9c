import Core
import HTTPServer
import JSON
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Explanations of a user whose requests other replicas have answered (`GET /v1/explain`). The clock of the second replica is behind.
@Suite struct ReplicaExplanationTests {
    private static let behindSeconds: UInt64 = 300
    /// The clocks of the two replicas. The second one is queried ten seconds later, more than the error that a slow heartbeat causes.
    private static let clocks = [
        ServiceFixture.clocks, Clocks(unixSeconds: { TestTime.now + 10 - behindSeconds }, monotonicNanoseconds: { 0 }),
    ]

    private let fixture: ServiceFixture
    private let place: PostgresSchemaFixture
    private let graphs: [ServiceGraph]

    init() throws {
        let (fixture, place) = (try ServiceFixture(), try PostgresSchemaFixture())
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 50
        let graphs = try Self.clocks.enumerated().map { index, clocks in
            let store = try place.store(settings, aheadMilliseconds: index == 0 ? 0 : -1000 * Int64(Self.behindSeconds))
            return try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: clocks) { store }
        }
        for graph in graphs { graph.keyUses.announce() }
        (self.fixture, self.place, self.graphs) = (fixture, place, graphs)
        let areKnown = eventually {
            graphs.allSatisfy { graph in graph.store.replicas.count == 2 && graph.store.replicas.allSatisfy { $0.keysDigest != nil } }
        }
        #expect(areKnown)
    }

    private func close() {
        for graph in graphs {
            graph.backends.close()
            graph.admin.stop()
            graph.store.close()
        }
    }

    private func authorize(_ graph: ServiceGraph, _ key: TestKey) throws -> Int {
        var key = key
        key.issuedAt = TestTime.now - 2 * Self.behindSeconds
        let body = try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
        return InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: body).status
    }

    private static func admin(_ graph: ServiceGraph, method: HTTPServer.Method, path: String, body: String = "") -> ReceivedResponse {
        InProcessClient(graph.adminRouter).send(method, path, headers: AdminCases.authorization, body: Array(body.utf8))
    }

    private static func explain(_ graph: ServiceGraph) -> ReceivedResponse {
        admin(graph, method: .get, path: "/v1/explain?user_id=user-1")
    }

    /// Requests an explanation from the first replica while the other one answers its query.
    private func explain() throws -> JSONObject {
        let answer = Monitor<ReceivedResponse?>(nil)
        onThreads(2) { [graphs] index in
            guard index == 0 else {
                // At least as often as the service polls for queries.
                while answer.wait(timeoutMilliseconds: 20, { $0 == nil ? nil : true }) == nil { graphs[1].authorizations.answer() }
                return
            }
            let response = Self.explain(graphs[0])
            answer.update { $0 = response }
        }
        return try #require(answer.withLock { $0 }).object()
    }

    @Test func `the other replicas are queried`() throws {
        defer { close() }
        for graph in graphs { for _ in 0..<2 { #expect(try authorize(graph, TestKey(secret: 9)) == 403) } }
        let denied = try explain()
        #expect(denied["outcome"]?.text == "problem")
        #expect(denied["finding"]?.text?.hasPrefix("This user was denied 4 times in ten minutes") == true, "\(denied)")
        #expect(try authorize(graphs[1], TestKey()) == 200)
        let allowed = try explain()
        #expect(allowed["outcome"]?.text == "ok", "the other one has let the user in")
        #expect(allowed["finding"]?.text?.contains("The latest request was allowed") == true)
    }

    @Test func `a replica that does not answer is counted`() throws {
        defer { close() }
        let (recorder, state) = (AuthorizationRecorder(now: { TestTime.now }), graphs[0].helpDeskState)
        _ = recorder.records(of: state.current.authorizer)
        let inquiry = AuthorizationInquiry(recorder, state, store: graphs[0].store, clocks: ServiceFixture.clocks, rounds: 1)
        #expect(inquiry.known(appID: "shop", userID: "user-1")?.silentReplicas == 1)
        #expect(inquiry.known(appID: "nobody", userID: "user-1") == nil)
    }

    @Test func `a replica without a heartbeat is queried`() throws {
        defer { close() }
        let place = try PostgresSchemaFixture()
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 100 * WaitLimit.milliseconds
        let asking = try place.store(settings)
        let other = try place.store(settings)
        defer { for store in [asking, other] { store.close() } }
        other.announce(keysDigest: "other")
        func reported() throws -> Int64? {
            try place.run(Query("SELECT count(*) FROM replicas WHERE keys_digest IS NOT NULL"))?.first?.int64(0)
        }
        #expect(eventually { (try? reported()) == 1 })
        let (recorder, state) = (AuthorizationRecorder(now: { TestTime.now }), graphs[0].helpDeskState)
        _ = recorder.records(of: state.current.authorizer)
        let inquiry = AuthorizationInquiry(recorder, state, store: asking, clocks: ServiceFixture.clocks, rounds: 1)
        #expect(inquiry.known(appID: "shop", userID: "user-1")?.silentReplicas == 1)
    }

    @Test func `all replicas forget a user`() throws {
        defer { close() }
        #expect(try authorize(graphs[1], TestKey(secret: 9)) == 403)
        graphs[0].authorizations.forget(AppUser(appID: "shop", userID: "user-1"))
        graphs[1].authorizations.answer()
        let object = try explain()
        #expect(object["outcome"]?.text == "ok", "\(object)")
    }

    /// The database does not contain the id of the queried user.
    @Test func `the database names no user`() throws {
        defer { close() }
        #expect(try authorize(graphs[1], TestKey(secret: 9)) == 403)
        _ = try explain()
        let named = try place.run(Query("SELECT count(*) FROM user_questions WHERE user_questions::text LIKE '%user-1%'"))
        #expect(try named?.first?.int64(0) == 0)
        let asked = try place.run(Query("SELECT count(*) FROM user_questions WHERE answer IS NOT NULL"))
        #expect(try asked?.first?.int64(0) == 1)
    }
}
