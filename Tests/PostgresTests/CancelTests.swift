import Postgres
import TestSupport
import Testing
import Threading

@Suite struct CancelTests {
    @Test func `cancels from another thread`() throws {
        let connection = try connect()
        let handle = try #require(connection.cancelHandle())
        let process = Int32(try connection.number("SELECT pg_backend_pid()"))
        let canceller = startThread {
            guard let other = try? connect() else { return }
            let isSleeping = Query("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", .int4(process))
            #expect(eventually { (try? other.run(isSleeping, by: .deferrable).count) == 1 })
            #expect((try? handle.cancel(by: .deferrable)) == true)
        }
        let error = failure { () throws(PostgresError) in try connection.run("SELECT pg_sleep(600)") }
        canceller.join()
        #expect(error?.sqlState == .queryCanceled)
        #expect(error?.isConnectionLost == false)
        #expect(try connection.number("SELECT 1") == 1)
    }

    @Test func `survives its connection`() throws {
        let connection = try connect()
        let handle = try #require(connection.cancelHandle())
        connection.close()
        #expect(connection.cancelHandle() == nil)
        #expect(try handle.cancel(by: .deferrable))
    }

    @Test func `ends at the deadline when the server hangs`() throws {
        let server = try PostgresServer()
        let connection = try connect(to: server)
        let handle = try #require(connection.cancelHandle())
        try server.pause()
        #expect(try !handle.cancel(by: .after(milliseconds: 20)))
        // The first request is still in transit.
        #expect(try !handle.cancel(by: .deferrable))
        try server.resume()
        #expect(eventually { (try? handle.cancel(by: .deferrable)) == true })
    }
}
