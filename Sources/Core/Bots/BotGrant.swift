package import Crypto
package import Time

/// The person for whom a bot acts, the security key that started it, and the validity. A ticket proves it, and a confirmation repeats it.
package struct BotGrant: Sendable, Equatable {
    /// The maximum number of seconds that the issue may lie in the future.
    private static let clockToleranceSeconds: UInt64 = 60

    package let appID: String
    /// The user, of 1 to 100 UTF-16 code units.
    package let userID: String
    /// The key with which the bot was started; nil where only the app's backend understands keys.
    package let key: KeyIdentity?
    package let issuedAt: UnixSeconds
    /// The first second in which it is not valid.
    package let expiresAt: UnixSeconds

    package init(appID: String, userID: String, key: KeyIdentity?, issuedAt: UnixSeconds, expiresAt: UnixSeconds) {
        (self.appID, self.userID, self.key, self.issuedAt, self.expiresAt) = (appID, userID, key, issuedAt, expiresAt)
    }

    /// Makes the grant of a start, which ends with its own life or with the key, whichever is first; nil when the key has ended, but for
    /// the difference that clocks may have.
    /// - Parameter keyEnd: when the key ends, by all that ends it; `max` where only the app's backend understands keys.
    package init?(
        appID: String, userID: String, key: KeyIdentity?, keyEnd: UnixSeconds, issuedAt: UnixSeconds, lifeSeconds: UInt64
    ) {
        let expiresAt = min(issuedAt + lifeSeconds, keyEnd)
        guard issuedAt < expiresAt else { return nil }
        self.init(appID: appID, userID: userID, key: key, issuedAt: issuedAt, expiresAt: expiresAt)
    }

    /// The earlier time of issue of both decides, because the clock that has issued the key may be ahead.
    fileprivate var claims: KeyClaims { KeyClaims(issuedAt: min(issuedAt, key?.issuedAt ?? .max), key) }

    /// Whether its time has come and is not over.
    func isInForce(at now: UnixSeconds) -> Bool {
        issuedAt.saturating(subtracting: Self.clockToleranceSeconds) <= now && now < expiresAt
    }
}

extension Authorizer {
    /// Returns why a grant is no longer valid although it has not expired; nil when it is valid. It ends with its key: by a revocation, and
    /// when the configuration no longer has the key's secret, or shortens the life of keys.
    /// - Throws: when OpenSSL fails.
    package func denial(of grant: BotGrant, now: UnixSeconds, revocations: Revocations) throws(CryptoError) -> Denial? {
        let (appID, userID) = (grant.appID.utf8.span, grant.userID.utf8.span)
        guard let index = index(of: appID) else { return .unknownApp }
        let application = applications[index]
        if try revocations.revokes(grant.claims, app: application.digest, appID: appID, userID: userID) { return .revoked }
        guard let key = grant.key else { return nil }
        guard let secret = application.keys.first(where: { $0.id == key.keyID }) else { return .unknownKey }
        return policy.narrowed(by: application.life).denial(issuedAt: key.issuedAt, notAfter: secret.notAfter, now: now)
    }
}
