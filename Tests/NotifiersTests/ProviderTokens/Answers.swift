import Core
import TestSupport
import Testing
import Threading

/// The results of requests, in the order in which they ended.
final class Answers: Sendable {
    private let answers = Monitor<[Result<ProviderToken, ProviderTokenFailure>]>([])

    var all: [Result<ProviderToken, ProviderTokenFailure>] { answers.withLock { $0 } }
    var texts: [String] { all.map { (try? $0.get())?.text ?? "" } }

    func add(_ answer: Result<ProviderToken, ProviderTokenFailure>) {
        answers.update { $0.append(answer) }
    }

    /// Waits for `count` results.
    func wait(_ count: Int) throws -> [Result<ProviderToken, ProviderTokenFailure>] {
        try #require(answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count >= count ? $0 : nil })
    }
}
