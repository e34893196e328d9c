import Core
import Postgres
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

/// Operators' reads of a database: concurrent with writers, read-only, and limited in time.
@Suite struct PostgresReadTests {
    private func connection(_ place: PostgresSchemaFixture) throws -> Connection {
        try Connection(try place.settings(), by: .after(milliseconds: WaitLimit.milliseconds))
    }

    /// Holds a lock on the tables of events while `body` runs.
    private func holding(_ lock: StaticString, place: PostgresSchemaFixture, body: () throws -> Void) throws {
        let other = try connection(place)
        let result = try other.transaction(by: .after(milliseconds: WaitLimit.milliseconds)) { () throws(PostgresError) in
            try other.run(Query(lock), by: .after(milliseconds: WaitLimit.milliseconds))
            return Result { try body() }
        }
        try result.get()
    }

    @Test func `are answered during writes`() throws {
        let place = try PostgresSchemaFixture()
        let store = try place.store()
        defer { store.close() }
        try store.take(Sample(1))
        let answer = Monitor<Result<Acceptance, StoreError>?>(nil)
        try holding("LOCK TABLE events, deliveries, devices, persons IN EXCLUSIVE MODE", place: place) { () throws in
            store.accept(Sample(2).incoming(), telling: .nobody) { result in answer.update { $0 = result } }
            #expect(try store.deliveries(DeliveryFilter(), limit: 10).count == 1)
            #expect(try store.story(of: Sample(1).delivery().id) != nil)
            #expect(try store.devices(DeviceFilter(appID: "app", userID: nil), after: nil, limit: 10).isEmpty)
            #expect(try store.pending().count == 1)
            #expect(answer.withLock { $0 } == nil, "the writer waited all the time")
        }
        #expect(answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 } == .success(.accepted))
    }

    @Test func `cannot write`() throws {
        let place = try PostgresSchemaFixture()
        let store = try place.store()
        defer { store.close() }
        try store.take(Sample(1))
        do throws(StoreError) {
            _ = try store.read { session throws(PostgresError) in try session.run([Query("DELETE FROM events")]) }
            Issue.record("the read has written")
        } catch {
            #expect(error.description.contains("25006"), "\(error)")
        }
        #expect(try store.deliveries(DeliveryFilter(), limit: 10).count == 1, "the connection goes on")
    }

    @Test func `are ended at their time limit`() throws {
        let place = try PostgresSchemaFixture()
        var settings = StoreSettings()
        settings.readMilliseconds = 20
        let store = try place.store(settings)
        defer { store.close() }
        try store.take(Sample(1))
        try holding("LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE", place: place) { () throws in
            for _ in 0..<2 {
                do throws(StoreError) {
                    _ = try store.page(of: DeliveryFilter(), after: nil, limit: 10)
                    Issue.record("the read was not ended")
                } catch {
                    #expect(error.kind == .tooLong)
                    #expect(error.description.contains("took more than 20 ms"))
                }
            }
        }
        #expect(eventually { (try? store.deliveries(DeliveryFilter(), limit: 10).count) == 1 }, "the connection goes on")
    }

    /// A slow read of an operator delays neither metrics nor the poll for revocations.
    @Test func `do not delay metrics`() throws {
        let place = try PostgresSchemaFixture()
        let store = try place.store(Self.withoutReadLimit)
        defer { store.close() }
        try store.take(Sample(1))
        try holding("LOCK TABLE key_uses IN ACCESS EXCLUSIVE MODE", place: place) { () throws in
            let hasEnded = Monitor(false)
            let reader = startThread {
                _ = try? store.keyUses()
                hasEnded.update { $0 = true }
            }
            #expect(try isWaiting(place))
            #expect(try store.pending().count == 1)
            _ = try store.revocationChanges(since: nil)
            // Ends the read, which would otherwise run until its time limit.
            try place.run(
                Query("SELECT count(pg_cancel_backend(pid)) FROM pg_locks WHERE relation = 'key_uses'::regclass AND NOT granted"))
            reader.join()
            #expect(hasEnded.withLock { $0 })
        }
    }

    @Test func `are ended when the store is closed`() throws {
        let place = try PostgresSchemaFixture()
        let store = try place.store(Self.withoutReadLimit)
        try store.take(Sample(1))
        try holding("LOCK TABLE key_uses IN ACCESS EXCLUSIVE MODE", place: place) { () throws in
            let end = Monitor<StoreError?>(nil)
            let reader = startThread {
                do throws(StoreError) {
                    _ = try store.keyUses()
                } catch {
                    end.update { $0 = error }
                }
            }
            #expect(try isWaiting(place))
            store.close()
            reader.join()
            #expect(end.withLock { $0 } == .closed)
        }
    }

    @Test func `continue after the database was unavailable`() throws {
        let server = try PostgresServer()
        let place = try PostgresSchemaFixture(server)
        let store = try place.store()
        defer { store.close() }
        try store.take(Sample(1))
        #expect(try store.deliveries(DeliveryFilter(), limit: 10).count == 1)
        try server.kill()
        #expect(throws: StoreError.self) { try store.deliveries(DeliveryFilter(), limit: 10) }
        try server.start()
        #expect(eventually { (try? store.deliveries(DeliveryFilter(), limit: 10).count) == 1 })
    }

    /// The connection's own timeout passes before the server's limit.
    private static var withoutReadLimit: StoreSettings {
        var settings = StoreSettings()
        settings.readMilliseconds = WaitLimit.milliseconds
        return settings
    }

    /// Whether a read of the schema's own table waits for its lock, within a short time.
    private func isWaiting(_ place: PostgresSchemaFixture) throws -> Bool {
        eventually {
            let rows = try? place.run(Query("SELECT count(*) FROM pg_locks WHERE relation = 'key_uses'::regclass AND NOT granted"))
            return (try? rows?.one().int64(0)) ?? 0 > 0
        }
    }
}
