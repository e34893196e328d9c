import Core
import Postgres
import Storage
import TestSupport
import Testing
import Threading
import Time

/// A database that stops, hangs or ends connections.
@Suite struct PostgresLossTests {
    @Test func `a store whose database stops reports it and another store finds everything`() throws {
        let server = try PostgresServer()
        let place = try PostgresSchemaFixture(server)
        let store = try place.store()
        try store.take(Sample(1))
        #expect(store.refusal == nil)
        try server.kill()
        #expect(throws: StoreError.self) { try store.take(Sample(2).incoming()) }
        #expect(store.refusal?.kind == .notOpen, "whoever has it opens another one")
        #expect(throws: StoreError.self) { _ = try store.claim(at: 2000) }
        store.close()
        #expect(throws: StoreError.self) { try place.store() }
        try server.start()
        let again = try place.store()
        defer { again.close() }
        #expect(try again.take(Sample(1).incoming()) == .duplicate(of: Sample(1).event.id))
        #expect(try again.take(Sample(2).incoming()) == .accepted)
    }

    /// The database neither answers nor refuses connections, as behind a broken network.
    @Test func `a database that hangs delays callers only until their timeout`() throws {
        let server = try PostgresServer()
        let place = try PostgresSchemaFixture(server)
        let store = try place.store()
        try server.pause()
        #expect(throws: StoreError.self) { try store.take(Sample(1).incoming()) }
        #expect(store.refusal?.kind == .notOpen)
        try server.resume()
        store.close()
        let again = try place.store()
        defer { again.close() }
        #expect(try again.take(Sample(1).incoming()) == .accepted, "the other store did not come to its COMMIT")
    }

    /// Sessions are ended one by one during webhooks, as by an operator or a failover.
    @Test func `accepted events survive broken connections`() throws {
        // Its own server, because the test ends all sessions.
        let place = try PostgresSchemaFixture(try PostgresServer())
        let accepted = Monitor<[Int]>([])
        for round in 0..<5 {
            let store = try place.store()
            let sender = startThread {
                for number in (round * 1000)..<(round * 1000 + 1000) {
                    guard let result = try? store.take(Sample(number).incoming()) else { return }
                    if result == .accepted { accepted.withLock { $0.append(number) } }
                }
            }
            #expect(eventually { accepted.withLock { $0.count { $0 >= round * 1000 } } > 5 })
            try place.run(
                Query(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                ))
            sender.join()
            store.close()
        }
        let store = try place.store()
        defer { store.close() }
        let numbers = accepted.withLock { $0 }
        for number in numbers {
            #expect(try store.take(Sample(number).incoming()) == .duplicate(of: Sample(number).event.id))
        }
    }
}
