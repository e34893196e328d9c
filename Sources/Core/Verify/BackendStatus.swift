/// The reason why a call of an app's backend did not lead to a decision.
package struct BackendFailure: Sendable, Equatable {
    package let reason: UndecidedReason
    /// A stable identifier such as `status_503` or `host_unknown`; never text from the backend.
    package let cause: String
    /// Whether a later call of the same kind has led to a decision.
    package internal(set) var isOver = false

    /// - Parameter cause: nil when only the reason is known.
    package init(_ reason: UndecidedReason, cause: String? = nil, isOver: Bool = false) {
        self.reason = reason
        self.cause = cause ?? reason.rawValue
        self.isOver = isOver
    }

    /// Returns the last failure after another call.
    /// - Parameter failure: nil if that call did not fail.
    static func last(_ former: BackendFailure?, then failure: BackendFailure?, _ health: BackendReply.Health) -> BackendFailure? {
        guard failure == nil else { return failure }
        var former = former
        if health == .works { former?.isOver = true }
        return former
    }
}

/// The state of an app's backend, for operators.
package struct BackendStatus: Sendable, Equatable {
    /// The state of the breaker, which counts only calls for known keys.
    package let breaker: BreakerStatus
    /// Whether calls for new keys were rate-limited within the last minute, because they failed.
    package let limitsNewKeys: Bool
    /// The last call for a known key without a decision; nil if there is none.
    package let lastFailure: BackendFailure?
    /// The last call for a new key without a decision; nil if there is none. Untrusted callers may cause it.
    package let lastNewKeyFailure: BackendFailure?

    package init(
        breaker: BreakerStatus, limitsNewKeys: Bool, lastFailure: BackendFailure? = nil, lastNewKeyFailure: BackendFailure? = nil
    ) {
        self.breaker = breaker
        self.limitsNewKeys = limitsNewKeys
        self.lastFailure = lastFailure
        self.lastNewKeyFailure = lastNewKeyFailure
    }

    /// Whether calls have failed and later calls have led to decisions: for known keys, and also for new keys if their calls failed.
    package var hasRecovered: Bool {
        let failures = [lastFailure, lastNewKeyFailure].compactMap(\.self)
        return !breaker.isStopped && !failures.isEmpty && failures.allSatisfy(\.isOver)
    }

    /// The state in metrics. A backend that fails only for new keys is still called, so it is `failing`.
    package var state: BreakerStatus { breaker == .working && limitsNewKeys ? .failing : breaker }
}
