import Core
import Testing
import Threading
import Time

/// A source whose fetches end when the test calls `end`.
final class HeldSource: ProviderTokenSource {
    typealias Completion = @Sendable (ProviderTokenFetch) -> Void

    private let begun = Monitor<[(unixSeconds: UnixSeconds, completion: Completion?)]>([])

    func fetch(unixSeconds: UnixSeconds, completion: @escaping Completion) {
        begun.update { $0.append((unixSeconds, completion)) }
    }

    /// The times passed to the fetches.
    var times: [UnixSeconds] { begun.withLock { $0.map(\.unixSeconds) } }

    /// Ends the latest fetch.
    func end(_ result: ProviderTokenFetch) {
        let completion = begun.withLock { begun in
            guard !begun.isEmpty else { return nil as Completion? }
            defer { begun[begun.count - 1].completion = nil }
            return begun[begun.count - 1].completion
        }
        guard let completion else {
            Issue.record("no fetch is under way")
            return
        }
        completion(result)
    }
}
