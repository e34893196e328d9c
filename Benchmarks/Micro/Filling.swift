import Core
import Storage
import Threading

/// Fills a store's file with the initial data of a measurement, chunk by chunk.
struct Filling {
    private static let chunk = 50_000

    let store: SQLiteStore

    /// Opens or creates the file.
    init(path: String) throws(StoreError) {
        var settings = StoreSettings()
        settings.maxPending = .max
        settings.maxPendingPerNotifier = .max
        settings.maximumQueued = 2 * Self.chunk
        settings.maximumBatch = Self.chunk
        // Commits of this size fill the log faster than its pages are checkpointed.
        settings.maximumLogPages = .max
        store = try SQLiteStore(path: path, settings: settings)
    }

    /// Calls the store for each number, and waits until all changes are durable.
    /// - Parameter call: starts the change; its closure is called once with the result.
    func fill(_ numbers: Range<Int>, _ call: (Int, @escaping @Sendable (StoreError?) -> Void) throws -> Void) throws {
        var first = numbers.lowerBound
        while first < numbers.upperBound {
            let next = min(first + Self.chunk, numbers.upperBound)
            let progress = Monitor((waiting: next - first, error: StoreError?.none))
            for number in first..<next {
                try call(number) { error in
                    progress.update { state in
                        state.waiting -= 1
                        state.error = state.error ?? error
                    }
                }
            }
            if let error = progress.wait({ $0.waiting == 0 ? .some($0.error) : nil }) ?? nil { throw error }
            first = next
        }
    }
}
