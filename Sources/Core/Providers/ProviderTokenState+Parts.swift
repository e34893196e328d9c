extension ProviderTokenState {
    /// The token that is handed out, and its times.
    struct Current: Sendable {
        let token: ProviderToken
        /// From when on the next one is fetched.
        let renewal: UInt64
        /// From when on it is not handed out any more.
        let end: UInt64

        /// Of a short life the second half is what remains for renewing.
        init(_ token: ProviderToken, startedAt: UInt64, lifetime: UInt64, policy: ProviderTokenPolicy) {
            let age: (UInt64) -> UInt64 = { max(lifetime - min($0, lifetime), lifetime / 2) }
            self.token = token
            renewal = startedAt + age(policy.renewEarlyMilliseconds)
            end = startedAt + age(policy.marginMilliseconds)
        }
    }

    /// A fetch under way.
    struct Fetch: Sendable {
        /// A token's life begins here, because nobody knows when the provider began to count.
        let startedAt: UInt64
        let clockCorrectionSeconds: Int64
    }

    /// A time before which something is not done, and what is said of it.
    struct Hold: Sendable {
        private let reason: String
        private let isRefusal: Bool
        private let clockSkewSeconds: Int64?
        private let end: UInt64

        static func unavailable(_ reason: String, until end: UInt64) -> Hold {
            Hold(reason: reason, isRefusal: false, clockSkewSeconds: nil, end: end)
        }

        static func refused(_ reason: String, until end: UInt64) -> Hold {
            Hold(reason: reason, isRefusal: true, clockSkewSeconds: nil, end: end)
        }

        static func clockSkew(_ seconds: Int64, until end: UInt64) -> Hold {
            Hold(reason: "clock_skew", isRefusal: false, clockSkewSeconds: seconds, end: end)
        }

        /// What is said of it while it lasts; nil when it is over.
        func failure(now: UInt64) -> ProviderTokenFailure? {
            now < end ? reported(now: now) : nil
        }

        /// What is said of it.
        func reported(now: UInt64) -> ProviderTokenFailure {
            let kind: ProviderTokenFailure.Kind = isRefusal ? .refused : .unavailable(retryAfterMilliseconds: end - min(now, end))
            return ProviderTokenFailure(kind, reason: reason, clockSkewSeconds: clockSkewSeconds)
        }
    }
}
