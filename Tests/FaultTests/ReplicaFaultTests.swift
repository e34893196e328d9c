import Core
import Glibc
import Postgres
import TestSupport
import Testing
import Threading

/// Replicas under load, to whose database, network or process something happens: nothing accepted is lost, and no promise is broken.
@Suite(.serialized) struct ReplicaFaultTests {
    private static let server = Result { try PostgresServer(PostgresServer.Options("max_connections=100")) }
    private static let endSessions: StaticString = """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'deskgate'
        """

    /// What only connections of webhooks say, and only those of dispatchers.
    private static let ofWebhooks = "INSERT INTO persons"
    private static let ofDispatchers = "INSERT INTO attempts"
    private static let conflict: StaticString = """
        CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('conflicts') <= 12 THEN RAISE EXCEPTION 'provoked' USING ERRCODE = 'serialization_failure'; END IF;
            RETURN NULL;
        END $$
        """

    /// A place on a server that goes on, of the suite's own because sessions are ended.
    private func place() throws -> PostgresPlace { try PostgresPlace(try Self.server.get()) }

    @Test func primaryIsKilled() async throws {
        try await Rounds.run("primary killed, standby promoted") { round in
            let primary = try PostgresServer()
            let standby = try primary.standby()
            try primary.setSynchronousStandby("standby")
            let scene = try Scene(try PostgresPlace(primary), ports: [primary.port, standby.port])
            // With an end to each connection, or without one.
            if round % 2 == 0 { try primary.kill() } else { try primary.pause() }
            try standby.promote()
            scene.waitForCalls()
            if round % 2 == 1 { try primary.kill() }
            return try scene.end()
        }
    }

    @Test func replicaIsKilled() async throws {
        try await Rounds.run("replica killed in a batch") { _ in
            let place = try place()
            let scene = try Scene(place)
            try scene.run("CREATE TABLE living AS SELECT id FROM replicas")
            let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                [address = place.url() as String] in
                try DyingReplica.run(address)
            }
            scene.ledger.take(journal: result?.standardOutputContent ?? [])
            // As if it had been silent for a minute: the others give back what it had leased.
            try scene.run("UPDATE replicas SET seen_at = seen_at - 60000 WHERE id NOT IN (SELECT id FROM living)")
            scene.waitForNone("SELECT 1 FROM deliveries WHERE state = 0 AND owner NOT IN (SELECT id FROM living)")
            return try scene.end()
        }
    }

    @Test func networkStalls() async throws {
        try await Rounds.run("network stalled") { round in
            let (server, place) = (try Self.server.get(), try place())
            let proxies = try (0..<2).map { _ in try PostgresProxy(to: server.port) }
            let scene = try Scene(place, try proxies.map { try place.settings(ports: [$0.port]) })
            // All replicas, or one while the other goes on.
            if round % 2 == 0 {
                // One replica in the middle of a transaction, whose locks must not hold up the other.
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

    @Test func connectionIsCutAroundCommit() async throws {
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

    @Test func serverIsRestarted() async throws {
        try await Rounds.run("PostgreSQL restarted") { round in
            let server = try PostgresServer()
            let scene = try Scene(try PostgresPlace(server))
            // With an end to each session that says why, or without one.
            if round % 2 == 0 { try server.stopFast() } else { server.stop() }
            try server.start()
            return try scene.end()
        }
    }

    @Test func connectionsRunOut() async throws {
        try await Rounds.run("too many connections") { _ in
            let server = try PostgresServer(PostgresServer.Options("max_connections=16", "superuser_reserved_connections=0"))
            let scene = try Scene(try PostgresPlace(server))
            let address = try ConnectionSettings(server.url(query: "application_name=hog").utf8.span)
            var hogs: [Connection] = []
            let areAllTaken = eventually {
                while let hog = try? Connection(address, by: .after(milliseconds: 5000)) { hogs.append(hog) }
                _ = try? hogs.first?.run(Query(Self.endSessions), by: .after(milliseconds: 5000))
                return hogs.count == 16
            }
            #expect(areAllTaken)
            scene.waitForRefusal(of: scene.replicas)
            scene.waitForLog("too many clients")
            hogs = []
            return try scene.end()
        }
    }

    @Test func standbyLags() async throws {
        try await Rounds.run("standby lagged") { round in
            let primary = try PostgresServer()
            let standby = try primary.standby()
            try primary.setSynchronousStandby("standby")
            let scene = try Scene(try PostgresPlace(primary), ports: [primary.port, standby.port])
            try standby.pause()
            scene.waitForRefusal(of: scene.replicas)
            // What waited for the standby is now there for everybody, and nowhere else.
            try primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            if round % 2 == 0 { try primary.kill() }
            try standby.resume()
            if round % 2 == 0 { try standby.promote() }
            return try scene.end()
        }
    }

    @Test func transactionsConflict() async throws {
        try await Rounds.run("deadlock, serialization failure") { _ in
            let place = try place()
            // Long before anybody's deadline.
            let address = try place.settings(options: ["deadlock_timeout": "50"])
            let scene = try Scene(place, [address, address])
            let opponent = try Opponent(place.url())
            let before = try opponent.deadlocks()
            let wasProvoked = eventually {
                // It waits for what a replica has that waits for it.
                let wasInTheWay = try? opponent.block("user-9") { () throws(PostgresError) in try opponent.lock("user-%") }
                return wasInTheWay == true && (try? opponent.deadlocks() > before) == true
            }
            #expect(wasProvoked)
            // More often in a row than a transaction is repeated.
            try scene.run("CREATE SEQUENCE conflicts")
            try scene.run(Self.conflict)
            try scene.run("CREATE TRIGGER conflict BEFORE INSERT ON events EXECUTE FUNCTION conflict()")
            scene.waitForNone("SELECT 1 FROM conflicts WHERE last_value <= 12")
            return try scene.end()
        }
    }

    @Test func clockIsWrong() async throws {
        try await Rounds.run("clock two hours off") { round in
            let scene = try Scene(try place())
            scene.replicas[1].setClock(ahead: round % 2 == 0 ? 7_200_000 : -7_200_000)
            scene.waitForCalls()
            // Another store finds out anew how far it is off.
            try scene.run(Self.endSessions)
            return try scene.end()
        }
    }
}
