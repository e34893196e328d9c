/// Why there is no token for now; never anything that the provider wrote.
package struct ProviderTokenFailure: Error, Sendable, Equatable {
    /// What follows from it.
    package enum Kind: Sendable, Equatable {
        /// The provider refuses the credential itself: somebody must change the configuration.
        case refused
        /// It may work later.
        /// - Parameter retryAfterMilliseconds: how long asking again is useless; 0 when it may be done at once.
        case unavailable(retryAfterMilliseconds: UInt64)
    }

    /// What follows.
    package let kind: Kind
    /// Why, in a stable word for metrics and people, such as `token_invalid_grant`, `token_status_503` or `clock_skew`.
    package let reason: String
    /// With the reason `clock_skew`: how far the provider's clock is ahead of ours, in seconds; negative when ours is ahead.
    package let clockSkewSeconds: Int64?

    /// Makes a failure.
    package init(_ kind: Kind, reason: String, clockSkewSeconds: Int64? = nil) {
        self.kind = kind
        self.reason = reason
        self.clockSkewSeconds = clockSkewSeconds
    }
}

extension DeliveryOutcome {
    /// What a try comes to that got no token: the whole notifier waits, since the next delivery would get none either.
    package init(_ failure: ProviderTokenFailure) {
        switch failure.kind {
        case .refused: self.init(.misconfigured, reason: failure.reason)
        case .unavailable(let wait): self.init(.retry(retryAfterMilliseconds: wait), reason: failure.reason, slowsDown: true)
        }
    }
}
