package import Time

/// A bearer token for a push provider: a credential, valid for about an hour. It may be in a header but never in a log, and it prints as
/// `<redacted>`.
package struct ProviderToken: Sendable {
    /// The token, without `Bearer `.
    package let text: String
    /// Identifies the token in its cache; a provider may return the same text twice.
    let number: UInt64
    /// Seconds that were added to the local clock when the token was minted.
    let clockCorrectionSeconds: Int64
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }

    package var debugDescription: String { description }

    /// Has no children, so that `dump` and test reports do not reveal the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Mints tokens, or fetches them from a provider.
package protocol ProviderTokenSource: Sendable {
    /// Mints or fetches one token. The cache runs one call at a time.
    /// - Parameters:
    ///   - unixSeconds: the issue time of the token: by the provider's clock when the local clock is known to be wrong.
    ///   - completion: called exactly once, on any thread, possibly before this function returns. The source sets its own timeout.
    func fetch(unixSeconds: UnixSeconds, completion: @escaping @Sendable (ProviderTokenFetch) -> Void)
}

package enum ProviderTokenFetch: Sendable {
    /// The lifetime starts with the request.
    case token(String, lifetimeMilliseconds: UInt64)
    /// The provider rejects the credential; `reason` is a stable word, never text from the provider.
    /// - Parameter providerUnixSeconds: the time in the provider's Date header, if a wrong clock may explain the rejection.
    case refused(reason: String, providerUnixSeconds: UnixSeconds?)
    /// No token is available now; `retryAfterMilliseconds` is the provider's Retry-After.
    case unavailable(reason: String, retryAfterMilliseconds: UInt64?)
}

package struct ProviderTokenFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The provider rejects the credential: the operator must change the configuration.
        case refused
        /// A later request may succeed; 0 when the caller may retry at once.
        case unavailable(retryAfterMilliseconds: UInt64)
    }

    /// The reasons of `ProviderTokenState` itself; all others come from the token's source.
    package enum StateReason: String, Sendable, CaseIterable {
        /// The local and the provider's clock differ by more than `ProviderClock.toleranceSeconds`.
        case clockSkew = "clock_skew"
        /// The provider rejected a token shortly after it had rejected the previous one.
        case refusedAgain = "token_refused"
        /// The provider reported too many different tokens.
        case tooManyUpdates = "too_many_token_updates"
    }

    package let kind: Kind
    /// A stable word for metrics and operators, such as `token_invalid_grant`, `token_status_503` or `clock_skew`.
    package let reason: String
    /// With the reason `clock_skew`: seconds by which the provider's clock is ahead of the local one; negative when it is behind.
    package let clockSkewSeconds: Int64?

    package init(_ kind: Kind, reason: String, clockSkewSeconds: Int64? = nil) {
        self.kind = kind
        self.reason = reason
        self.clockSkewSeconds = clockSkewSeconds
    }
}

extension DeliveryOutcome {
    /// Makes the outcome of an attempt that got no token. The whole notifier pauses, since the next delivery would get no token either.
    package init(_ failure: ProviderTokenFailure) {
        switch failure.kind {
        case .refused: self.init(.misconfigured, reason: failure.reason)
        case .unavailable(let wait): self.init(.retry(retryAfterMilliseconds: wait), reason: failure.reason, requestsBackoff: true)
        }
    }
}

/// The next step after a provider has rejected a token in a request.
package enum TokenRefusal: Sendable, Equatable {
    /// Request the replacement from the cache, and retry once.
    case askAgain
    /// The clocks differ by `seconds` (positive: the provider's is ahead), and the cache now mints tokens by the provider's time. Report
    /// `clock_skew`, request a token from the cache and retry once.
    case clockSkew(seconds: Int64)
    /// No other token is available now: end the attempt with this failure.
    case hold(ProviderTokenFailure)
    /// The token's age is not the cause: the provider rejects the credential.
    case credentialRefused
}
