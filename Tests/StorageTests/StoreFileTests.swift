import TestSupport
import Testing
import Threading

@testable import Storage

@Suite struct StoreFileTests {
    /// The doctor opens several readers at once, and the last one to close the file removes its log.
    @Test func `readers of a closed store do not disturb each other`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        try SQLiteStore(path: path).close()
        let failures = Monitor<[String]>([])
        onThreads(4) { _ in
            for _ in 0..<100 {
                do {
                    let damage = try StoreFile.damage(path)
                    failures.withLock { $0 += damage }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test func `a store is in use while a service has it and not while it is read`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        #expect(StoreFile.conflict(at: path) == nil)
        let store = try SQLiteStore(path: path)
        #expect(StoreFile.conflict(at: path) != nil)
        store.close()
        #expect(StoreFile.conflict(at: path) == nil)
        let conflict = try StoreFile.read(path) { _ in StoreFile.conflict(at: path) }
        #expect(conflict == nil)
    }
}
