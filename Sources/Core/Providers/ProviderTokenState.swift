/// What a token cache knows and decides, without a clock, a lock or a network of its own.
///
/// At most one fetch is under way: whoever is told to fetch reports what came of it with `fetched`, exactly once. Times are milliseconds of
/// a clock that only goes forward, since a clock that is set must not make tokens older or younger. It is a value: the caller locks.
package struct ProviderTokenState: Sendable {
    /// What a request for a token gets.
    package enum Decision: Sendable {
        /// This token.
        case use(ProviderToken)
        /// This token; and the caller fetches the next, by our clock with the correction added.
        case useAndFetch(ProviderToken, clockCorrectionSeconds: Int64)
        /// What the fetch under way brings.
        case wait
        /// What a fetch brings that the caller begins, by our clock with the correction added.
        case fetchAndWait(clockCorrectionSeconds: Int64)
        /// Nothing.
        case fail(ProviderTokenFailure)
    }

    /// No answer of a provider makes a token live longer, in milliseconds.
    private static let longestLifetimeMilliseconds: UInt64 = 24 * 3_600_000

    let policy: ProviderTokenPolicy
    var current: Current?
    var fetch: Fetch?
    var failures = 0
    /// How often in a row the provider has complained of too many tokens.
    var complaints = 0
    var lastNumber: UInt64 = 0
    /// When a refused token was last replaced.
    var replacedAt: UInt64?
    /// Until when nothing is fetched because a fetch failed.
    var backOff: Hold?
    /// Until when nothing is fetched because the provider would not want it.
    var fetchHold: Hold?
    /// Until when nothing is handed out.
    var pause: Hold?
    /// What is added to our clock to have the provider's, in seconds; 0 while they agree.
    package internal(set) var clockCorrectionSeconds: Int64 = 0

    /// Knows nothing yet.
    package init(_ policy: ProviderTokenPolicy) {
        self.policy = policy
    }

    /// Decides what a request gets at `now`.
    package mutating func request(now: UInt64) -> Decision {
        if let failure = pause?.failure(now: now) { return .fail(failure) }
        if let current, now < current.end {
            guard now >= current.renewal, fetch == nil, holdingBack(now: now) == nil else { return .use(current.token) }
            beginFetch(now: now)
            return .useAndFetch(current.token, clockCorrectionSeconds: clockCorrectionSeconds)
        }
        if fetch != nil { return .wait }
        if let failure = holdingBack(now: now) { return .fail(failure) }
        beginFetch(now: now)
        return .fetchAndWait(clockCorrectionSeconds: clockCorrectionSeconds)
    }

    /// Takes what the fetch has brought: for everybody who waits.
    /// - Parameter unixSeconds: our clock's time, uncorrected.
    package mutating func fetched(
        _ result: ProviderTokenFetch, now: UInt64, unixSeconds: Int64, random: inout some RandomNumberGenerator
    ) -> Result<ProviderToken, ProviderTokenFailure> {
        guard let ended = fetch else { preconditionFailure("a fetch is reported once") }
        fetch = nil
        switch result {
        case .token(let text, let lifetime):
            return .success(take(text, lifetime: min(lifetime, Self.longestLifetimeMilliseconds), of: ended))
        case .unavailable(let reason, let retryAfter):
            let delay = nextDelay(retryAfterMilliseconds: retryAfter, random: &random)
            return .failure(backOff(.unavailable(reason, until: now + delay), now: now))
        case .refused(let reason, let providerUnixSeconds):
            let delay = nextDelay(random: &random)
            let skew = learnClock(providerUnixSeconds, correction: ended.clockCorrectionSeconds, unixSeconds: unixSeconds)
            guard let skew else { return .failure(backOff(.refused(reason, until: now + delay), now: now)) }
            // The corrected time deserves a try at once; only when that does not help is there reason to wait.
            return .failure(backOff(.clockSkew(skew, until: failures == 1 ? now : now + delay), now: now))
        }
    }

    private mutating func beginFetch(now: UInt64) {
        fetch = Fetch(startedAt: now, clockCorrectionSeconds: clockCorrectionSeconds)
    }

    /// Why nothing may be fetched; nil when it may.
    private func holdingBack(now: UInt64) -> ProviderTokenFailure? {
        fetchHold?.failure(now: now) ?? backOff?.failure(now: now)
    }

    private mutating func take(_ text: String, lifetime: UInt64, of fetch: Fetch) -> ProviderToken {
        lastNumber += 1
        (failures, complaints, backOff) = (0, 0, nil)
        let token = ProviderToken(text: text, number: lastNumber, clockCorrectionSeconds: fetch.clockCorrectionSeconds)
        current = Current(token, startedAt: fetch.startedAt, lifetime: lifetime, policy: policy)
        return token
    }

    /// How long to wait after one more failure.
    private mutating func nextDelay(retryAfterMilliseconds: UInt64? = nil, random: inout some RandomNumberGenerator) -> UInt64 {
        failures += 1
        return policy.backOff.delayMilliseconds(
            afterAttempt: failures, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
    }

    private mutating func backOff(_ hold: Hold, now: UInt64) -> ProviderTokenFailure {
        backOff = hold
        return hold.reported(now: now)
    }
}
