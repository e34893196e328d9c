internal import Bytes
package import Crypto
package import Time

/// Decides whether a user may use the chat, from the security key alone: in memory, without a lock.
///
///     let authorizer = try Authorizer([application])
///     let authorization = authorizer.authorize(
///         appID: "my-app".utf8.span, userID: "user-1".utf8.span, securityKey: text.utf8.span, now: now, revocations: revocations)
///     switch authorization.verdict {
///     case .authorized: break  // 200
///     case .denied(let denial, _): log(denial)  // 403, without the reason
///     case .malformed(let error): log(error)  // 400
///     case .unconfirmed, .undecided, .shadowed: break  // see below
///     }
///
/// If the app has a backend, the best possible verdict is `unconfirmed`, and `HelpDeskState.authorize` then queries the backend. An
/// internal failure is `undecided`, never `denied`. Only `applyingShadowMode(to:now:)` returns `shadowed`.
///
/// The authorizer is an immutable snapshot of apps and keys, and a reload creates a new one. Any thread may use it. `authorize` does not
/// allocate.
package final class Authorizer: Sendable {
    package struct Authorization: Sendable, Equatable {
        package let verdict: Verdict
        /// The index in `applications`; nil when no app has the id, or the request is malformed.
        package let application: Int?
        /// Like `application`, but also set when only the security key is malformed.
        package let namedApplication: Int?
        /// Whether the person is blocked or was forgotten, so that shadow mode does not apply.
        fileprivate let isBlocked: Bool

        fileprivate init(_ verdict: Verdict, _ application: Int? = nil, isBlocked: Bool = false) {
            self.verdict = verdict
            self.application = application
            namedApplication = application
            self.isBlocked = isBlocked
        }

        fileprivate init(malformedKey error: ValidationError, _ namedApplication: Int?) {
            verdict = .malformed(error)
            (application, self.namedApplication, isBlocked) = (nil, namedApplication, false)
        }

        /// Returns the decision with the verdict after the query of the app's backend.
        /// - Parameter isBlocked: whether the user was blocked while the backend was queried.
        package func confirmed(by verdict: Verdict, isBlocked: Bool = false) -> Authorization {
            Authorization(verdict, application, isBlocked: self.isBlocked || isBlocked)
        }

        /// The decision for an unknown app: a malformed request stays malformed, and any other request is denied.
        package var asUnknownApp: Authorization {
            if case .malformed = verdict { Authorization(verdict) } else { Authorization(.denied(.unknownApp, keyID: nil)) }
        }
    }

    /// The apps in ascending order of ids.
    package let applications: [Application]
    /// Limits for genuine keys. An app may have stricter limits (`KeyPolicy.narrowed(by:)`).
    package let policy: KeyPolicy
    /// A digest of the apps with their keys (ids, states, expiries and secrets), 16 hexadecimal digits. Two processes with equal digests
    /// accept and mint the same keys. The digest does not reveal the secrets.
    package let keysDigest: String
    // The keys of the digests that identify users in the record of recent authorizations, by the index of the app.
    private let userKeys: [KeyedDigest]
    private static let unknownAppKey = KeyedDigest.randomKey()
    // Replaces the secret of an unknown app or key, so that a request with an unknown id takes as long as one with a wrong key.
    private let dummySecret: HMACKey<SHA256>

    package init(_ applications: [Application], policy: KeyPolicy = KeyPolicy()) throws(CryptoError) {
        self.applications = applications.sorted { $0.id.lexicographicallyPrecedes($1.id) }
        precondition(Set(applications.map(\.id)).count == applications.count, "app ids are unique")
        self.policy = policy
        let random: InlineArray<32, UInt8> = try randomBytes()
        dummySecret = try HMACKey(secret: random.span)
        keysDigest = try Self.digest(of: self.applications)
        var userKeys: [KeyedDigest] = []
        for application in self.applications { userKeys.append(try Self.userKey(of: application)) }
        self.userKeys = userKeys
    }

    /// Decides on one request. The texts must be valid UTF-8 in the received form.
    package func authorize(
        appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>, now: UnixSeconds, revocations: Revocations
    ) -> Authorization {
        let decision = verify(appID, userID: userID, securityKey: securityKey, now: now, revocations: revocations)
        // In shadow mode the key may be missing or wrong, so a block must be checked even if the key was denied.
        guard case .denied = decision.verdict, let application = decision.application,
            applications[application].shadowEnd(at: now) != nil
        else {
            return decision
        }
        guard revocations.isKnown else { return Authorization(.undecided(.revocationsUnknown), application) }
        guard let isBlocked = try? revocations.blocks(app: applications[application].digest, appID: appID, userID: userID) else {
            return Authorization(.undecided(.internalError), application)
        }
        return Authorization(decision.verdict, application, isBlocked: isBlocked)
    }

    private func verify(
        _ appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>, now: UnixSeconds, revocations: Revocations
    ) -> Authorization {
        if let problem = FieldGrammar.problem(ofAppID: appID) { return Authorization(.malformed(ValidationError(.appID, problem))) }
        if let problem = FieldGrammar.problem(ofUserID: userID) { return Authorization(.malformed(ValidationError(.userID, problem))) }
        let application = index(of: appID)
        if let application, applications[application].verification == .backend {
            return verify(foreignKey: securityKey, application, appID: appID, userID: userID, revocations: revocations)
        }
        let (parsed, problem) = FieldGrammar.parse(securityKey: securityKey)
        guard let key = parsed else { return Authorization(malformedKey: ValidationError(.securityKey, problem), application) }
        let place = application.flatMap { applications[$0].index(of: key.keyID) }
        let secret = secret(application, place)
        do throws(CryptoError) {
            let mac = try SecurityKey.mac(secret: secret, head: key.head.span, appID: appID, userID: userID)
            let isGenuine = constantTimeEquals(mac.span, key.mac.span)
            guard let application else { return Authorization(.denied(.unknownApp, keyID: nil)) }
            guard let place else { return Authorization(.denied(.unknownKey, keyID: nil), application) }
            guard isGenuine else { return Authorization(.denied(.wrongMac, keyID: key.keyID), application) }
            let (policy, notAfter) = (policy.narrowed(by: applications[application].life), applications[application].keys[place].notAfter)
            if let denial = policy.denial(of: key, notAfter: notAfter, now: now) {
                return Authorization(.denied(denial, keyID: key.keyID), application)
            }
            guard revocations.isKnown else { return Authorization(.undecided(.revocationsUnknown), application) }
            if try revocations.revokes(key, app: applications[application].digest, appID: appID, userID: userID) {
                return Authorization(.denied(.revoked, keyID: key.keyID), application)
            }
            let isFinal = applications[application].verification == .key
            return Authorization(isFinal ? .authorized(keyID: key.keyID) : .unconfirmed(keyID: key.keyID), application)
        } catch {
            return Authorization(.undecided(.internalError), application)
        }
    }

    /// Decides when only the app's backend can verify the key.
    private func verify(
        foreignKey: Span<UInt8>, _ application: Int, appID: Span<UInt8>, userID: Span<UInt8>, revocations: Revocations
    ) -> Authorization {
        if let problem = FieldGrammar.problem(ofForeignKey: foreignKey) {
            return Authorization(malformedKey: ValidationError(foreignKey: problem), application)
        }
        guard revocations.isKnown else { return Authorization(.undecided(.revocationsUnknown), application) }
        guard let isBlocked = try? revocations.blocks(app: applications[application].digest, appID: appID, userID: userID) else {
            return Authorization(.undecided(.internalError), application)
        }
        return Authorization(isBlocked ? .denied(.revoked, keyID: nil) : .unconfirmed(keyID: nil), application)
    }

    /// Replaces a denial by `shadowed` while the app is in shadow mode; otherwise returns the decision unchanged.
    ///
    /// Use this only for authorization: on other routes, a caller without a key would receive another person's messages. An unknown app has
    /// no shadow mode. A user who is blocked or was forgotten stays denied, because shadow mode is for keys that are not yet correct, and a
    /// block is an operator's decision about a person. Sign-outs and revoked keys concern only keys, so shadow mode applies to them.
    package func applyingShadowMode(to decision: Authorization, now: UnixSeconds) -> Authorization {
        guard case .denied(let denial, let keyID) = decision.verdict, let application = decision.application,
            applications[application].shadowEnd(at: now) != nil, !decision.isBlocked
        else { return decision }
        return Authorization(.shadowed(denial, keyID: keyID), application)
    }

    /// Returns the index of the app with this id, compared byte by byte.
    package func index(of appID: Span<UInt8>) -> Int? {
        var low = 0
        var high = applications.count
        while low < high {
            let middle = (low + high) / 2
            let candidate = applications[middle].id
            switch compare(candidate.span, appID) {
            case 0: return middle
            case ..<0: low = middle + 1
            default: high = middle
            }
        }
        return nil
    }

    private func secret(_ application: Int?, _ place: Int?) -> HMACKey<SHA256> {
        guard let application, let place else { return dummySecret }
        return applications[application].keys[place].secret
    }

    private func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }
}

/// References to users and apps for logs. They distinguish users without revealing ids.
///
/// A reference is keyed with the secret of the app's lowest key id, or of the first app for an app that is not configured. References are
/// therefore the same after a restart and on every replica until this secret is removed from the configuration. An app without keys uses
/// the secret that signs calls to its backend.
extension Authorizer {
    /// Separates these references from security keys (domain separation).
    private static let label: StaticString = "deskgate/ref/v1"
    private static let recentLabel: StaticString = "deskgate/recent/v1"

    /// Returns the reference to a user, 12 hexadecimal digits; nil when OpenSSL fails.
    package func userReference(appID: Span<UInt8>, userID: Span<UInt8>) -> String? {
        reference(secret(for: appID), appID: appID, userID: userID)
    }

    /// Returns references to the app and the person of a decision, 12 hexadecimal digits each; nil when OpenSSL fails. Takes the same time
    /// for an app that is not configured: the method does not search for the app again, and always computes both references.
    package func references(
        of decision: Authorization, appID: Span<UInt8>, userID: Span<UInt8>
    ) -> (app: String?, user: String?) {
        let nobody: [UInt8] = []
        let secret = namingSecret(of: decision.application)
        return (reference(secret, appID: appID, userID: nobody.span), reference(secret, appID: appID, userID: userID))
    }

    /// Returns the digest that identifies a user in the record of recent authorizations. Does not allocate, and takes the same time for an
    /// app that is not configured. The digest is the same on all replicas while the app has the same secret.
    /// - Parameter application: the index of the app; nil if it is not configured.
    package func digest(ofUser userID: Span<UInt8>, in application: Int?) -> KeyedDigest {
        SipHash(application.map { userKeys[$0] } ?? Self.unknownAppKey).finish(userID)
    }

    /// Derives the key of an app's digests from the secret of its references. For an app without any secret, the key is random and valid
    /// only in this process.
    private static func userKey(of application: Application) throws(CryptoError) -> KeyedDigest {
        guard let secret = application.keys.first?.secret ?? application.fallbackReferenceSecret else { return application.digest }
        let code = try secret.code { message throws(CryptoError) in
            try message.append(recentLabel)
            try message.append(application.id.span)
        }
        return KeyedDigest(bytes: code.span.extracting(..<16)) ?? application.digest
    }

    private func secret(for appID: Span<UInt8>) -> HMACKey<SHA256>? { namingSecret(of: index(of: appID)) }

    private func namingSecret(of application: Int?) -> HMACKey<SHA256>? {
        guard !applications.isEmpty else { return nil }
        let application = applications[application ?? 0]
        return application.keys.first?.secret ?? application.fallbackReferenceSecret
    }

    private func reference(_ secret: HMACKey<SHA256>?, appID: Span<UInt8>, userID: Span<UInt8>) -> String? {
        let code = try? secret?.code { message throws(CryptoError) in
            try message.append(Self.label)
            try message.append(counted: appID)
            try message.append(userID)
        }
        return code.map { Hexadecimal.text($0.span.extracting(..<6)) }
    }
}
