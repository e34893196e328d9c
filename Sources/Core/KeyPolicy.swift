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

    /// Why a genuine key is not in force at `now` (Unix seconds); nil when it is.
    func denial(of key: SecurityKey, now: UInt64) -> Denial? {
        if Self.exceeds(key.issuedAt, now, by: clockSkewSeconds) { return .issuedInFuture }
        if key.expiresAt != 0, Self.exceeds(now, key.expiresAt, by: clockSkewSeconds) { return .expired }
        let age = now - min(now, key.issuedAt)
        if let longestLifeSeconds, Self.exceeds(age, longestLifeSeconds, by: clockSkewSeconds) { return .tooOld }
        return nil
    }

    // Never adds, so that no clock, however wrong, can overflow.
    private static func exceeds(_ value: UInt64, _ limit: UInt64, by margin: UInt64) -> Bool {
        value > limit && value - limit > margin
    }
}
