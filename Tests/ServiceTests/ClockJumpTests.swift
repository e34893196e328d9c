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

/// A wall clock that jumps across 2038, 2106 and the limits of key times during requests: each response is that of its own time.
@Suite struct ClockJumpTests {
    private static let edges: [UnixSeconds] = [2_147_483_648, 4_294_967_296, SecurityKey.latestTime - 1000]
    private static let skew: UInt64 = 60

    private let now = Monitor(TestTime.now)

    private var clocks: Clocks { Clocks(unixSeconds: { [now] in now.withLock { $0 } }, monotonicNanoseconds: { 0 }) }

    /// Sends requests on several threads at once, and returns the statuses.
    private func statuses(_ graph: ServiceGraph, _ key: TestKey) throws -> Set<Int> {
        let body = try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
        let (client, found) = (InProcessClient(graph.publicRouter), Monitor<Set<Int>>([]))
        onThreads(4) { _ in
            for _ in 0..<25 {
                let status = client.send(.post, "/pyrus/authorize", body: body).status
                found.update { _ = $0.insert(status) }
            }
        }
        return found.withLock { $0 }
    }

    private func signOut(_ graph: ServiceGraph) {
        let response = InProcessClient(graph.adminRouter).send(
            .post, "/v1/users/sign-out", headers: AdminCases.authorization, body: Array(#"{"app_id":"shop","user_id":"user-1"}"#.utf8))
        #expect(response.status == 200)
    }

    @Test(arguments: edges) func `keys and sign-outs use their own times`(edge: UnixSeconds) throws {
        let fixture = try ServiceFixture()
        let graph = try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: clocks)
        defer { graph.admin.stop() }
        // Valid for ten minutes from the edge, and issued a second before, at and after the sign-out.
        let limited = TestKey(issuedAt: edge, expiresAt: edge + 600)
        let (before, same, after) = (TestKey(issuedAt: edge + 299), TestKey(issuedAt: edge + 300), TestKey(issuedAt: edge + 301))
        let jumps: [(now: UnixSeconds, status: Int)] = [
            (edge, 200), (edge + 600 + Self.skew + 1, 403), (edge - Self.skew, 200), (0, 403), (edge + 600 + Self.skew, 200), (.max, 403),
            (edge - Self.skew - 1, 403), (edge + 1, 200),
        ]
        for jump in jumps {
            now.update { $0 = jump.now }
            #expect(try statuses(graph, limited) == [jump.status], "\(jump)")
        }
        now.update { $0 = edge + 300 }
        signOut(graph)
        for later in [edge + 300, edge + 900, edge + 250, SecurityKey.latestTime] {
            now.update { $0 = later }
            #expect(try statuses(graph, before) == [403])
            #expect(try statuses(graph, same) == [403], "a key of the same second")
            #expect(try statuses(graph, after) == [200])
        }
    }

    /// Responses of a backend are cached by the monotonic clock, so a jump neither prolongs nor ends them.
    @Test func `cached responses use the monotonic clock`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let (fixture, elapsed) = (try BackendFixture(), Monitor<UInt64>(1_000_000))
        let clocks = Clocks(
            unixSeconds: { [now] in now.withLock { $0 } }, monotonicNanoseconds: { elapsed.withLock { $0 } * 1_000_000 })
        let json = fixture.json(backend.url(), #","cache":{"positive_seconds":60}"#)
        let graph = try ServiceGraph(fixture.directory.configuration(json), logger: fixture.log.logger, clocks: clocks)
        defer { graph.backends.close() }
        for (count, edge) in Self.edges.enumerated() {
            for time in [edge, TestTime.now, edge + 1, edge - 1] {
                now.update { $0 = time }
                #expect(try statuses(graph, TestKey()) == [200])
                #expect(backend.requests.count == count + 1)
            }
            elapsed.update { $0 += 60_000 }
        }
    }

    @Test(arguments: edges) func `shadow mode ends and begins again`(edge: UnixSeconds) throws {
        let fixture = try ServiceFixture()
        now.update { $0 = edge - 1000 }
        let json = ServiceFixture.json().replacing(#""app_id":"shop","#, with: #""app_id":"shop","shadow_until":\#(edge),"#)
        try fixture.directory.scratch.write("config.json", json)
        let configuration = try Configuration(contentsOf: fixture.directory.file, environment: { _ in nil }, now: edge - 1000)
        let graph = try ServiceGraph(configuration, logger: fixture.log.logger, clocks: clocks)
        for (time, status) in [(edge - 1, 200), (edge, 403), (edge - 1, 200), (.max, 403), (0, 200), (edge + 1, 403)]
            as [(UnixSeconds, Int)]
        {
            now.update { $0 = time }
            #expect(try statuses(graph, TestKey(secret: 9)) == [status])
        }
    }
}
