import Core
import Glibc
import Observability
import Postgres
import TestSupport
import Testing
import Threading

/// Replicas under load, with faults of their network, process or clock: no accepted event is lost, and no guarantee is broken.
@Suite(.serialized) struct ReplicaFaultTests {
    private static let server = Result { try PostgresServer(PostgresServer.Options("max_connections=100")) }
    static let endSessions: StaticString = """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'deskgate'
        """

    /// Statements that only connections for webhooks send, and those that only dispatchers send.
    private static let ofWebhooks = "INSERT INTO persons"
    private static let ofDispatchers = "INSERT INTO attempts"
    private static let conflict: StaticString = """
        CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('conflicts') <= 12 THEN RAISE EXCEPTION 'provoked' USING ERRCODE = 'serialization_failure'; END IF;
            RETURN NULL;
        END $$
        """

    /// A schema on a server of the suite's own, because the tests end its sessions.
    private func place() throws -> PostgresSchemaFixture { try PostgresSchemaFixture(try Self.server.get()) }

    @Test func `no accepted event is lost when a replica is killed`() async throws {
        try await Rounds.run("replica killed in a batch") { _ in
            let place = try place()
            // It has its own load. The others start after it, because a test that waits for a process may wait long.
            let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                [address = place.url() as String] in
                try DyingReplica.run(address)
            }
            // Simulates a long silence: the others release its leases.
            let silence = Query("UPDATE replicas SET seen_at = seen_at - $1", .int8(Int64(2 * Core.Replica.deadMilliseconds)))
            try place.run(silence, Query("CREATE TABLE dead AS SELECT id FROM replicas"))
            let scene = try Scene(place)
            scene.coalescer.take(journal: result?.standardOutputContent ?? [])
            scene.waitForNone("SELECT 1 FROM deliveries WHERE state = 0 AND owner IN (SELECT id FROM dead)")
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when the network stalls`() async throws {
        try await Rounds.run("network stalled") { round in
            let (server, place) = (try Self.server.get(), try place())
            let proxies = try (0..<2).map { _ in try PostgresProxy(to: server.port) }
            let scene = try Scene(place, try proxies.map { try place.settings(ports: [$0.port]) })
            // All replicas, or one while the other continues.
            if round % 2 == 0 {
                // One replica within a transaction, whose locks must not block the other.
                proxies[1].cut(.stall, of: Self.ofWebhooks)
                #expect(proxies[1].waitForCuts(1))
                scene.waitForCalls(of: [0])
                scene.waitForRefusal(of: [scene.replicas[1]])
            } else {
                for proxy in proxies { proxy.stall() }
                scene.waitForLog("the store cannot be opened")
            }
            for proxy in proxies { proxy.resume() }
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when a connection breaks around a commit`() async throws {
        try await Rounds.run("connection cut around COMMIT") { _ in
            let (server, place) = (try Self.server.get(), try place())
            let proxy = try PostgresProxy(to: server.port)
            let scene = try Scene(place, Array(repeating: try place.settings(ports: [proxy.port]), count: 2))
            let cuts: [(PostgresProxy.Cut, of: String)] = [
                (.beforeCommit, Self.ofWebhooks), (.afterCommit, Self.ofWebhooks), (.beforeCommit, Self.ofDispatchers),
                (.afterCommit, Self.ofDispatchers),
            ]
            for (index, cut) in cuts.enumerated() {
                proxy.cut(cut.0, of: cut.of)
                #expect(proxy.waitForCuts(index + 1))
                scene.waitForCalls()
            }
            return try scene.end()
        }
    }

    /// The database has leased the delivery, but the replica does not receive the result. If its next store had another name, the attempt
    /// would end as `interrupted` once the former name is considered dead.
    @Test func `the replica itself releases a claim whose result was lost`() throws {
        let place = try place()
        let proxy = try PostgresProxy(to: try Self.server.get().port)
        let logger = Logger(level: .error, sink: try LogSink(descriptor: 2, format: .text))
        let replica = try Replica(try place.settings(ports: [proxy.port]), notifier: RecordingNotifier(AcceptanceRecord()), logger: logger)
        defer { withExtendedLifetime(proxy) { replica.stop() } }
        // The first claim that begins an attempt.
        proxy.cut(.afterCommit, of: Self.ofDispatchers)
        #expect(try replica.accept(Load.incoming(1, to: "user", at: replica.now()))?.get() == .accepted)
        #expect(proxy.waitForCuts(1))
        func outcomes() throws -> [String]? {
            try place.run(Query("SELECT outcome || ' ' || reason FROM attempts ORDER BY number"))?.map { row throws(PostgresError) in
                try row.string(0)
            }
        }
        #expect(eventually { (try? outcomes()) == ["retry claim_lost", "delivered arrived"] })
    }

    @Test func `no accepted event is lost when transactions conflict`() async throws {
        try await Rounds.run("deadlock, serialization failure") { _ in
            let place = try place()
            // Long before any deadline.
            let address = try place.settings(options: ["deadlock_timeout": "50"])
            let scene = try Scene(place, [address, address])
            let opponent = try Opponent(place.url())
            let before = try opponent.deadlocks()
            let wasProvoked = eventually {
                // The session waits for a lock of a replica that waits for the session.
                let wasInTheWay = try? opponent.block("user-9") { () throws(PostgresError) in try opponent.lock("user-%") }
                return wasInTheWay == true && (try? opponent.deadlocks() > before) == true
            }
            #expect(wasProvoked)
            // More consecutive times than a transaction is repeated.
            try scene.run("CREATE SEQUENCE conflicts")
            try scene.run(Self.conflict)
            try scene.run("CREATE TRIGGER conflict BEFORE INSERT ON events EXECUTE FUNCTION conflict()")
            scene.waitForNone("SELECT 1 FROM conflicts WHERE last_value <= 12")
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when a clock is wrong`() async throws {
        try await Rounds.run("clock two hours off") { round in
            let scene = try Scene(try place())
            scene.replicas[1].setClock(ahead: round % 2 == 0 ? 7_200_000 : -7_200_000)
            scene.waitForCalls()
            // Another store measures the offset again.
            try scene.run(Self.endSessions)
            return try scene.end()
        }
    }
}
