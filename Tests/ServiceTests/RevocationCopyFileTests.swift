import Core
import Glibc
import HTTPServer
import POSIX
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import HelpDesk
@testable import Service

/// The copy of the revocations, which the service reads, writes and checks.
@Suite struct RevocationCopyFileTests {
    private let fixture: ServiceFixture
    private let path: String
    private let monotonic = Monitor<UInt64>(0)
    private static let block = Revocation.sample(1, appID: "shop", .user("user-1"))

    init() throws {
        fixture = try ServiceFixture()
        path = try #require(fixture.configuration.store.revocationsPath)
    }

    /// Creates the service with a store that cannot be read.
    private func graph(storeIsAway: Bool) throws -> ServiceGraph {
        let store = try DeliveryStore()
        if storeIsAway { store.refuse(.revocations, times: 1000) }
        return try graph(store)
    }

    private func graph(_ store: any Store) throws -> ServiceGraph {
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { [monotonic] in monotonic.withLock { $0 } })
        return try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: clocks) { store }
    }

    /// Does the work of the service's threads.
    private func renew(_ graph: ServiceGraph) {
        graph.revocations.refresh()
        graph.revocations.renewCopy()
    }

    private func makeCopy(of store: MemoryStore = MemoryStore()) throws { try graph(store).revocations.renewCopy() }

    private func status(_ graph: ServiceGraph) throws -> Int {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try AuthorizeCases.json()).status
    }

    private func copied() throws -> [Revocation.Subject] {
        let file = try #require(fixture.configuration.store.revocationCopy)
        return try file.read(now: TestTime.now).revocations.map(\.subject)
    }

    private func metrics(_ graph: ServiceGraph) -> String { InProcessClient(graph.adminRouter).send(.get, "/metrics").text }

    @Test func `it follows the store`() throws {
        let store = MemoryStore()
        let graph = try graph(store)
        graph.revocations.renewCopy()
        #expect(try copied() == [])
        #expect(try FileSystem.mode(of: path) & 0o777 == 0o600)
        try store.revoke(Self.block)
        renew(graph)
        #expect(try copied() == [.user("user-1")])
        _ = try store.removeRevocation(Self.block.id)
        renew(graph)
        #expect(try copied() == [])
        #expect(metrics(graph).contains("\ndeskgate_revocations_copy_timestamp_seconds \(TestTime.now)\n"))
        #expect(metrics(graph).contains("\ndeskgate_revocations_source{source=\"store\"} 1\n"))
    }

    @Test func `it is confirmed without changes`() throws {
        let graph = try graph(MemoryStore())
        renew(graph)
        try File.remove(path)
        renew(graph)
        #expect(!File.exists(path), "not with each question to the store")
        monotonic.withLock { $0 = 300_000_000_000 }
        renew(graph)
        #expect(File.exists(path))
    }

    @Test func `a start without the store uses it`() throws {
        let store = MemoryStore()
        try store.revoke(Self.block)
        try makeCopy(of: store)
        let graph = try graph(storeIsAway: true)
        #expect(try status(graph) == 403)
        #expect(graph.revocations.status.source == .copy)
        #expect(graph.revocations.status.knownAt == TestTime.now)
        #expect(metrics(graph).contains("\ndeskgate_revocations_source{source=\"copy\"} 1\n"))
        #expect(metrics(graph).contains("\ndeskgate_revocations_refresh_timestamp_seconds 0\n"))
        #expect(try fixture.log.lines().contains { $0.contains("the last known ones stay in force") })
    }

    @Test func `the store replaces it as soon as the store can be read`() throws {
        let former = MemoryStore()
        try former.revoke(Self.block)
        try makeCopy(of: former)
        let store = try DeliveryStore()
        store.refuse(.revocations, times: 1)
        let graph = try graph(store)
        #expect(try status(graph) == 403)
        renew(graph)
        #expect(try status(graph) == 200)
        #expect(graph.revocations.status.source == .store)
        #expect(try copied() == [])
    }

    enum Fault: CaseIterable {
        case missing, damaged, readableByOthers, writableByTheGroup, ofAnotherUser
    }

    @Test(arguments: Fault.allCases) func `an unverifiable copy is not used`(_ fault: Fault) throws {
        try makeCopy()
        switch fault {
        case .missing: try File.remove(path)
        case .damaged: try File.replace(path, mode: 0o600, [1, 2, 3])
        case .readableByOthers: #expect(unsafe chmod(path, 0o604) == 0)
        case .writableByTheGroup: #expect(unsafe chmod(path, 0o620) == 0)
        // Only root can change a file's owner.
        case .ofAnotherUser: if unsafe chown(path, 10_001, 10_001) != 0 { return }
        }
        let graph = try graph(storeIsAway: true)
        #expect(try status(graph) == 503)
        #expect(metrics(graph).contains("\ndeskgate_revocations_source{source=\"none\"} 1\n"))
        let line = try #require(try fixture.log.lines().first { $0.contains("the revocation list could not be loaded") })
        #expect(line.contains(path), "the log says why")
    }

    @Test func `a revocation applies although the copy cannot be written`() throws {
        let store = MemoryStore()
        let graph = try graph(store)
        renew(graph)
        // A file cannot replace a directory, not even as root.
        try File.remove(path)
        try File.createDirectory(path, mode: 0o700)
        try store.revoke(Self.block)
        renew(graph)
        #expect(try status(graph) == 403)
        let answer = InProcessClient(graph.adminRouter).send(.get, "/v1/status", headers: AdminDeliverFixture.authorization)
        #expect(answer.text.contains("revocations_copy"))
        #expect(answer.text.contains(path))
        let lines = try fixture.log.lines()
        #expect(lines.count { $0.contains("the revocations cannot be copied") } == 1)
        try #require(unsafe rmdir(path) == 0)
        monotonic.withLock { $0 = 5_000_000_000 }
        renew(graph)
        #expect(try copied() == [.user("user-1")])
        #expect(graph.revocations.status.copyProblem == nil)
    }

    @Test func `a copy without the store's revocations reports the store's failure`() throws {
        let store = try DeliveryStore()
        let graph = try graph(store)
        store.refuse(.revocationLists, times: 1)
        graph.revocations.renewCopy()
        #expect(graph.revocations.status.copyProblem?.hasPrefix("cannot read the revocations for their copy: ") == true)
        #expect(graph.revocations.status.copyWaitsForStore)
        monotonic.withLock { $0 = 5_000_000_000 }
        graph.revocations.renewCopy()
        #expect(!graph.revocations.status.copyWaitsForStore)
    }

    @Test func `an answered change is in force although only the copy can be read`() throws {
        try File.replace(path, mode: 0o600, [1, 2, 3])
        let store = try DeliveryStore()
        store.refuse(.revocations, times: 1000)
        let graph = try graph(store)
        try store.revoke(Self.block)
        graph.revocations.take(.added(Self.block))
        #expect(try status(graph) == 503)
        try File.remove(path)
        try makeCopy()
        monotonic.withLock { $0 = 5_000_000_000 }
        graph.revocations.refresh()
        #expect(graph.revocations.status.source == .copy)
        #expect(try status(graph) == 403)
    }

    @Test func `another file is neither read nor replaced`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("secret", "not a copy")
        let other = directory.path("secret")
        let file = RevocationCopyFile(other, of: "store", maximumAge: 60)
        #expect(throws: RevocationCopyFile.Failure.self) { try file.read(now: TestTime.now) }
        #expect(throws: RevocationCopyFile.Failure.self) { try file.write([], now: TestTime.now) }
        #expect(throws: RevocationCopyFile.Failure.self) { try file.invalidate() }
        #expect(try File.read(other, limit: 100).bytes == Array("not a copy".utf8))
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away"))
    func `a file of another user is reported with the repair command`() throws {
        try makeCopy()
        #expect(unsafe chown(path, 12_345, 12_345) == 0)
        let status = try graph(storeIsAway: true).revocations.status
        #expect(status.copyProblem == "cannot use the copy \(path): it belongs to user 12345, not to root")
        #expect(status.copyCommand == "chown root: \(path)")
    }

    @Test func `a copy that others may read is reported with the repair command`() throws {
        try makeCopy()
        #expect(unsafe chmod(path, 0o604) == 0)
        let status = try graph(storeIsAway: true).revocations.status
        #expect(status.copyProblem == "cannot use the copy \(path): others may read or change it; it must have mode 600")
        #expect(status.copyCommand == "chmod 600 \(path)")
    }

    @Test(.enabled(if: getuid() == 0, "only root has other users' rights"))
    func `a copy of root that all may read is rejected for its mode`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            #expect(unsafe chmod(directory.path, 0o755) == 0)
            try File.createDirectory(directory.path("theirs"), mode: 0o755)
            #expect(unsafe chown(directory.path("theirs"), 12_345, 12_345) == 0)
            let path = directory.path("theirs/copy")
            let copy = RevocationCopyFile(path, of: "store", maximumAge: 60)
            try copy.write([], now: 1000)
            #expect(unsafe chmod(path, 0o644) == 0)
            let failure = try Process.asOwner(of: path) { () throws(SystemError) -> RevocationCopyFile.Failure? in
                do throws(RevocationCopyFile.Failure) {
                    _ = try copy.read(now: 1000)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(failure?.description == "cannot use the copy \(path): others may read or change it; it must have mode 600")
            #expect(failure?.command == "chown 12345 \(path) && chmod 600 \(path)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away"))
    func `one command repairs the owner and mode of a file`() throws {
        try makeCopy()
        #expect(unsafe chown(path, 12_345, 12_345) == 0)
        #expect(unsafe chmod(path, 0o644) == 0)
        let status = try graph(storeIsAway: true).revocations.status
        #expect(status.copyProblem == "cannot use the copy \(path): it belongs to user 12345, not to root")
        #expect(status.copyCommand == "chown root: \(path) && chmod 600 \(path)")
    }

    @Test func `a file that is no copy is not given to the service's user`() throws {
        try File.replace(path, mode: 0o600, Array("not a copy".utf8))
        let graph = try graph(MemoryStore())
        renew(graph)
        #expect(graph.revocations.status.copyProblem?.contains("it is another file") == true)
        #expect(graph.revocations.status.copyCommand == nil)
    }

    @Test func `a pipe at its path does not block the start`() throws {
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(try status(graph(storeIsAway: true)) == 503)
    }

    @Test func `a failed change leaves no usable copy`() throws {
        let store = MemoryStore()
        try store.revoke(Self.block)
        try makeCopy(of: store)
        #expect(throws: StoreError.self) {
            try fixture.configuration.store.whileCopyIsEmpty(store, now: TestTime.now) { () throws(StoreError) in
                throw StoreError(.unavailable, "cut off")
            }
        }
        #expect(throws: RevocationCopyFile.Failure.self) { try copied() }
        try fixture.configuration.store.whileCopyIsEmpty(store, now: TestTime.now) { () throws(StoreError) in }
        #expect(try copied() == [.user("user-1")])
    }
}
