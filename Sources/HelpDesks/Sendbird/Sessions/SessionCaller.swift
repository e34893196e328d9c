internal import Core
internal import Crypto
internal import Time

/// Somebody whose security key is in force, and who wants a session token.
struct SessionCaller: Sendable {
    /// The person.
    let userID: String
    /// When the key ends, by all that ends it; `max` for a key that only the app's backend understands.
    let latest: UnixMilliseconds
    private let appID: String
    private let appDigest: KeyedDigest
    /// Nil where only the app's backend understands it.
    private let key: SecurityKey?

    /// Describes a caller.
    /// - Parameters:
    ///   - policy: what is asked of the app's keys.
    ///   - key: parsed, and verified; nil where only the app's backend understands it.
    init(_ application: Application, policy: KeyPolicy, userID: String, key: SecurityKey?) {
        self.userID = userID
        self.key = key
        appID = application.name
        appDigest = application.digest
        latest = key.map { policy.narrowed(by: application.life).end(of: $0, in: application).milliseconds } ?? .max
    }

    /// Whether the key has been revoked meanwhile, or the person blocked.
    /// - Throws: when OpenSSL fails.
    func isRevoked(_ revocations: Revocations) throws(CryptoError) -> Bool {
        guard let key else { return try revocations.blocks(app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span) }
        return try revocations.revokes(key, app: appDigest, appID: appID.utf8.span, userID: userID.utf8.span)
    }
}

/// What becomes of a call for a session token.
enum SessionOutcome: Sendable {
    /// Sendbird has given it, for this call or others that wait with it.
    case issued(Session)
    /// It was kept.
    case kept(Session)
    /// A limit of ours is reached until then.
    case limited(LimitRule, until: UnixMilliseconds)
    /// Sendbird wants fewer requests.
    case throttled(milliseconds: UInt64)
    /// The key was revoked while Sendbird was asked.
    case revoked
    /// The key has ended, but for the difference that clocks may have.
    case expired
    /// Sendbird refuses the user's id.
    case refusedUser
    /// There is no token now.
    /// - Parameter reason: a stable word for logs.
    case unavailable(reason: String)
}
