import Core
import Storage
import TestSupport

/// A kind of store that keeps the contract.
enum Backend: CaseIterable, Sendable {
    case memory, sqlite

    /// An empty store.
    func store(maxPending: Int = 1_000_000) throws -> StoreFixture {
        switch self {
        case .memory: return StoreFixture(MemoryStore(maxPending: maxPending), in: nil)
        case .sqlite:
            let directory = try TemporaryDirectory()
            var settings = StoreSettings()
            settings.maxPending = maxPending
            return StoreFixture(try SQLiteStore(path: directory.path("store.db"), settings: settings), in: directory)
        }
    }
}
