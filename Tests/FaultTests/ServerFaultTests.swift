import Postgres
import TestSupport
import Testing

/// Replicas under load, with faults of their database: no accepted event is lost, and no guarantee is broken. Each scene has its own
/// servers.
@Suite(.serialized) struct ServerFaultTests {
    /// A primary with a synchronous standby, and a scene whose replicas have the addresses of both.
    private func replicated() throws -> (primary: PostgresServer, standby: PostgresServer, scene: Scene) {
        let primary = try PostgresServer()
        let standby = try primary.standby()
        try primary.setSynchronousStandby("standby")
        return (primary, standby, try Scene(try PostgresSchemaFixture(primary), ports: [primary.port, standby.port]))
    }

    @Test func `no accepted event is lost when the primary is killed`() async throws {
        try await Rounds.run("primary killed, standby promoted") { round in
            let (primary, standby, scene) = try replicated()
            // With or without an orderly end of each connection.
            if round % 2 == 0 { try primary.kill() } else { try primary.pause() }
            try standby.promote()
            scene.waitForCalls()
            if round % 2 == 1 { try primary.kill() }
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when the server is restarted`() async throws {
        try await Rounds.run("PostgreSQL restarted") { round in
            let server = try PostgresServer()
            let scene = try Scene(try PostgresSchemaFixture(server))
            // With or without an error message for each session.
            if round % 2 == 0 { try server.stopFast() } else { server.stop() }
            try server.start()
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when connections run out`() async throws {
        try await Rounds.run("too many connections") { _ in
            let server = try PostgresServer(PostgresServer.Options("max_connections=16", "superuser_reserved_connections=0"))
            let scene = try Scene(try PostgresSchemaFixture(server))
            let address = try ConnectionSettings(server.url(query: "application_name=hog").utf8.span)
            var hogs: [Connection] = []
            let areAllTaken = eventually {
                while let hog = try? Connection(address, by: .after(milliseconds: WaitLimit.milliseconds)) { hogs.append(hog) }
                _ = try? hogs.first?.run(Query(ReplicaFaultTests.endSessions), by: .after(milliseconds: WaitLimit.milliseconds))
                return hogs.count == 16
            }
            #expect(areAllTaken)
            scene.waitForRefusal(of: scene.replicas)
            scene.waitForLog("too many clients")
            hogs = []
            return try scene.end()
        }
    }

    @Test func `no accepted event is lost when the standby lags`() async throws {
        try await Rounds.run("standby lagged") { round in
            let (primary, standby, scene) = try replicated()
            try standby.pause()
            scene.waitForRefusal(of: scene.replicas)
            // Data that waited for the standby is now visible to all clients of this server, and exists nowhere else.
            try primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            if round % 2 == 0 { try primary.kill() }
            try standby.resume()
            if round % 2 == 0 { try standby.promote() }
            return try scene.end()
        }
    }
}
