import Core
import Storage
import TestSupport

/// A kind of store that implements the contract.
enum Backend: CaseIterable, Sendable {
    case memory, sqlite, postgres

    /// An empty store.
    /// - Parameters:
    ///   - aheadMilliseconds: the offset of the process's clock from PostgreSQL's. By default it is two hours behind, so that a time that
    ///     is not converted is detected. It cannot be ahead, because tests begin at the clock's zero.
    ///   - change: changes other settings.
    func store(
        maxPending: Int = 1_000_000, perNotifier: Int = 250_000, devicesPerUser: Int = 20, aheadMilliseconds: Int64 = -7_200_000,
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
            let place = try PostgresSchemaFixture()
            return StoreFixture(try place.store(settings, aheadMilliseconds: aheadMilliseconds), in: nil, place)
        }
    }
}
