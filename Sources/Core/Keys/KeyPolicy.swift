internal import Time

/// How long keys are accepted beyond what they say themselves.
package struct KeyPolicy: Sendable, Equatable {
    /// How far clocks may differ, in seconds.
    package var clockSkewSeconds: UInt64
    /// The oldest that a key may be, in seconds since its issue; nil for any age.
    package var longestLifeSeconds: UInt64?

    /// Makes a policy; the defaults are the product's.
    package init(clockSkewSeconds: UInt64 = 60, longestLifeSeconds: UInt64? = nil) {
        self.clockSkewSeconds = clockSkewSeconds
        self.longestLifeSeconds = longestLifeSeconds
    }

    /// Why a genuine key is not in force at `now`; nil when it is.
    func denial(of key: SecurityKey, now: UnixSeconds) -> Denial? {
        if key.issuedAt.elapsed(since: now) > clockSkewSeconds { return .issuedInFuture }
        if key.expiresAt != 0, now.elapsed(since: key.expiresAt) > clockSkewSeconds { return .expired }
        // Never adds, so that no clock and no limit, however wrong, can overflow.
        let age = now.elapsed(since: key.issuedAt)
        if let longestLifeSeconds, age > longestLifeSeconds, age - longestLifeSeconds > clockSkewSeconds { return .tooOld }
        return nil
    }
}
