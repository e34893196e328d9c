import Core
import Storage
import TestSupport
import Testing
import Time

/// The recorded uses of keys, shared by the processes of one store.
@Suite struct KeyUseContractTests {
    private func use(_ app: String = "app", keyID: UInt32 = 1, since: UnixMilliseconds = 1000, usedAt: UnixMilliseconds? = nil)
        -> KeyUse
    {
        KeyUse(appID: app, keyID: keyID, since: since, usedAt: usedAt)
    }

    @Test(arguments: Backend.allCases) func `keeps the earliest start of the record and the latest use`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.keyUses() == [])
        let steps: [(KeyUse, KeyUse)] = [
            (use(since: 5000), use(since: 5000)), (use(since: 5000, usedAt: 60_000), use(since: 5000, usedAt: 60_000)),
            (use(since: 4000), use(since: 4000, usedAt: 60_000)), (use(since: 9000, usedAt: 120_000), use(since: 4000, usedAt: 120_000)),
            (use(since: 9000, usedAt: 60_000), use(since: 4000, usedAt: 120_000)),
        ]
        for (recorded, known) in steps {
            try fixture.store.record([recorded])
            #expect(try fixture.store.keyUses() == [known])
        }
        try fixture.store.record([])
    }

    /// Two names that are equal in Unicode, and one with a character that PostgreSQL's text type cannot store.
    @Test(arguments: Backend.allCases) func `records each key separately`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let uses = [
            use("a\u{0}b", keyID: 1, usedAt: 60_000), use("app", keyID: 0, usedAt: 120_000), use("app", keyID: 1),
            use("app", keyID: .max, usedAt: 180_000), use("cafe\u{301}", keyID: 1),
            use("caf\u{e9}", keyID: 1, usedAt: 60_000),
        ]
        try fixture.store.record(uses.reversed())
        #expect(try fixture.store.keyUses() == uses)
    }

    @Test func `keeps the records across a restart`() throws {
        let directory = try TemporaryDirectory()
        let place = try PostgresSchemaFixture()
        let opened: [() throws -> any Store] = [
            { try SQLiteStore(path: directory.path("store.db")) }, { try place.store() },
        ]
        for open in opened {
            let store = try open()
            try store.record([use("app", keyID: 1, usedAt: 60_000)])
            store.close()
            let again = try open()
            defer { again.close() }
            #expect(try again.keyUses() == [use("app", keyID: 1, usedAt: 60_000)])
        }
    }

    @Test(arguments: Backend.allCases) func `a closed store reports that it is closed`(_ backend: Backend) throws {
        let fixture = try backend.store()
        fixture.store.close()
        #expect(throws: StoreError.self) { try fixture.store.record([use()]) }
        #expect(throws: StoreError.self) { _ = try fixture.store.keyUses() }
        fixture.store.announce(keysDigest: "x")
    }

    @Test func `the last possible use is not before the start of the record`() {
        #expect(use(since: 5000).lastPossibleUse == 5000)
        #expect(use(since: 5000, usedAt: 4000).lastPossibleUse == 5000)
        #expect(use(since: 5000, usedAt: 6000).lastPossibleUse == 6000)
    }
}
