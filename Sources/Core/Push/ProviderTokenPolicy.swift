/// The life of a provider's tokens, and the limits of requests for new ones.
package struct ProviderTokenPolicy: Sendable {
    /// Milliseconds before its expiry when a token is replaced, while it is still handed out.
    package let renewEarlyMilliseconds: UInt64
    /// Milliseconds before its expiry when a token is no longer handed out, so that it does not expire on its way.
    package let marginMilliseconds: UInt64
    /// The shortest time between two replacements of tokens that the provider has refused, in milliseconds.
    package let replacementIntervalMilliseconds: UInt64
    package let backOff: RetryPolicy
    /// The backoff after the provider complained of too many tokens.
    package let updatesBackOff: RetryPolicy

    /// Makes a policy; handing out a token for longer than it takes to replace it is meant, the opposite traps.
    package init(
        renewEarlyMilliseconds: UInt64, marginMilliseconds: UInt64, replacementIntervalMilliseconds: UInt64,
        backOff: RetryPolicy = .tokenFetch, updatesBackOff: RetryPolicy = .tokenUpdates
    ) {
        precondition(marginMilliseconds <= renewEarlyMilliseconds, "a token is renewed before it ends")
        self.renewEarlyMilliseconds = renewEarlyMilliseconds
        self.marginMilliseconds = marginMilliseconds
        self.replacementIntervalMilliseconds = replacementIntervalMilliseconds
        self.backOff = backOff
        self.updatesBackOff = updatesBackOff
    }

    /// APNs ("Establishing a token-based connection to APNs"): a token is valid for an hour and may be changed every 20 minutes; it is
    /// renewed after 45 and not used beyond 59.
    package static let apns = ProviderTokenPolicy(
        renewEarlyMilliseconds: 15 * 60_000, marginMilliseconds: 60_000, replacementIntervalMilliseconds: 20 * 60_000)

    /// OAuth 2.0 (RFC 6749): renewed 5 minutes before its end, so that a token server that is away for less is not noticed.
    package static let oauth = ProviderTokenPolicy(
        renewEarlyMilliseconds: 5 * 60_000, marginMilliseconds: 30_000, replacementIntervalMilliseconds: 60_000)
}

extension RetryPolicy {
    /// For fetching tokens: a whole notifier waits for one, so it is tried once a minute at least.
    package static let tokenFetch = RetryPolicy(
        baseMilliseconds: 2000, floorMilliseconds: 1000, ceilingMilliseconds: 60_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// After APNs' TooManyProviderTokenUpdates: a minute first, up to the 20 that a token must be kept for.
    package static let tokenUpdates = RetryPolicy(
        baseMilliseconds: 60_000, floorMilliseconds: 30_000, ceilingMilliseconds: 20 * 60_000, retryAfterCeilingMilliseconds: 3_600_000)
}
