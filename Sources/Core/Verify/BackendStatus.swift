/// Why a call of an app's backend brought no decision.
package struct BackendFailure: Sendable, Equatable {
    /// The reason, as in the answer to the request.
    package let reason: Indecision
    /// The kind of failure: a stable word such as `status_503` or `host_unknown`, never a text of the backend.
    package let cause: String

    /// Names a failure.
    /// - Parameter cause: nil when nothing more is known than the reason.
    package init(_ reason: Indecision, cause: String? = nil) {
        self.reason = reason
        self.cause = cause ?? reason.rawValue
    }
}

/// How an app's backend does, for operators.
package struct BackendStatus: Sendable, Equatable {
    /// The state of the breaker, which counts calls about known keys.
    package let breaker: BreakerStanding
    /// Whether calls about new keys were paced within the last minute, because they failed.
    package let pacesNewKeys: Bool
    /// Why the last call about a known key that brought no decision failed; nil before the first one.
    package let lastFailure: BackendFailure?
    /// Why the last call about a new key that brought no decision failed; nil before the first one. Strangers may cause it.
    package let lastNewKeyFailure: BackendFailure?

    /// Makes a status.
    package init(
        breaker: BreakerStanding, pacesNewKeys: Bool, lastFailure: BackendFailure? = nil, lastNewKeyFailure: BackendFailure? = nil
    ) {
        self.breaker = breaker
        self.pacesNewKeys = pacesNewKeys
        self.lastFailure = lastFailure
        self.lastNewKeyFailure = lastNewKeyFailure
    }

    /// The state in metrics. A backend that fails for new keys is asked further, so it is `failing`.
    package var state: BreakerStanding { breaker == .working && pacesNewKeys ? .failing : breaker }
}
