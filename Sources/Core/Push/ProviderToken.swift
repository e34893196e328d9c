package import Time

/// A token that a push provider's requests are authorized with, as its cache has handed it out.
///
/// The text is a credential for about an hour: it belongs in a header and never in a log. Printed, the token is `<redacted>`.
package struct ProviderToken: Sendable {
    /// The text after `bearer`.
    package let text: String
    /// Tells the tokens of one cache apart, because a provider may hand out the same text twice.
    let number: UInt64
    /// Seconds that were added to our clock when the token was minted.
    let clockCorrectionSeconds: Int64
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }

    package var debugDescription: String { description }

    /// No children, so that `dump` and test reports show nothing either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A source of tokens: minted here, or fetched from a provider.
package protocol ProviderTokenSource: Sendable {
    /// Mints or fetches one token; the cache calls it for one token at a time.
    /// - Parameters:
    ///   - unixSeconds: the time to mint the token at; the provider's time when our clock is known to be wrong.
    ///   - completion: called exactly once, on any thread, possibly before this returns. A source bounds its own time.
    func fetch(unixSeconds: UnixSeconds, completion: @escaping @Sendable (ProviderTokenFetch) -> Void)
}

/// The result of minting or fetching a token.
package enum ProviderTokenFetch: Sendable {
    /// A token, and for how long the provider accepts it, counted from the request, in milliseconds.
    case token(String, lifetimeMilliseconds: UInt64)
    /// The provider refuses the credential.
    /// - Parameters:
    ///   - reason: a stable word, never anything that the provider wrote.
    ///   - providerUnixSeconds: the provider's time by its Date header, if a wrong clock may explain the refusal.
    case refused(reason: String, providerUnixSeconds: UnixSeconds?)
    /// There is no token now; `retryAfterMilliseconds` is what the provider asked for.
    case unavailable(reason: String, retryAfterMilliseconds: UInt64?)
}

/// The reason why there is no token; never the provider's own text.
package struct ProviderTokenFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The provider refuses the credential: the configuration must be changed.
        case refused
        /// A later request may succeed.
        /// - Parameter retryAfterMilliseconds: how long asking again is useless; 0 when the caller may ask at once.
        case unavailable(retryAfterMilliseconds: UInt64)
    }

    /// The reasons that `ProviderTokenState` gives itself; all others come from the token's source.
    package enum OwnReason: String, Sendable, CaseIterable {
        /// Our clock and the provider's differ by more than `ProviderClock.toleranceSeconds`.
        case clockSkew = "clock_skew"
        /// The provider refused a token whose predecessor it had refused shortly before.
        case refusedAgain = "token_refused"
        case tooManyUpdates = "too_many_token_updates"
    }

    package let kind: Kind
    /// A stable word for metrics and people, such as `token_invalid_grant`, `token_status_503` or `clock_skew`.
    package let reason: String
    /// With the reason `clock_skew`: how far the provider's clock is ahead of ours, in seconds; negative when ours is ahead.
    package let clockSkewSeconds: Int64?

    package init(_ kind: Kind, reason: String, clockSkewSeconds: Int64? = nil) {
        self.kind = kind
        self.reason = reason
        self.clockSkewSeconds = clockSkewSeconds
    }
}

extension DeliveryOutcome {
    /// The outcome of an attempt that got no token: the whole notifier waits, since the next delivery would get none either.
    package init(_ failure: ProviderTokenFailure) {
        switch failure.kind {
        case .refused: self.init(.misconfigured, reason: failure.reason)
        case .unavailable(let wait): self.init(.retry(retryAfterMilliseconds: wait), reason: failure.reason, requestsBackoff: true)
        }
    }
}

/// The reaction to a provider's refusal of a token.
package enum TokenRefusal: Sendable, Equatable {
    /// Ask the cache for the token that replaces it, and send once more.
    case askAgain
    /// The clocks differ by so many seconds (positive: the provider's is ahead), and later tokens are minted by the provider's time: report
    /// `clock_skew`, ask the cache for a token and send once more.
    case clockSkew(seconds: Int64)
    /// No other token is available now: end the attempt with this failure.
    case hold(ProviderTokenFailure)
    /// The token's age is not the cause: the provider refuses the credential.
    case credentialRefused
}
