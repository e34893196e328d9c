import Postgres
import TestSupport
import Testing
import Threading

/// Broken connections: whether the transaction was committed, and whether it may be retried.
@Suite struct LossTests {
    private static let committed = Array("COMMIT\0".utf8)

    private func connect(through proxy: CuttingProxy) throws -> Connection {
        try Connection(try ConnectionSettings(proxy.url()), by: .deferrable)
    }

    /// The number of rows with a note, read over a separate connection.
    private func count(_ note: String) throws -> Int64 {
        try PostgresTests.connect().run(Query("SELECT count(*) FROM noted WHERE note = $1", .text(note)), by: .deferrable)[0].int64(0)
    }

    private func makeTable() throws {
        try PostgresTests.connect().pipeline(
            [Query("SELECT pg_advisory_xact_lock(815)"), Query("CREATE TABLE IF NOT EXISTS noted (note text)")], by: .deferrable)
    }

    /// Writes a note in a transaction through a proxy that breaks the connection, and returns the error.
    /// - Parameter deadline: the deadline of the statement with the text, which starts when it is sent.
    private func write(
        _ note: String, _ action: CuttingProxy.Action, on text: String = "COMMIT\0", by deadline: @autoclosure () -> Deadline = .deferrable
    ) throws -> PostgresError? {
        try makeTable()
        let proxy = try CuttingProxy(to: PostgresServer.shared.get().port, on: text, action)
        let connection = try connect(through: proxy)
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.run(Query("INSERT INTO noted VALUES ($1)", .text(note)), by: text == "INSERT" ? deadline() : .deferrable)
                try connection.commit(by: deadline())
            }
        }
        #expect(!connection.isOpen)
        #expect(failure { () throws(PostgresError) in try connection.run("SELECT 1") }?.isConnectionLost == true)
        return error
    }

    @Test func `a commit that arrived is uncertain`() throws {
        let error = try write("arrived", .cutBeforeAnswer(Self.committed))
        #expect(error?.failure == .connectionLost)
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isRetryable == false)
        #expect(try count("arrived") == 1)
    }

    @Test func `a commit that did not arrive is uncertain`() throws {
        let error = try write("never arrived", .cutBefore)
        #expect(error?.failure == .connectionLost)
        #expect(error?.commitIsInDoubt == true)
        #expect(try count("never arrived") == 0)
    }

    @Test func `a commit without a response in time is uncertain`() throws {
        let error = try write("unanswered", .fallSilent, by: .after(milliseconds: 1_000))
        #expect(error?.failure == .timedOut)
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isConnectionLost == true)
    }

    @Test func `a failure before the commit is certain`() throws {
        let error = try write("early", .cutBefore, on: "INSERT")
        #expect(error?.failure == .connectionLost)
        #expect(error?.commitIsInDoubt == false)
        #expect(error?.isRetryable == true)
        let late = try write("early", .fallSilent, on: "INSERT", by: .after(milliseconds: 1_000))
        #expect(late?.failure == .timedOut)
        #expect(late?.commitIsInDoubt == false)
        #expect(late?.isRetryable == true)
        #expect(try count("early") == 0)
    }

    @Test func `a statement that commits by itself is uncertain`() throws {
        try makeTable()
        let proxy = try CuttingProxy(to: PostgresServer.shared.get().port, on: "INSERT", .cutBeforeAnswer(Array("INSERT 0 1\0".utf8)))
        let connection = try connect(through: proxy)
        let error = failure { () throws(PostgresError) in
            try connection.run(Query("INSERT INTO noted VALUES ('alone')"), by: .deferrable)
        }
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isConnectionLost == true)
    }

    @Test func `an ignored failure is reported again`() throws {
        let proxy = try CuttingProxy(to: PostgresServer.shared.get().port, on: "COMMIT\0", .cutBefore)
        let connection = try connect(through: proxy)
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                let ignored = failure { () throws(PostgresError) in _ = try connection.commit([Query("SELECT 1")], by: .deferrable) }
                #expect(ignored?.commitIsInDoubt == true)
            }
        }
        #expect(error?.commitIsInDoubt == true)
    }

    @Test func `ends at the deadline and closes`() throws {
        let connection = try PostgresTests.connect()
        let error = failure { () throws(PostgresError) in
            try connection.run(Query("SELECT pg_sleep(600)"), by: .after(milliseconds: 20))
        }
        #expect(error?.failure == .timedOut)
        #expect(error?.isConnectionLost == true)
        #expect(error?.commitIsInDoubt == true)
        #expect(!connection.isOpen)
        #expect(connection.server == nil)
        let later = failure { () throws(PostgresError) in try connection.run("SELECT 1") }
        #expect(later?.message == "the connection was lost earlier: the server did not answer in time")
        #expect(later?.remedy?.contains("waits for a lock or for a synchronous standby") == true)
        #expect(later?.isRetryable == true)
    }

    @Test func `a read is never uncertain`() throws {
        let connection = try PostgresTests.connect()
        let error = failure { () throws(PostgresError) in
            _ = try connection.read(Query("SELECT pg_sleep(600)"), by: .after(milliseconds: 20))
        }
        #expect(error?.failure == .timedOut)
        #expect(error?.commitIsInDoubt == false)
        #expect(error?.isRetryable == true)
    }

    @Test func `ends at the deadline during an endless response`() throws {
        let connection = try PostgresTests.connect()
        let error = failure { () throws(PostgresError) in
            // FROM generate_series would first write all rows to a file, even after the client is gone.
            try connection.run(Query("SELECT repeat('x', 1000), generate_series(1, 1000000000)"), by: .after(milliseconds: 50))
        }
        #expect(error?.failure == .timedOut)
    }

    @Test func `reports why the server ended the connection`() throws {
        let (victim, other) = (try PostgresTests.connect(), try PostgresTests.connect())
        let process = try victim.number("SELECT pg_backend_pid()")
        let hasEnded = { () throws(PostgresError) in
            try other.run(Query("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", .int8(process)), by: .deferrable)[0].int64(0) == 0
        }
        try other.run(Query("SELECT pg_terminate_backend($1::int4)", .int4(Int32(process))), by: .deferrable)
        #expect(eventually { (try? hasEnded()) == true })
        let error = failure { () throws(PostgresError) in try victim.run("SELECT 1") }
        #expect(error?.sqlState == "57P01")
        #expect(error?.isConnectionLost == true)
        // The end was detected before anything was sent.
        #expect(error?.commitIsInDoubt == false)
        #expect(error?.isRetryable == true)
    }

    @Test(arguments: [true, false])
    func `reports why the server ended a statement`(isInTransaction: Bool) throws {
        let victim = try PostgresTests.connect()
        let process = try victim.number("SELECT pg_backend_pid()")
        let killer = startThread {
            guard let other = try? PostgresTests.connect() else { return }
            _ = eventually {
                let query = Query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int4 AND wait_event = 'PgSleep'",
                    .int4(Int32(process)))
                return (try? other.run(query, by: .deferrable).count) == 1
            }
        }
        let error = failure { () throws(PostgresError) in
            guard isInTransaction else { return _ = try victim.run("SELECT pg_sleep(600)") }
            try victim.transaction(by: .deferrable) { () throws(PostgresError) in _ = try victim.run("SELECT pg_sleep(600)") }
        }
        killer.join()
        #expect(error?.sqlState == "57P01")
        #expect(error?.isConnectionLost == true)
        // A pooler could send the same error without information about the server.
        #expect(error?.commitIsInDoubt == !isInTransaction)
        #expect(error?.isRetryable == isInTransaction)
        #expect(!victim.isOpen)
    }

    @Test func `survives a server that is killed`() throws {
        let server = try PostgresServer()
        let connection = try PostgresTests.connect(to: server)
        try connection.run("CREATE TABLE kept (id int8)")
        try connection.run("INSERT INTO kept VALUES (1)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.run("INSERT INTO kept VALUES (2)")
                #expect(throws: Never.self) { try server.kill() }
            }
        }
        #expect(error?.isConnectionLost == true)
        let refused = failure { () throws(PostgresError) in
            _ = try Connection(try ConnectionSettings(server.url()), by: .deferrable)
        }
        #expect(refused?.failure == .notConnected)
        #expect(refused?.isRetryable == true)
        try server.start()
        #expect(try PostgresTests.connect(to: server).number("SELECT sum(id)::int8 FROM kept") == 1)
    }
}
