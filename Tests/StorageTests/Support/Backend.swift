import Core
import Storage
import TestSupport

/// A kind of store that keeps the contract.
enum Backend: CaseIterable, Sendable {
    case memory, sqlite, postgres

    /// An empty store.
    /// - Parameter change: changes other settings.
    func store(
        maxPending: Int = 1_000_000, perNotifier: Int = 250_000, devicesPerUser: Int = 20,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> StoreFixture {
        var settings = StoreSettings()
        settings.maxPending = maxPending
        settings.maxPendingPerNotifier = perNotifier
        settings.devicesPerUser = devicesPerUser
        change(&settings)
        switch self {
        case .memory: return StoreFixture(MemoryStore(settings: settings), in: nil)
        case .sqlite:
            let directory = try TemporaryDirectory()
            let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
            return StoreFixture(store, in: directory)
        case .postgres:
            let place = try PostgresPlace()
            return StoreFixture(try place.store(settings), in: nil, place)
        }
    }
}
