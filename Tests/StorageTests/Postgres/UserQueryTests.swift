import Core
import Postgres
import TestSupport
import Testing
import Time

@testable import Storage

/// Queries about users between processes on one database.
@Suite struct UserQueryTests {
    private let place: PostgresSchemaFixture

    init() throws {
        place = try PostgresSchemaFixture()
    }

    /// Processes that have received each other's heartbeat.
    private func stores(_ count: Int) throws -> [PostgresStore] {
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 50
        let stores = try (0..<count).map { _ in try place.store(settings) }
        for store in stores { store.announce(keysDigest: "0123456789abcdef") }
        let areKnown = eventually {
            stores.allSatisfy { store in store.replicas.count == count && store.replicas.allSatisfy { $0.keysDigest != nil } }
        }
        #expect(areKnown)
        return stores
    }

    private func question(_ number: Int = 1, app: String = "a\u{0}b", forgets: Bool = false) throws -> UserQuery {
        let bytes = [UInt8](repeating: UInt8(number), count: 16)
        let digest = KeyedDigest(bytes: bytes.span)
        let user = try #require(digest)
        return UserQuery(id: UUIDv7(milliseconds: 1, number: number << 16), appID: app, user: user, forgets: forgets)
    }

    @Test(arguments: [false, true]) func `the other replicas answer a query`(forgets: Bool) throws {
        let stores = try stores(3)
        defer { for store in stores { store.close() } }
        let asked = try question(forgets: forgets)
        #expect(try stores[0].ask(asked) == 2)
        #expect(try stores[0].openQueries() == [], "nobody asks itself")
        #expect(try stores[0].answers(to: asked.id) == [])
        for (index, store) in stores.enumerated().dropFirst() {
            #expect(try store.openQueries() == [asked])
            try store.answer(asked.id, with: [UInt8(index)])
            #expect(try store.openQueries() == [])
            #expect(try stores[0].answers(to: asked.id).sorted { $0[0] < $1[0] } == (1...index).map { [UInt8($0)] })
        }
        #expect(try stores[0].answers(to: try question(2).id) == [])
    }

    @Test func `the oldest query comes first`() throws {
        let stores = try stores(2)
        defer { for store in stores { store.close() } }
        let asked = try (1...3).map { try question($0) }
        for question in asked {
            #expect(try stores[0].ask(question) == 1)
            try place.run(Query("UPDATE user_questions SET asked_at = asked_at - 1000"))
        }
        #expect(try stores[1].openQueries() == asked)
    }

    /// A command has no keys in force, and a silent process will not answer.
    @Test func `only serving processes are queried`() throws {
        let stores = try stores(1)
        defer { for store in stores { store.close() } }
        let command = try place.store()
        defer { command.close() }
        try place.run(
            Query(
                "INSERT INTO replicas (id, seen_at, keys_digest) VALUES ('00000000-0000-7000-8000-000000000000', $1, 'x')",
                .int8(Int64(SystemClock.unixMilliseconds().rawValue) - Int64(2 * Replica.deadMilliseconds))))
        #expect(try stores[0].ask(try question()) == 0)
        #expect(try command.openQueries() == [])
    }

    @Test func `a query ends after a minute`() throws {
        let stores = try stores(2)
        defer { for store in stores { store.close() } }
        let (old, new) = (try question(1), try question(2))
        for question in [old, new] { #expect(try stores[0].ask(question) == 1) }
        try stores[1].answer(old.id, with: [1])
        try stores[1].answer(new.id, with: [2])
        try place.run(
            Query(
                "UPDATE user_questions SET asked_at = asked_at - $1 WHERE answer = '\\x01'", .int8(Int64(UserQuery.lifetimeMilliseconds))
            ))
        #expect(eventually { (try? stores[0].answers(to: old.id)) == [] })
        #expect(try stores[0].answers(to: new.id) == [[2]])
    }

    @Test(arguments: Backend.allCases) func `a single process queries no other`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.ask(try question()) == 0)
        #expect(try fixture.store.openQueries() == [])
        #expect(try fixture.store.answers(to: try question().id) == [])
        try fixture.store.answer(try question().id, with: [1])
    }
}
