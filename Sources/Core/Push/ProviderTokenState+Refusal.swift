package import Time

extension ProviderTokenState {
    /// Records that the provider has rejected a token. The token is replaced once, no matter how many requests it was rejected in. The
    /// replacement is replaced only after `replacementIntervalMilliseconds`.
    /// - Parameters:
    ///   - isExpired: whether the provider reports that the token is too old; otherwise it is replaced only when the clocks differ.
    ///   - providerUnixSeconds: the time in the Date header of the rejection.
    ///   - unixSeconds: the local clock's time, uncorrected.
    package mutating func refused(
        _ token: ProviderToken, isExpired: Bool, providerUnixSeconds: UnixSeconds?, now: MonotonicMilliseconds, unixSeconds: UnixSeconds
    ) -> TokenRefusal {
        guard let current, current.token.number == token.number else { return .askAgain }
        let skew = learnClock(providerUnixSeconds, correction: token.clockCorrectionSeconds, unixSeconds: unixSeconds)
        guard isExpired || skew != nil else { return .credentialRefused }
        self.current = nil
        if let replacedAt, case let end = replacedAt + policy.replacementIntervalMilliseconds, now < end {
            let reason = ProviderTokenFailure.StateReason.refusedAgain.rawValue
            let hold = skew.map { .clockSkew($0, until: end) } ?? Hold.unavailable(reason, until: end)
            fetchHold = hold
            return .hold(hold.reported(now: now))
        }
        replacedAt = now
        return skew.map { .clockSkew(seconds: $0) } ?? .askAgain
    }

    /// Records that the provider has reported too many different tokens. The current token is kept, no token is fetched for
    /// `replacementIntervalMilliseconds`, and none is used during a backoff that grows with each report.
    /// - Returns: the failure that ends the attempt.
    package mutating func tooManyUpdates(
        now: MonotonicMilliseconds, retryAfterMilliseconds: UInt64?, random: inout some RandomNumberGenerator
    ) -> ProviderTokenFailure {
        // Requests that were in progress together get one report each; only the first one counts.
        if let failure = pause?.failure(now: now) { return failure }
        complaints += 1
        let wait = policy.updatesBackOff.delayMilliseconds(
            afterAttempt: complaints, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
        let reason = ProviderTokenFailure.StateReason.tooManyUpdates.rawValue
        let hold = Hold.unavailable(reason, until: now + wait)
        pause = hold
        fetchHold = .unavailable(reason, until: now + max(wait, policy.replacementIntervalMilliseconds))
        return hold.reported(now: now)
    }

    /// Compares the provider's clock with the time at which a token was minted. If they differ, later tokens are minted by the provider's
    /// time.
    /// - Returns: seconds by which the provider's clock is ahead of the local one; nil when the clocks do not explain the rejection.
    mutating func learnClock(_ providerUnixSeconds: UnixSeconds?, correction: Int64, unixSeconds: UnixSeconds) -> Int64? {
        guard let provider = providerUnixSeconds,
            ProviderClock.skew(providerUnixSeconds: provider, unixSeconds: unixSeconds.advanced(by: correction)) != nil
        else { return nil }
        // If the local clock has been corrected meanwhile, the earlier correction made the token's time wrong.
        clockCorrectionSeconds = ProviderClock.skew(providerUnixSeconds: provider, unixSeconds: unixSeconds) ?? 0
        return provider.offset(from: unixSeconds)
    }
}

/// A provider's clock, read from the Date header of its responses (RFC 9110 section 6.6.1).
package enum ProviderClock {
    /// The maximum difference in seconds that does not explain a rejected token.
    package static let toleranceSeconds: Int64 = 300

    /// Parses a Date header; 1970 for any earlier time, nil when the header is missing or malformed.
    /// - Parameter now: the local time, which resolves years of two digits.
    package static func unixSeconds(ofDate header: String?, now: UnixMilliseconds) -> UnixSeconds? {
        header.flatMap { HTTPDate.unixSeconds(of: Array($0.utf8), now: now) }
    }

    /// Seconds by which the provider's clock is ahead of the local one; nil when the difference is within the tolerance or unknown.
    static func skew(providerUnixSeconds: UnixSeconds?, unixSeconds: UnixSeconds) -> Int64? {
        guard let providerUnixSeconds else { return nil }
        let difference = providerUnixSeconds.offset(from: unixSeconds)
        return abs(difference) > toleranceSeconds ? difference : nil
    }
}
