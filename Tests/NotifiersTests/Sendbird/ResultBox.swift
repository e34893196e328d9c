import TestSupport
import Testing
import Threading

/// A result from another thread.
struct ResultBox<Value: Sendable> {
    private let value = Monitor<Value?>(nil)

    func put(_ result: Value) { value.update { $0 = result } }

    /// Waits for the result; fails when none comes.
    func take() throws -> Value { try #require(value.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 }) }
}
