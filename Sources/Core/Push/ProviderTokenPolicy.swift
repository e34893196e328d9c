package struct ProviderTokenPolicy: Sendable {
    /// Milliseconds before its expiry at which a token is renewed; the old one remains in use until the new one arrives.
    package let renewEarlyMilliseconds: UInt64
    /// Milliseconds before its expiry at which a token is no longer used, so that it does not expire in transit.
    package let marginMilliseconds: UInt64
    /// The minimum interval between two replacements of rejected tokens, in milliseconds.
    package let replacementIntervalMilliseconds: UInt64
    /// The backoff after a failed fetch.
    package let backOff: RetryPolicy
    /// The backoff after the provider has reported too many different tokens; no token is used meanwhile.
    package let updatesBackOff: RetryPolicy

    package init(
        renewEarlyMilliseconds: UInt64, marginMilliseconds: UInt64, replacementIntervalMilliseconds: UInt64,
        backOff: RetryPolicy = .tokenFetch, updatesBackOff: RetryPolicy = .tokenUpdates
    ) {
        precondition(marginMilliseconds <= renewEarlyMilliseconds, "a token must be renewed before it expires")
        self.renewEarlyMilliseconds = renewEarlyMilliseconds
        self.marginMilliseconds = marginMilliseconds
        self.replacementIntervalMilliseconds = replacementIntervalMilliseconds
        self.backOff = backOff
        self.updatesBackOff = updatesBackOff
    }

    /// APNs ("Establishing a token-based connection to APNs"): a token is valid for an hour and may change every 20 minutes. It is renewed
    /// after 45 minutes and not used after 59.
    package static let apns = ProviderTokenPolicy(
        renewEarlyMilliseconds: 15 * 60_000, marginMilliseconds: 60_000, replacementIntervalMilliseconds: 20 * 60_000)

    /// OAuth 2.0 (RFC 6749): renewed 5 minutes before the expiry, which hides shorter outages of the token server.
    package static let oauth = ProviderTokenPolicy(
        renewEarlyMilliseconds: 5 * 60_000, marginMilliseconds: 30_000, replacementIntervalMilliseconds: 60_000)
}

extension RetryPolicy {
    /// For fetching tokens: at most a minute apart unless the provider requires more, because a whole notifier waits.
    package static let tokenFetch = RetryPolicy(
        baseMilliseconds: 2000, floorMilliseconds: 1000, ceilingMilliseconds: 60_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// For APNs' TooManyProviderTokenUpdates: starts at a minute and ends at 20, the shortest time between two tokens.
    package static let tokenUpdates = RetryPolicy(
        baseMilliseconds: 60_000, floorMilliseconds: 30_000, ceilingMilliseconds: 20 * 60_000, retryAfterCeilingMilliseconds: 3_600_000)
}
