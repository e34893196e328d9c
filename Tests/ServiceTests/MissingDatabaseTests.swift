import Core
import POSIX
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import HelpDesk
@testable import Operators
@testable import Service

/// A SQLite database that is missing is made anew only where nothing shows that there was one.
@Suite struct MissingDatabaseTests {
    private let directory: TemporaryDirectory
    private let store: Configuration.Store
    private let path: String
    private let copy: String

    init() throws {
        directory = try TemporaryDirectory()
        (path, copy) = (directory.path("deskgate.db"), directory.path("deskgate.db.revocations"))
        store = Self.store(path, copy)
    }

    private static func store(_ path: String, _ copy: String) -> Configuration.Store {
        Configuration.Store(kind: .sqlite(path: path), maximumPending: 10, minimumFreeMegabytes: 0, revocationsPath: copy)
    }

    private func open() throws(StoreError) { try store.open(devicesPerUser: 1).close() }

    /// - Parameter now: when the copy is written.
    private func makeCopy(_ revocations: [Revocation] = [], now: UnixSeconds = SystemClock.unixSeconds()) throws {
        try #require(store.revocationCopy).write(revocations, now: now)
    }

    private func expectRefusal(_ trace: String) throws {
        let trace = "shows that there was one\(trace); put the database back, "
        let expected = "\(path) is missing, but \(copy), the copy of its revocations, \(trace)"
        let failure = #expect(throws: StoreError.self) { try open() }
        #expect(failure?.description.hasPrefix(expected) == true)
        #expect(failure?.kind == .unavailable)
        #expect(store.problem?.message == failure?.description)
        #expect(!File.exists(path))
    }

    @Test func `a first start makes the database`() throws {
        #expect(store.problem == nil)
        try open()
        #expect(File.exists(path))
    }

    @Test func `a database that is there is opened beside its copy`() throws {
        try open()
        try makeCopy([.sample(1, appID: "shop", .user("user-1"))])
        #expect(store.problem == nil)
        try open()
    }

    @Test func `the copy of a missing database keeps an empty one from its place`() throws {
        try makeCopy([.sample(1, appID: "shop", .user("user-1"))])
        try expectRefusal(" (revocations: 1)")
        try File.remove(copy)
        try open()
    }

    /// Devices and deliveries are lost all the same.
    @Test func `a copy without revocations shows that there was a database`() throws {
        try makeCopy()
        try expectRefusal(" (revocations: 0)")
    }

    @Test func `the age of the copy does not matter`() throws {
        try makeCopy(now: 0)
        try expectRefusal(" (revocations: 0)")
    }

    @Test(arguments: ["", #"{"format":1,"st"#]) func `an emptied or damaged copy shows that there was a database`(_ text: String) throws {
        try directory.write("deskgate.db.revocations", text)
        try expectRefusal("")
    }

    @Test func `the copy of another store says nothing of this one`() throws {
        let other = Self.store(directory.path("other.db"), copy)
        try #require(other.revocationCopy).write([], now: SystemClock.unixSeconds())
        try open()
    }

    @Test func `a file that is no copy says nothing of the database`() throws {
        try directory.write("deskgate.db.revocations", "not a copy")
        try open()
    }

    @Test func `a command does not call the missing database a store that was never there`() throws {
        try makeCopy()
        let fixture = try ServiceFixture()
        var configuration = fixture.configuration
        configuration.store = store
        let failure = #expect(throws: AdminAccess.Failure.self) { try AdminAccess(configuration).perform(StatusAction()) }
        #expect(failure?.description.contains("shows that there was one (revocations: 0)") == true)
    }
}
