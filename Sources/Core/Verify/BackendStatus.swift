/// The reason why a call of an app's backend brought no decision.
package struct BackendFailure: Sendable, Equatable {
    /// The reason, as in the answer to the request.
    package let reason: UndecidedReason
    /// The kind of failure: a stable word such as `status_503` or `host_unknown`, never a text of the backend.
    package let cause: String
    /// Whether a later call of the same kind has brought a decision.
    package internal(set) var isOver = false

    /// Names a failure.
    /// - Parameters:
    ///   - cause: nil when nothing more is known than the reason.
    ///   - isOver: whether a later call has brought a decision.
    package init(_ reason: UndecidedReason, cause: String? = nil, isOver: Bool = false) {
        self.reason = reason
        self.cause = cause ?? reason.rawValue
        self.isOver = isOver
    }

    /// The last failure after the next call.
    /// - Parameter failure: why that call failed.
    static func last(_ former: BackendFailure?, then failure: BackendFailure?, _ health: BackendReply.Health) -> BackendFailure? {
        guard failure == nil else { return failure }
        var former = former
        if health == .works { former?.isOver = true }
        return former
    }
}

/// The health of an app's backend, for operators.
package struct BackendStatus: Sendable, Equatable {
    /// The state of the breaker, which counts calls about known keys.
    package let breaker: BreakerStatus
    /// Whether calls about new keys were paced within the last minute, because they failed.
    package let limitsNewKeys: Bool
    /// The last failed call about a known key; nil before the first one.
    package let lastFailure: BackendFailure?
    /// The last failed call about a new key; nil before the first one. Strangers may cause it.
    package let lastNewKeyFailure: BackendFailure?

    package init(
        breaker: BreakerStatus, limitsNewKeys: Bool, lastFailure: BackendFailure? = nil, lastNewKeyFailure: BackendFailure? = nil
    ) {
        self.breaker = breaker
        self.limitsNewKeys = limitsNewKeys
        self.lastFailure = lastFailure
        self.lastNewKeyFailure = lastNewKeyFailure
    }

    /// Whether calls have failed, and later ones have brought decisions: about known keys, and about new ones if those failed.
    package var hasRecovered: Bool {
        let failures = [lastFailure, lastNewKeyFailure].compactMap(\.self)
        return !breaker.isStopped && !failures.isEmpty && failures.allSatisfy(\.isOver)
    }

    /// The state in metrics. A backend that fails for new keys is asked further, so it is `failing`.
    package var state: BreakerStatus { breaker == .working && limitsNewKeys ? .failing : breaker }
}
