import Core
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

/// Revocations, for every kind of store.
@Suite struct StoreContractRevocationTests {
    private static let samples = Revocation.samples(appID: "app")

    private func filled(_ backend: Backend) throws -> StoreFixture {
        let fixture = try backend.store()
        for revocation in Self.samples { try fixture.store.revoke(revocation) }
        return fixture
    }

    @Test(arguments: Backend.allCases) func `lists them newest first in pages`(backend: Backend) throws {
        let fixture = try filled(backend)
        #expect(try fixture.store.revocations(of: nil, after: nil, limit: 100) == Self.samples.reversed())
        var (listed, last) = ([Revocation](), UUIDv7?.none)
        while true {
            let page = try fixture.store.revocations(of: nil, after: last, limit: 3)
            listed += page
            guard let next = page.last else { break }
            last = next.id
        }
        #expect(listed == Self.samples.reversed())
        #expect(try fixture.store.revocations(of: nil, after: nil, limit: 0).isEmpty)
    }

    @Test(arguments: Backend.allCases) func `lists those of a person`(backend: Backend) throws {
        let fixture = try filled(backend)
        try fixture.store.revoke(.sample(8, appID: "app2", .user("ann")))
        let ann = AppUser(appID: "app", userID: "ann")
        #expect(try fixture.store.revocations(of: ann, after: nil, limit: 100) == [Self.samples[2], Self.samples[1]])
        #expect(try fixture.store.revocations(of: ann, after: Self.samples[2].id, limit: 100) == [Self.samples[1]])
        #expect(try fixture.store.revocations(of: AppUser(appID: "app", userID: "an"), after: nil, limit: 100).isEmpty)
        #expect(try fixture.store.revocations(of: AppUser(appID: "none", userID: "ann"), after: nil, limit: 100).isEmpty)
    }

    @Test(arguments: Backend.allCases) func `lists those of an app`(backend: Backend) throws {
        let fixture = try filled(backend)
        let others = [Revocation.sample(8, appID: "app2", .user("ann")), .sample(10, appID: "app2", .everyKey)]
        for revocation in others { try fixture.store.revoke(revocation) }
        #expect(try fixture.store.revocations(.app("app"), after: nil, limit: 100) == Self.samples.reversed())
        #expect(try fixture.store.revocations(.app("app2"), after: nil, limit: 100) == others.reversed())
        #expect(try fixture.store.revocations(.app("app2"), after: others[1].id, limit: 100) == [others[0]])
        #expect(try fixture.store.revocations(.app("app2"), after: nil, limit: 1) == [others[1]])
        #expect(try fixture.store.revocations(.app("none"), after: nil, limit: 100).isEmpty)
    }

    @Test(arguments: Backend.allCases) func `keeps any text`(backend: Backend) throws {
        let fixture = try backend.store()
        let strange = "a\u{0}b\u{1}c\u{1}\u{1}e\u{301}"
        let revocation = Revocation.sample(1, appID: strange, .user(strange), reason: strange)
        try fixture.store.revoke(revocation)
        #expect(try fixture.store.revocations(of: AppUser(appID: strange, userID: strange), after: nil, limit: 2) == [revocation])
        #expect(try fixture.store.removeRevocation(revocation.id) == revocation)
    }

    @Test(arguments: Backend.allCases) func `removes one`(backend: Backend) throws {
        let fixture = try filled(backend)
        #expect(try fixture.store.removeRevocation(Self.samples[3].id) == Self.samples[3])
        #expect(try fixture.store.removeRevocation(Self.samples[3].id) == nil)
        #expect(try fixture.store.revocations(of: nil, after: nil, limit: 100) == Self.samples.filter { $0 != Self.samples[3] }.reversed())
    }

    @Test(arguments: Backend.allCases) func `reports changes`(backend: Backend) throws {
        let fixture = try backend.store()
        let start = try fixture.store.revocationChanges(since: nil)
        #expect(start.isComplete)
        #expect(start.changes.isEmpty)
        for revocation in Self.samples { try fixture.store.revoke(revocation) }
        let added = try fixture.store.revocationChanges(since: start.version)
        #expect(added.isComplete)
        #expect(added.changes == Self.samples.map { .added($0) })
        #expect(
            try fixture.store.revocationChanges(since: added.version)
                == RevocationChanges(changes: [], version: added.version, isComplete: true))
        _ = try fixture.store.removeRevocation(Self.samples[0].id)
        try fixture.store.revoke(.sample(8, .keyID(3)))
        let later = try fixture.store.revocationChanges(since: added.version)
        #expect(later.isComplete && later.changes == [.removed(Self.samples[0].id), .added(.sample(8, .keyID(3)))])
        #expect(try fixture.store.revocationChanges(since: nil) == RevocationChanges(changes: [], version: later.version, isComplete: true))
        // A replica with any earlier version ends with the same list.
        var revocationSet: [UUIDv7] = []
        for change in try fixture.store.revocationChanges(since: start.version).changes {
            switch change {
            case .added(let revocation): revocationSet.append(revocation.id)
            case .removed(let id): revocationSet.removeAll { $0 == id }
            }
        }
        #expect(revocationSet.sorted() == (Self.samples.dropFirst() + [.sample(8, .keyID(3))]).map(\.id).sorted())
    }

    /// A version unknown to the store belongs to a database that has lost commits, or to another one.
    @Test(arguments: Backend.allCases) func `reports when all must be read again`(backend: Backend) throws {
        let fixture = try filled(backend)
        let version = try fixture.store.revocationChanges(since: nil).version
        let changes = try fixture.store.revocationChanges(since: version + 1)
        #expect(!changes.isComplete)
        #expect(changes.changes.isEmpty)
        #expect(changes.version == version)
    }

    @Test(arguments: Backend.allCases) func `reports many changes in pages`(backend: Backend) throws {
        let fixture = try backend.store()
        let count = backend == .memory ? RevocationRules.changesPerPage + 10 : 30
        for number in 0..<UInt64(count) { try fixture.store.revoke(.sample(number, .user("user-\(number)"))) }
        var (version, reported) = (try #require(Int64(exactly: 0)), 0)
        while true {
            let changes = try fixture.store.revocationChanges(since: version)
            if changes.changes.isEmpty { break }
            #expect(changes.changes.count <= RevocationRules.changesPerPage)
            (version, reported) = (changes.version, reported + changes.changes.count)
        }
        #expect(reported == count)
    }

    /// Of two truncated lists, entries after the end of the shorter one wait for the next poll.
    @Test func `pages of two lists fit together`() {
        let limit = Int64(RevocationRules.changesPerPage)
        let added = (1...limit).map { (version: $0 * 2, change: RevocationChange.added(.sample(UInt64($0), .everyKey))) }
        let removed = [1, limit * 2 + 1].map { (version: $0, change: RevocationChange.removed(Self.samples[0].id)) }
        let changes = RevocationRules.changes(added, removed: removed, versions: RevocationRules.Versions(last: limit * 3, forgotten: 0))
        #expect(changes.version == limit * 2)
        #expect(changes.changes.count == Int(limit) + 1)
        #expect(changes.changes.first == .removed(Self.samples[0].id))
    }

    /// Only removals older than a day are deleted.
    @Test func `deletes old removals`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        for revocation in Self.samples { try store.revoke(revocation) }
        let before = try store.revocationChanges(since: nil).version
        let day = RevocationRules.removalMilliseconds
        func remove(_ index: Int, at now: UnixMilliseconds) throws {
            _ = try store.queue.perform { database throws(SQLiteError) in
                try database.removeRevocation(Self.samples[index].id, now: now)
            }
        }
        try remove(0, at: 1_000_000_000_000)
        try remove(1, at: 1_000_000_000_000 + day)
        #expect(try store.revocationChanges(since: before).changes.count == 2)
        try remove(2, at: 1_000_000_000_001 + day)
        #expect(try !store.revocationChanges(since: before).isComplete)
        let known = try store.revocationChanges(since: before + 1)
        #expect(known.isComplete && known.changes == [.removed(Self.samples[1].id), .removed(Self.samples[2].id)])
    }

    /// Changes of another process, in PostgreSQL, also when both change at once.
    @Test func `is shared by replicas`() async throws {
        let place = try PostgresSchemaFixture()
        let (one, other) = (try place.store(StoreSettings()), try place.store(StoreSettings()))
        defer {
            one.close()
            other.close()
        }
        try await withThrowingTaskGroup { group in
            for (offset, store) in [one, other].enumerated() {
                group.addTask {
                    for number in 0..<20 as Range<UInt64> {
                        let revocation = Revocation.sample(number * 2 + UInt64(offset), .user("user-\(number)"))
                        try store.revoke(revocation)
                        if number.isMultiple(of: 4) { _ = try store.removeRevocation(revocation.id) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let changes = try one.revocationChanges(since: 0)
        #expect(changes.version == 50)
        #expect(try other.revocationChanges(since: 0) == changes)
        #expect(try one.revocations(of: nil, after: nil, limit: 100).count == 30)
    }
}
