/// How an app's backend does, for operators.
package struct BackendStatus: Sendable, Equatable {
    /// The state of the breaker, which counts calls about known keys.
    package let breaker: BreakerStanding
    /// Whether calls about new keys were paced within the last minute, because they failed.
    package let pacesNewKeys: Bool
    /// Why the backend failed the last time that a call about a known key failed; nil before the first one.
    package let lastFailure: Indecision?

    /// Makes a status.
    package init(breaker: BreakerStanding, pacesNewKeys: Bool, lastFailure: Indecision? = nil) {
        self.breaker = breaker
        self.pacesNewKeys = pacesNewKeys
        self.lastFailure = lastFailure
    }

    /// The state in metrics. A backend that fails for new keys is asked further, so it is `failing`.
    package var state: BreakerStanding { breaker == .working && pacesNewKeys ? .failing : breaker }
}
