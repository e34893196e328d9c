import Core
import Glibc
import POSIX
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// A missing SQLite database is created only if there is no evidence of an earlier one.
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

    /// - Parameter now: the time at which the copy is written.
    private func makeCopy(_ revocations: [Revocation] = [], now: UnixSeconds = SystemClock.unixSeconds()) throws {
        try #require(store.revocationCopy).write(revocations, now: now)
    }

    private func expectRefusal(_ remedy: String = "put the database back, mount its disk, or restore a backup ") throws {
        let expected = "\(path) is missing, but \(copy), the copy of its revocations, shows that there was one; \(remedy)"
        let failure = #expect(throws: StoreError.self) { try open() }
        #expect(failure?.description.hasPrefix(expected) == true)
        #expect(failure?.kind == .unavailable)
        #expect(store.problem?.message == failure?.description)
        #expect(FileSystem.obstacle(toReading: path)?.isMissing == true)
    }

    @Test func `a first start creates the database`() throws {
        #expect(store.problem == nil)
        try open()
        #expect(File.exists(path))
    }

    @Test func `an existing database is opened beside its copy`() throws {
        try open()
        try makeCopy([.sample(1, appID: "shop", .user("user-1"))])
        #expect(store.problem == nil)
        try open()
    }

    @Test func `another file at the copy's path is a problem before the start`() throws {
        try open()
        try directory.write("deskgate.db.revocations", "{}")
        let problem = try #require(store.problem)
        #expect(problem.path == "$.store.revocations_path")
        #expect(problem.message == "\(copy): it is another file; name a file of its own in store.revocations_path")
    }

    @Test func `the copy of a missing database prevents an empty one`() throws {
        try makeCopy([.sample(1, appID: "shop", .user("user-1"))])
        try expectRefusal()
        try File.remove(copy)
        try open()
    }

    /// Devices and deliveries are lost even if no revocation is.
    @Test func `a copy without revocations is evidence of a database`() throws {
        try makeCopy()
        try expectRefusal()
    }

    @Test func `a dangling symbolic link is a missing database`() throws {
        #expect(unsafe symlink(directory.path("disk/deskgate.db"), path) == 0)
        try makeCopy()
        try expectRefusal()
    }

    @Test func `an inaccessible path is not a missing database`() throws {
        try directory.write("file", "")
        let store = Self.store(directory.path("file/deskgate.db"), copy)
        try #require(store.revocationCopy).write([], now: SystemClock.unixSeconds())
        #expect(store.problem?.message.contains("is missing") != true)
        let failure = #expect(throws: StoreError.self) { () throws(StoreError) in try store.open(devicesPerUser: 1).close() }
        #expect(failure?.description.contains("is missing") == false)
    }

    @Test func `the remedy restores the newest file saved by the service before any backup`() throws {
        try makeCopy()
        for name in ["1700000000", "1800000000", "later", "18446744073709551615"] { try directory.write("deskgate.db.rescued-\(name)", "") }
        try directory.write("other.db.rescued-1900000000", "")
        let line = "deskgate store restore \(path).rescued-1800000000"
        try expectRefusal(
            "the service saved it at 2027-01-15T08:00:00.000Z, when it was removed: stop the service, then \(line); otherwise put the database "
                + "back, ")
    }

    @Test func `status, backup and migration do not treat a missing database as a new store`() throws {
        try makeCopy()
        let expected = try #require(store.problem?.message)
        func message(_ command: () throws(StoreError) -> Void) -> String? {
            do throws(StoreError) {
                try command()
                return nil
            } catch {
                return error.description
            }
        }
        #expect(message { () throws(StoreError) in _ = try store.report() } == expected)
        #expect(message { () throws(StoreError) in _ = try store.backUp(to: directory.path("backup.db")) } == expected)
        #expect(message { () throws(StoreError) in _ = try store.migrate(as: nil, grantingTo: nil) } == expected)
    }

    @Test func `the age of the copy does not matter`() throws {
        try makeCopy(now: 0)
        try expectRefusal()
    }

    @Test(arguments: ["", #"{"format":1,"st"#]) func `an empty or damaged copy is evidence of a database`(_ text: String) throws {
        try directory.write("deskgate.db.revocations", text)
        try expectRefusal()
    }

    @Test func `the copy of another store is no evidence`() throws {
        let other = Self.store(directory.path("other.db"), copy)
        try #require(other.revocationCopy).write([], now: SystemClock.unixSeconds())
        try open()
    }

    @Test func `a file that is no copy is no evidence`() throws {
        try directory.write("deskgate.db.revocations", "not a copy")
        try open()
    }

    @Test func `a command does not treat a missing database as a new store`() throws {
        try makeCopy()
        let fixture = try ServiceFixture()
        var configuration = fixture.configuration
        configuration.store = store
        let failure = #expect(throws: AdminAccess.Failure.self) { try AdminAccess(configuration).perform(StatusAction()) }
        #expect(failure?.description.contains("shows that there was one; ") == true)
    }
}
