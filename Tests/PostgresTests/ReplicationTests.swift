import Postgres
import TestSupport
import Testing
import Threading

/// A primary with a synchronous standby: commits wait for the standby, and it takes over.
@Suite struct ReplicationTests {
    private static let isWaiting: StaticString = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'"

    /// Starts a thread that cancels or ends a process's session as soon as it waits for the standby.
    private func onceItWaits(_ server: PostgresServer, process: Int32, sql: StaticString) -> DedicatedThread {
        startThread {
            guard let other = try? connect(to: server) else { return }
            #expect(eventually { (try? other.run(Query(Self.isWaiting, .int4(process)), by: .deferrable).count) == 1 })
            #expect(throws: Never.self) { try other.run(Query(sql, .int4(process)), by: .deferrable) }
        }
    }

    @Test(arguments: [true, false])
    func `a commit whose wait was cancelled is uncertain`(isInTransaction: Bool) throws {
        let server = try PostgresServer()
        let connection = try connect(to: server)
        try connection.run("CREATE TABLE kept (id int8)")
        try server.setSynchronousStandby("nobody")
        let process = Int32(try connection.number("SELECT pg_backend_pid()"))
        let canceller = onceItWaits(server, process: process, sql: "SELECT pg_cancel_backend($1)")
        let error = failure { () throws(PostgresError) in
            if isInTransaction {
                try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                    _ = try connection.run("INSERT INTO kept VALUES (1)")
                }
            } else {
                try connection.run("INSERT INTO kept VALUES (1)")
            }
        }
        canceller.join()
        #expect(error?.failure == .notReplicated)
        #expect(error?.sqlState == "01000")
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isRetryable == false)
        #expect(error?.isConnectionLost == false)
        // The row exists nevertheless.
        #expect(try connection.number("SELECT count(*) FROM kept") == 1)
    }

    @Test func `a commit whose session was ended is uncertain`() throws {
        let server = try PostgresServer()
        let connection = try connect(to: server)
        try connection.run("CREATE TABLE kept (id int8)")
        try server.setSynchronousStandby("nobody")
        let process = Int32(try connection.number("SELECT pg_backend_pid()"))
        let terminator = onceItWaits(server, process: process, sql: "SELECT pg_terminate_backend($1)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                _ = try connection.run("INSERT INTO kept VALUES (1)")
            }
        }
        terminator.join()
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isConnectionLost == true)
    }

    @Test func `finds the standby that took over`() throws {
        let primary = try PostgresServer()
        let standby = try primary.standby()
        try primary.setSynchronousStandby("standby")
        let url = "postgres://postgres@127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)/postgres"
        let settings = try ConnectionSettings(url)
        let before = try Connection(settings, by: .deferrable)
        #expect(before.server == "127.0.0.1:\(primary.port)")
        try before.run("CREATE TABLE kept (id int8)")
        try before.run("INSERT INTO kept VALUES (1)")
        let reader = try Connection(try ConnectionSettings("\(url)?target_session_attrs=prefer-standby"), by: .deferrable)
        #expect(reader.server == "127.0.0.1:\(standby.port)")
        try primary.kill()
        let between = failure { () throws(PostgresError) in _ = try Connection(settings, by: .deferrable) }
        #expect(between?.sqlState == .readOnlyTransaction)
        #expect(between?.isRetryable == true)
        try standby.promote()
        let after = try Connection(settings, by: .deferrable)
        #expect(after.server == "127.0.0.1:\(standby.port)")
        #expect(try after.number("SELECT count(*) FROM kept") == 1)
    }
}
