package import Crypto
internal import Time

/// The revoked security keys: an immutable snapshot in memory, beside that of the configuration.
///
/// It holds digests under a random key, and no names. Safe on any thread; lookups allocate nothing and take no lock.
package final class Revocations: Sendable {
    /// Before the first read: it is unknown which keys are revoked.
    package static let unknown = Revocations(RevocationTable(), [:], isKnown: false)
    /// No revocations, for a process without a store.
    package static let none = Revocations(RevocationTable(), [:], isKnown: true)

    package let isKnown: Bool
    package let count: Int
    private let table: RevocationTable
    private let formers: [FormerUserKey]
    private let (hasApps, hasUsers, hasKeyIDs, hasKeys, hasFormers): (Bool, Bool, Bool, Bool, Bool)

    init(
        _ table: RevocationTable, _ counts: [RevocationDigests.Kind: Int], formers: [FormerUserKey] = [], isKnown: Bool = true
    ) {
        self.isKnown = isKnown
        self.table = table
        self.formers = formers
        // The revocation of a key id is stored there twice.
        count = counts.values.reduce(0, +) - counts[.unknownKey, default: 0]
        func has(_ kind: RevocationDigests.Kind) -> Bool { counts[kind, default: 0] > 0 }
        (hasApps, hasUsers, hasKeyIDs, hasKeys) = (has(.everyKey), has(.user), has(.keyID), has(.securityKey))
        hasFormers = has(.formerUser)
    }

    /// Stands in for the revocations of another process in decisions about one person and one key.
    /// - Parameters:
    ///   - key: nil where only the app's backend understands keys.
    ///   - isBlocked: the other's answer to `blocks`.
    ///   - isRevoked: the other's answer to `revokes`.
    package static func concerning(_ person: RevokedPerson, _ key: SecurityKey?, isBlocked: Bool, isRevoked: Bool) -> Revocations {
        let app = RevocationDigests.app(person.appID.utf8.span)
        var (table, counts): (RevocationTable, [RevocationDigests.Kind: Int]) = (RevocationTable(), [:])
        if isBlocked {
            table.set(RevocationDigests.user(app, person.userID.utf8.span), .max)
            counts[.user] = 1
        }
        if isRevoked, let key {
            table.set(RevocationDigests.securityKey(app, key.salt.span), .max)
            counts[.securityKey] = 1
        }
        return Revocations(table, counts)
    }

    /// Whether a key is revoked. Only a key that has proven genuine says which person and time it is about.
    /// - Parameters:
    ///   - app: `Application.digest`.
    ///   - appID: valid UTF-8, as it arrived.
    ///   - userID: valid UTF-8, as it arrived.
    /// - Throws: when OpenSSL fails.
    package func revokes(
        _ key: SecurityKey, app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        guard count > 0 else { return false }
        if try revokesPerson(issuedAt: key.issuedAt, app: app, appID: appID, userID: userID) { return true }
        return revokesKey(key.keyID, key.head.span.extracting(SecurityKey.saltStart...), issuedAt: key.issuedAt, app: app)
    }

    /// Whether a credential that a security key led to, such as the registration of a device or a bot's ticket, is revoked with the key.
    /// - Throws: when OpenSSL fails.
    package func revokes(
        _ claims: KeyClaims, app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        guard count > 0 else { return false }
        if try revokesPerson(issuedAt: claims.issuedAt, app: app, appID: appID, userID: userID) { return true }
        guard let key = claims.key else {
            return hasKeyIDs && claims == .unknown && covers(RevocationDigests.unknownKey(app), claims.issuedAt)
        }
        return revokesKey(key.keyID, key.salt.span, issuedAt: claims.issuedAt, app: app)
    }

    /// Whether a device's registration is revoked, or its person was blocked or forgotten; also true when OpenSSL fails. An unknown key may
    /// have been made with any secret of the app; the revocation of one key alone does not cover it.
    func covers(_ device: RegistryDevice) -> Bool {
        let (appID, userID) = (device.key.appID.utf8.span, device.key.userID.utf8.span)
        return (try? revokes(device.claims, app: RevocationDigests.app(appID), appID: appID, userID: userID)) ?? true
    }

    /// Whether all credentials of a person from that time are revoked: the person was blocked or forgotten, or the person or all users of
    /// the app were signed out since. A key that was issued in the second of a sign-out is revoked.
    private func revokesPerson(
        issuedAt: UnixSeconds, app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        if try isForgotten(appID: appID, userID: userID) { return true }
        if hasApps, covers(RevocationDigests.everyKey(app), issuedAt) { return true }
        return hasUsers && covers(RevocationDigests.user(app, userID), issuedAt)
    }

    /// Whether a key is revoked alone, or all keys of its key id that were issued at its time are.
    private func revokesKey(_ keyID: UInt32, _ salt: Span<UInt8>, issuedAt: UnixSeconds, app: KeyedDigest) -> Bool {
        // A digest is computed only if a revocation of its kind exists.
        if hasKeys, covers(RevocationDigests.securityKey(app, salt), issuedAt) { return true }
        return hasKeyIDs && covers(RevocationDigests.keyID(app, keyID), issuedAt)
    }

    /// Whether all keys of a key id are revoked, whenever they are issued.
    /// - Parameter app: `Application.digest`.
    package func revokesAll(of keyID: UInt32, app: KeyedDigest) -> Bool {
        hasKeyIDs && table.issuedBefore(RevocationDigests.keyID(app, keyID)) == .max
    }

    /// Whether a person is blocked or was forgotten, with any key: for apps whose keys only the backend understands, and for shadow mode.
    /// - Throws: when OpenSSL fails.
    package func blocks(app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> Bool {
        if try isForgotten(appID: appID, userID: userID) { return true }
        return hasUsers && table.issuedBefore(RevocationDigests.user(app, userID)) == .max
    }

    /// Whether a person was forgotten, so that no data of the person is accepted. Does not call OpenSSL while no person was.
    /// - Throws: when OpenSSL fails.
    package func isForgotten(appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> Bool {
        guard hasFormers else { return false }
        for index in formers.indices {
            let digest = try formers[index].digest(appID: appID, userID: userID)
            if table.issuedBefore(RevocationDigests.formerUser(digest.span)) != nil { return true }
        }
        return false
    }

    private func covers(_ subject: KeyedDigest, _ issuedAt: UnixSeconds) -> Bool {
        table.issuedBefore(subject).map { issuedAt < $0 } ?? false
    }
}

/// Names the subjects of revocations by digests under a key of one process.
enum RevocationDigests {
    /// The kinds of subjects; the number separates their digests.
    enum Kind: UInt64 {
        case everyKey, user, keyID, securityKey, formerUser, unknownKey
    }

    private static let key = KeyedDigest.randomKey()

    /// The digest of an app, which is the key of its subjects' digests.
    static func app(_ appID: Span<UInt8>) -> KeyedDigest { SipHash(key).finish(appID) }

    static func everyKey(_ app: KeyedDigest) -> KeyedDigest { hash(app, .everyKey).finish([UInt8]().span) }

    static func user(_ app: KeyedDigest, _ userID: Span<UInt8>) -> KeyedDigest { hash(app, .user).finish(userID) }

    static func securityKey(_ app: KeyedDigest, _ salt: Span<UInt8>) -> KeyedDigest { hash(app, .securityKey).finish(salt) }

    static func keyID(_ app: KeyedDigest, _ keyID: UInt32) -> KeyedDigest {
        var hash = hash(app, .keyID)
        hash.append(UInt64(keyID))
        return hash.finish([UInt8]().span)
    }

    /// The key of which nothing is known: it may have any key id.
    static func unknownKey(_ app: KeyedDigest) -> KeyedDigest { hash(app, .unknownKey).finish([UInt8]().span) }

    static func formerUser(_ digest: Span<UInt8>) -> KeyedDigest { hash(key, .formerUser).finish(digest) }

    private static func hash(_ app: KeyedDigest, _ kind: Kind) -> SipHash {
        var hash = SipHash(app)
        hash.append(kind.rawValue)
        return hash
    }

    /// The digests of what a revocation is about, and their kinds.
    static func subjects(of revocation: Revocation) -> [(subject: KeyedDigest, kind: Kind)] {
        let app = app(revocation.appID.utf8.span)
        switch revocation.subject {
        case .everyKey: return [(everyKey(app), .everyKey)]
        case .user(let userID): return [(user(app, userID.utf8.span), .user)]
        case .formerUser(let former): return [(formerUser(former.digest.span), .formerUser)]
        case .keyID(let id): return [(keyID(app, id), .keyID), (unknownKey(app), .unknownKey)]
        case .securityKey(let salt): return [(securityKey(app, salt.span), .securityKey)]
        }
    }
}
