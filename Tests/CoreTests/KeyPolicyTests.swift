import Testing
import Time

@testable import Core

@Suite struct KeyPolicyTests {
    private static let now = Samples.now

    @Test func `the policy has the documented defaults`() {
        #expect(KeyPolicy() == KeyPolicy(clockSkewSeconds: 60, maximumLifetimeSeconds: nil))
    }

    @Test(arguments: [0, 1, 60, 3600] as [UInt64])
    func `allows exactly the configured clock skew`(skew: UInt64) throws {
        let policy = KeyPolicy(clockSkewSeconds: skew, maximumLifetimeSeconds: 5000)
        let key = try key(issuedAt: Self.now, expiresAt: Self.now + 1000)
        #expect(policy.denial(of: key, now: Self.now - skew) == nil)
        #expect(policy.denial(of: key, now: Self.now - skew - 1) == .issuedInFuture)
        #expect(policy.denial(of: key, now: Self.now + 1000 + skew) == nil)
        #expect(policy.denial(of: key, now: Self.now + 1001 + skew) == .expired)
        let unending = try self.key(issuedAt: Self.now, expiresAt: 0)
        #expect(policy.denial(of: unending, now: Self.now + 5000 + skew) == nil)
        #expect(policy.denial(of: unending, now: Self.now + 5001 + skew) == .tooOld)
    }

    @Test func `the longest lifetime limits a key`() throws {
        let policy = KeyPolicy(clockSkewSeconds: 0, maximumLifetimeSeconds: 10)
        let key = try key(issuedAt: Self.now, expiresAt: Self.now + 1000)
        #expect(policy.denial(of: key, now: Self.now + 10) == nil)
        #expect(policy.denial(of: key, now: Self.now + 11) == .tooOld)
        #expect(policy.denial(of: key, now: Self.now + 1001) == .expired)
    }

    @Test(arguments: [0, 60] as [UInt64])
    func `the end of the secret ends its keys at the exact second`(skew: UInt64) throws {
        let policy = KeyPolicy(clockSkewSeconds: skew, maximumLifetimeSeconds: nil)
        let (key, end) = (try key(issuedAt: Self.now, expiresAt: Self.now + 1000), Self.now + 100)
        #expect(policy.denial(of: key, notAfter: end, now: end + skew) == nil)
        #expect(policy.denial(of: key, notAfter: end, now: end + skew + 1) == .keyRetired)
        // The key's own times are checked first.
        #expect(policy.denial(of: key, notAfter: end, now: Self.now + 1001 + skew) == .expired)
        #expect(policy.denial(of: key, notAfter: .max, now: Self.now) == nil)
    }

    @Test func `a key from the future has no age`() throws {
        let policy = KeyPolicy(clockSkewSeconds: 60, maximumLifetimeSeconds: 1)
        let key = try key(issuedAt: Self.now + 60, expiresAt: 0)
        #expect(policy.denial(of: key, now: Self.now) == nil)
    }

    @Test func `without a longest lifetime any age is valid`() throws {
        #expect(KeyPolicy().denial(of: try key(issuedAt: 0, expiresAt: 0), now: SecurityKey.latestTime) == nil)
    }

    /// For any clock and bound of their types the result is a decision, never a trap.
    @Test(arguments: [0, 1, .max - 1, .max] as [UnixSeconds], [0, 60, .max] as [UInt64])
    func `never overflows`(now: UnixSeconds, skew: UInt64) throws {
        let policy = KeyPolicy(clockSkewSeconds: skew, maximumLifetimeSeconds: .max)
        let past = try key(issuedAt: 0, expiresAt: 1)
        let latest = try key(issuedAt: SecurityKey.latestTime, expiresAt: SecurityKey.latestTime)
        let isOver = now > 1 && now - 1 > skew
        let isAhead = now < SecurityKey.latestTime && SecurityKey.latestTime - now > skew
        let isOverToo = now > SecurityKey.latestTime && now - SecurityKey.latestTime > skew
        #expect(policy.denial(of: past, now: now) == (isOver ? .expired : nil))
        #expect(policy.denial(of: latest, now: now) == (isAhead ? .issuedInFuture : isOverToo ? .expired : nil))
    }

    private func key(issuedAt: UnixSeconds, expiresAt: UnixSeconds) throws -> SecurityKey {
        let triple = try Samples.triple("app", "user", issuedAt: issuedAt, expiresAt: expiresAt)
        let key = SecurityKey(triple.securityKey.span)
        return try #require(key)
    }

    /// An app's own bound replaces that of all apps; the allowed clock skew stays.
    @Test func `an app can override the bound`() {
        let policy = KeyPolicy(clockSkewSeconds: 7, maximumLifetimeSeconds: 100)
        #expect(policy.narrowed(by: KeyLifetime()) == policy)
        #expect(policy.narrowed(by: KeyLifetime(maximumSeconds: 10)) == KeyPolicy(clockSkewSeconds: 7, maximumLifetimeSeconds: 10))
        #expect(KeyPolicy().narrowed(by: KeyLifetime(maximumSeconds: 10, defaultSeconds: 5)) == KeyPolicy(maximumLifetimeSeconds: 10))
    }
}
