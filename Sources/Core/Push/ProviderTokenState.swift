package import Time

/// The state machine of a token cache, without clock, lock or network.
///
/// At most one fetch is in progress. A caller that receives `useAndFetch` or `fetchAndWait` reports the result with `fetched`, exactly
/// once. Times are those of a monotonic clock, so that setting the wall clock does not change a token's age. This is a value type: the
/// caller locks.
package struct ProviderTokenState: Sendable {
    package enum Decision: Sendable {
        case use(ProviderToken)
        /// Use this token, and fetch the next one, minted at the local time plus the correction.
        case useAndFetch(ProviderToken, clockCorrectionSeconds: Int64)
        case wait
        /// Fetch a token, minted at the local time plus the correction, and wait for it.
        case fetchAndWait(clockCorrectionSeconds: Int64)
        case fail(ProviderTokenFailure)
    }

    /// The maximum token lifetime accepted from a provider, in milliseconds; a longer one is shortened to it.
    private static let maximumLifetimeMilliseconds: UInt64 = 24 * 3_600_000

    let policy: ProviderTokenPolicy
    var current: Current?
    var fetch: Fetch?
    var failures = 0
    /// Consecutive reports of too many different tokens.
    var complaints = 0
    var lastNumber: UInt64 = 0
    /// The time at which a rejected token was last replaced.
    var replacedAt: MonotonicMilliseconds?
    /// Prevents fetches after a failed fetch.
    var backOff: Hold?
    /// Prevents fetches because the provider limits how often tokens change.
    var fetchHold: Hold?
    /// Prevents the use of any token.
    var pause: Hold?
    /// Seconds to add to the local clock to get the provider's time; 0 while the clocks agree.
    package internal(set) var clockCorrectionSeconds: Int64 = 0

    package init(_ policy: ProviderTokenPolicy) {
        self.policy = policy
    }

    package mutating func request(now: MonotonicMilliseconds) -> Decision {
        if let failure = pause?.failure(now: now) { return .fail(failure) }
        if let current, now < current.end {
            guard now >= current.renewal, fetch == nil, fetchFailure(now: now) == nil else { return .use(current.token) }
            beginFetch(now: now)
            return .useAndFetch(current.token, clockCorrectionSeconds: clockCorrectionSeconds)
        }
        if fetch != nil { return .wait }
        if let failure = fetchFailure(now: now) { return .fail(failure) }
        beginFetch(now: now)
        return .fetchAndWait(clockCorrectionSeconds: clockCorrectionSeconds)
    }

    /// Records the result of the fetch in progress.
    /// - Parameter unixSeconds: the local clock's time, uncorrected.
    /// - Returns: the result for all callers that wait for the fetch.
    package mutating func fetched(
        _ result: ProviderTokenFetch, now: MonotonicMilliseconds, unixSeconds: UnixSeconds, random: inout some RandomNumberGenerator
    ) -> Result<ProviderToken, ProviderTokenFailure> {
        guard let ended = fetch else { preconditionFailure("a fetch is reported once") }
        fetch = nil
        switch result {
        case .token(let text, let lifetime):
            return .success(take(text, lifetime: min(lifetime, Self.maximumLifetimeMilliseconds), of: ended))
        case .unavailable(let reason, let retryAfter):
            let delay = nextDelay(retryAfterMilliseconds: retryAfter, random: &random)
            return .failure(backOff(.unavailable(reason, until: now + delay), now: now))
        case .refused(let reason, let providerUnixSeconds):
            let delay = nextDelay(random: &random)
            let skew = learnClock(providerUnixSeconds, correction: ended.clockCorrectionSeconds, unixSeconds: unixSeconds)
            guard let skew else { return .failure(backOff(.refused(reason, until: now + delay), now: now)) }
            // The first attempt with the corrected time may start at once; after that the back-off applies.
            return .failure(backOff(.clockSkew(skew, until: failures == 1 ? now : now + delay), now: now))
        }
    }

    private mutating func beginFetch(now: MonotonicMilliseconds) {
        fetch = Fetch(startedAt: now, clockCorrectionSeconds: clockCorrectionSeconds)
    }

    /// Returns the failure that prevents a fetch; nil when a fetch may start.
    private func fetchFailure(now: MonotonicMilliseconds) -> ProviderTokenFailure? {
        fetchHold?.failure(now: now) ?? backOff?.failure(now: now)
    }

    private mutating func take(_ text: String, lifetime: UInt64, of fetch: Fetch) -> ProviderToken {
        lastNumber += 1
        (failures, complaints, backOff) = (0, 0, nil)
        let token = ProviderToken(text: text, number: lastNumber, clockCorrectionSeconds: fetch.clockCorrectionSeconds)
        current = Current(token, startedAt: fetch.startedAt, lifetime: lifetime, policy: policy)
        return token
    }

    private mutating func nextDelay(retryAfterMilliseconds: UInt64? = nil, random: inout some RandomNumberGenerator) -> UInt64 {
        failures += 1
        return policy.backOff.delayMilliseconds(
            afterAttempt: failures, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
    }

    private mutating func backOff(_ hold: Hold, now: MonotonicMilliseconds) -> ProviderTokenFailure {
        backOff = hold
        return hold.reported(now: now)
    }
}

extension ProviderTokenState {
    struct Current: Sendable {
        let token: ProviderToken
        let renewal: MonotonicMilliseconds
        let end: MonotonicMilliseconds

        /// Computes the times. Both are at least half of the lifetime away, even for a short lifetime.
        init(_ token: ProviderToken, startedAt: MonotonicMilliseconds, lifetime: UInt64, policy: ProviderTokenPolicy) {
            let age: (UInt64) -> UInt64 = { max(lifetime - min($0, lifetime), lifetime / 2) }
            self.token = token
            renewal = startedAt + age(policy.renewEarlyMilliseconds)
            end = startedAt + age(policy.marginMilliseconds)
        }
    }

    struct Fetch: Sendable {
        /// Start of the fetch. The token's lifetime is measured from here, because the time at which the provider issued it is unknown.
        let startedAt: MonotonicMilliseconds
        let clockCorrectionSeconds: Int64
    }

    /// The time before which an operation is not allowed, and the reason.
    struct Hold: Sendable {
        private let reason: String
        private let isRefusal: Bool
        private let clockSkewSeconds: Int64?
        private let end: MonotonicMilliseconds

        static func unavailable(_ reason: String, until end: MonotonicMilliseconds) -> Hold {
            Hold(reason: reason, isRefusal: false, clockSkewSeconds: nil, end: end)
        }

        static func refused(_ reason: String, until end: MonotonicMilliseconds) -> Hold {
            Hold(reason: reason, isRefusal: true, clockSkewSeconds: nil, end: end)
        }

        static func clockSkew(_ seconds: Int64, until end: MonotonicMilliseconds) -> Hold {
            Hold(reason: ProviderTokenFailure.StateReason.clockSkew.rawValue, isRefusal: false, clockSkewSeconds: seconds, end: end)
        }

        /// Returns the failure to report; nil once the hold is over.
        func failure(now: MonotonicMilliseconds) -> ProviderTokenFailure? {
            now < end ? reported(now: now) : nil
        }

        func reported(now: MonotonicMilliseconds) -> ProviderTokenFailure {
            let kind: ProviderTokenFailure.Kind = isRefusal ? .refused : .unavailable(retryAfterMilliseconds: now.remaining(until: end))
            return ProviderTokenFailure(kind, reason: reason, clockSkewSeconds: clockSkewSeconds)
        }
    }
}
