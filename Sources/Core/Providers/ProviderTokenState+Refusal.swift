extension ProviderTokenState {
    /// Takes note that the provider has refused a token.
    ///
    /// It is replaced once, however many requests it was refused in, and not again before `replacementIntervalMilliseconds` have passed.
    /// - Parameters:
    ///   - isExpired: whether the provider says that it is too old; else it is replaced only when the clocks differ.
    ///   - providerUnixSeconds: the provider's time by the Date header of the refusal.
    ///   - unixSeconds: our clock's time, uncorrected.
    package mutating func refused(
        _ token: ProviderToken, isExpired: Bool, providerUnixSeconds: Int64?, now: UInt64, unixSeconds: Int64
    ) -> TokenRefusal {
        guard let current, current.token.number == token.number else { return .askAgain }
        let skew = learnClock(providerUnixSeconds, correction: token.clockCorrectionSeconds, unixSeconds: unixSeconds)
        guard isExpired || skew != nil else { return .credentialRefused }
        self.current = nil
        if let replacedAt, case let end = replacedAt + policy.replacementIntervalMilliseconds, now < end {
            let hold = skew.map { .clockSkew($0, until: end) } ?? Hold.unavailable("token_refused", until: end)
            fetchHold = hold
            return .hold(hold.reported(now: now))
        }
        replacedAt = now
        return skew.map { .clockSkew(seconds: $0) } ?? .askAgain
    }

    /// Takes note that the provider has complained of too many tokens: the current one is kept, none is fetched for
    /// `replacementIntervalMilliseconds`, and nothing is handed out for a shorter time, which grows from complaint to complaint.
    /// - Returns: what the try comes to.
    package mutating func tooManyUpdates(
        now: UInt64, retryAfterMilliseconds: UInt64?, random: inout some RandomNumberGenerator
    ) -> ProviderTokenFailure {
        // Of requests that were under way together only the first complaint counts.
        if let failure = pause?.failure(now: now) { return failure }
        complaints += 1
        let wait = policy.updatesBackOff.delayMilliseconds(
            afterAttempt: complaints, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
        let hold = Hold.unavailable("too_many_token_updates", until: now + wait)
        pause = hold
        fetchHold = .unavailable("too_many_token_updates", until: now + max(wait, policy.replacementIntervalMilliseconds))
        return hold.reported(now: now)
    }

    /// Compares the provider's clock with the one that a token was minted by.
    /// - Returns: how far the provider's is ahead of ours, if a difference explains the refusal; later tokens are then minted by its time.
    mutating func learnClock(_ providerUnixSeconds: Int64?, correction: Int64, unixSeconds: Int64) -> Int64? {
        guard let provider = providerUnixSeconds,
            ProviderClock.skew(providerUnixSeconds: provider, unixSeconds: unixSeconds + correction) != nil
        else { return nil }
        // When somebody has put our clock right meanwhile, it was the correction that was wrong.
        clockCorrectionSeconds = ProviderClock.skew(providerUnixSeconds: provider, unixSeconds: unixSeconds) ?? 0
        return provider - unixSeconds
    }
}
