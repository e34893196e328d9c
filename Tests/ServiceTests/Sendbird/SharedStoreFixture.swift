import Core
import Storage
import TestSupport
import Testing

/// The location of a store, and the store of each process. The owner must call `close`.
final class SharedStoreFixture {
    enum Kind: CaseIterable, Sendable {
        case memory, sqlite, postgres
    }

    private let directory: TemporaryDirectory
    private let postgres: PostgresSchemaFixture?
    private let kind: Kind
    private var stores: [any Store] = []

    init(_ kind: Kind) throws {
        self.kind = kind
        directory = try TemporaryDirectory()
        postgres = kind == .postgres ? try PostgresSchemaFixture() : nil
    }

    /// The store of one more replica; the same store if the kind cannot be shared.
    func store() throws -> any Store {
        if kind != .postgres, let store = stores.last { return store }
        let store: any Store =
            switch kind {
            case .memory: MemoryStore()
            case .sqlite: try SQLiteStore(path: directory.path("store.db"))
            case .postgres: try #require(postgres).store()
            }
        stores.append(store)
        return store
    }

    /// Ends all processes.
    func close() {
        for store in stores { store.close() }
        stores = []
    }

    /// Ends all processes, so that the next ones start with the stored data. A store in memory is kept.
    func restart() {
        if kind != .memory { close() }
    }
}
