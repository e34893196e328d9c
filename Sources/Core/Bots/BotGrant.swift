package import Crypto
package import Time

/// The user for whom a bot acts, the security key that started the bot, and the period of validity. A ticket proves a grant, and a
/// confirmation repeats it.
package struct BotGrant: Sendable, Equatable {
    /// The maximum time by which a time of issue may lie in the future.
    private static let clockToleranceSeconds: UInt64 = 60

    package let appID: String
    /// 1 to 100 UTF-16 code units.
    package let userID: String
    /// The key that started the bot; nil when only the app's backend can read keys.
    package let key: KeyIdentity?
    package let issuedAt: UnixSeconds
    /// The first second in which the grant is invalid.
    package let expiresAt: UnixSeconds

    package init(appID: String, userID: String, key: KeyIdentity?, issuedAt: UnixSeconds, expiresAt: UnixSeconds) {
        (self.appID, self.userID, self.key, self.issuedAt, self.expiresAt) = (appID, userID, key, issuedAt, expiresAt)
    }

    /// Creates the grant of a start. It expires with its own lifetime or with the key, whichever is first. Returns nil when the key has
    /// expired, even within the clock skew that key verification tolerates.
    /// - Parameter keyEnd: the expiry of the key (`KeyPolicy.end`); `max` when only the app's backend can read keys.
    package init?(
        appID: String, userID: String, key: KeyIdentity?, keyEnd: UnixSeconds, issuedAt: UnixSeconds, lifetimeSeconds: UInt64
    ) {
        let expiresAt = min(issuedAt + lifetimeSeconds, keyEnd)
        guard issuedAt < expiresAt else { return nil }
        self.init(appID: appID, userID: userID, key: key, issuedAt: issuedAt, expiresAt: expiresAt)
    }

    /// Claims with the earlier of both times of issue, because the clock that issued the key may be ahead.
    fileprivate var claims: KeyClaims { KeyClaims(issuedAt: min(issuedAt, key?.issuedAt ?? .max), key) }

    func isInForce(at now: UnixSeconds) -> Bool {
        issuedAt.saturating(subtracting: Self.clockToleranceSeconds) <= now && now < expiresAt
    }
}

extension Authorizer {
    /// Returns the reason why a grant is no longer valid although it has not expired; nil when it is valid. A grant becomes invalid when
    /// its key is revoked, when the configuration no longer has the key's secret, or when the configuration shortens the lifetime of keys.
    /// - Parameter revocations: the known ones.
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
