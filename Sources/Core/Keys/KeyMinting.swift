package import Crypto
package import Time

/// Mints security keys for the command line and for `POST /v1/keys`, under the rules of the configuration.
package struct KeyMinting: Sendable {
    package enum Refusal: Error, CustomStringConvertible {
        /// A field would produce a key that is never accepted.
        case malformed(ValidationError)
        case unknownApp
        case unknownKey(UInt32)
        /// The app has no keys, because its backend alone decides.
        case noKey
        case keyVerifyOnly(UInt32)
        case keyEnded(UInt32)
        case noActiveKey
        /// The key would outlive its secret.
        case outlivesKey(UInt32, maximumSeconds: UInt64)
        case lifetimeTooLong(maximumSeconds: UInt64)
        /// The key would expire after `SecurityKey.latestTime`.
        case endTooFar(maximumSeconds: UInt64)
        case failed(CryptoError)

        package var description: String {
            switch self {
            case .malformed(let error): error.description
            case .unknownApp: "No app with this app_id is configured."
            case .unknownKey(let id): "The app has no key with the id \(id)."
            case .noKey: "The app has no key: \"verify\" leaves all decisions to its backend."
            // Rotation activates only the newest key, and removes an older one.
            case .keyVerifyOnly(let id):
                "The app's key \(id) is verify_only; leave --key-id out, or, if it is the newest, make it active with deskgate secret rotate."
            case .keyEnded(let id): "The app's key \(id) has ended, as its not_after has passed; leave --key-id out."
            case .noActiveKey:
                "The app has no active key: each one is verify_only, or its not_after has passed; run deskgate secret rotate."
            case .outlivesKey(let id, let longest):
                "The app's key \(id) ends in \(longest) seconds (not_after), and its keys must expire before."
            case .lifetimeTooLong(let longest): "A key may live at most \(longest) seconds, and not for ever."
            case .endTooFar(let longest): "A key may live at most \(longest) seconds, or for ever."
            case .failed(let error): "The key could not be minted: \(error)."
            }
        }
    }

    package struct Minted: Sendable {
        /// The security key, which is secret and belongs to the user.
        package let securityKey: String
        package let keyID: UInt32
        package let issuedAt: UnixSeconds
        /// The last second in which the key is valid; 0 for unlimited.
        package let expiresAt: UnixSeconds
    }

    private let authorizer: Authorizer
    private let defaultLifetimeSeconds: UInt64

    /// - Parameter defaultLifetimeSeconds: the lifetime when neither the caller nor the app sets one; 0 for unlimited.
    package init(_ authorizer: Authorizer, defaultLifetimeSeconds: UInt64) {
        self.authorizer = authorizer
        self.defaultLifetimeSeconds = defaultLifetimeSeconds
    }

    /// Mints a key.
    /// - Parameters:
    ///   - keyID: nil for `Application.mintingKey`.
    ///   - lifetimeSeconds: 0 for unlimited; nil for the default, shortened to the expiry of the secret.
    package func mint(
        appID: String, userID: String, keyID: UInt32? = nil, lifetimeSeconds: UInt64? = nil, now: UnixSeconds
    ) throws(Refusal) -> Minted {
        let appID = Array(appID.utf8)
        let userID = Array(userID.utf8)
        if let problem = FieldGrammar.problem(ofAppID: appID.span) { throw .malformed(ValidationError(.appID, problem)) }
        if let problem = FieldGrammar.problem(ofUserID: userID.span) { throw .malformed(ValidationError(.userID, problem)) }
        let application = try application(appID)
        let key = try key(of: application, keyID, now)
        let expiresAt = try expiry(after: lifetimeSeconds, of: key, application, now: now)
        do throws(CryptoError) {
            let text = try SecurityKey.mint(
                appID: appID.span, userID: userID.span, keyID: key.id, secret: key.secret, issuedAt: now, expiresAt: expiresAt,
                salt: randomBytes())
            return Minted(securityKey: text, keyID: key.id, issuedAt: now, expiresAt: expiresAt)
        } catch {
            throw .failed(error)
        }
    }

    /// Mints a key that is valid for `lifetimeSeconds`, or for the maximum that the app and its secret allow if that is shorter.
    package func mintShortLived(appID: String, userID: String, lifetimeSeconds: UInt64, now: UnixSeconds) throws(Refusal) -> Minted {
        let application = try application(Array(appID.utf8))
        let bounds = [maximumLifetime(application), application.mintingKey(at: now)?.notAfter.map { now.remaining(until: $0) }]
        return try mint(appID: appID, userID: userID, lifetimeSeconds: bounds.compactMap(\.self).reduce(lifetimeSeconds, min), now: now)
    }

    private func application(_ id: [UInt8]) throws(Refusal) -> Application {
        guard let index = authorizer.index(of: id.span) else { throw .unknownApp }
        return authorizer.applications[index]
    }

    private func maximumLifetime(_ application: Application) -> UInt64? {
        authorizer.policy.narrowed(by: application.life).maximumLifetimeSeconds
    }

    private func key(of application: Application, _ keyID: UInt32?, _ now: UnixSeconds) throws(Refusal) -> Application.Key {
        if application.keys.isEmpty { throw .noKey }
        guard let keyID else {
            guard let key = application.mintingKey(at: now) else { throw .noActiveKey }
            return key
        }
        guard let place = application.index(of: keyID) else { throw .unknownKey(keyID) }
        let key = application.keys[place]
        guard key.mints(at: now) else { throw key.hasEnded(at: now) ? .keyEnded(keyID) : .keyVerifyOnly(keyID) }
        return key
    }

    /// Returns the expiry of a key made with `secret`. Shortens a default lifetime if necessary, but never a requested one.
    private func expiry(
        after lifetimeSeconds: UInt64?, of secret: Application.Key, _ application: Application, now: UnixSeconds
    ) throws(Refusal) -> UnixSeconds {
        let life = lifetimeSeconds ?? application.life.defaultSeconds ?? defaultLifetimeSeconds
        let expiresAt = try expiry(after: life, maximumLifetime(application), now: now)
        guard let end = secret.notAfter, expiresAt == 0 || expiresAt > end else { return expiresAt }
        if lifetimeSeconds != nil { throw .outlivesKey(secret.id, maximumSeconds: now.remaining(until: end)) }
        return end
    }

    private func expiry(after lifetimeSeconds: UInt64, _ longest: UInt64?, now: UnixSeconds) throws(Refusal) -> UnixSeconds {
        let representable = now.remaining(until: SecurityKey.latestTime)
        if let longest = longest.map({ min($0, representable) }) {
            guard lifetimeSeconds >= 1, lifetimeSeconds <= longest else { throw .lifetimeTooLong(maximumSeconds: longest) }
        }
        guard lifetimeSeconds <= representable else { throw .endTooFar(maximumSeconds: representable) }
        return lifetimeSeconds == 0 ? 0 : now + lifetimeSeconds
    }
}
