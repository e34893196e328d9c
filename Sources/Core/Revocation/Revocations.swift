package import Crypto
internal import Time

/// An immutable in-memory snapshot of the revocations in force. It contains digests under a random key and no names. Safe on any thread;
/// lookups neither allocate nor lock.
package final class Revocations: Sendable {
    /// The state before the revocations are read for the first time.
    package static let unknown = Revocations(RevocationTable(), [:], isKnown: false)
    /// For use without a store: no key is revoked.
    package static let none = Revocations(RevocationTable(), [:], isKnown: true)

    /// Whether the revocations have been read.
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

    /// Creates a substitute for another process's revocations, valid for one user and one key.
    /// - Parameters:
    ///   - key: nil when only the app's backend understands keys.
    ///   - isBlocked: the other process's result of `blocks`.
    ///   - isRevoked: the other process's result of `revokes`.
    package static func concerning(_ person: AppUser, _ key: SecurityKey?, isBlocked: Bool, isRevoked: Bool) -> Revocations {
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

    /// Whether a key is revoked. The key must have been verified; otherwise its user and time prove nothing.
    /// - Parameters:
    ///   - app: `Application.digest`.
    ///   - appID: valid UTF-8, as received.
    ///   - userID: valid UTF-8, as received.
    package func revokes(
        _ key: SecurityKey, app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        guard count > 0 else { return false }
        if try revokesPerson(issuedAt: key.issuedAt, app: app, appID: appID, userID: userID) { return true }
        return revokesKey(key.keyID, key.head.span.extracting(SecurityKey.saltStart...), issuedAt: key.issuedAt, app: app)
    }

    /// Whether a grant that depends on a security key, such as a device's registration or a bot's ticket, is revoked: it ends with the key.
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

    /// Whether a device's registration is revoked, or its user blocked or forgotten; true when OpenSSL fails. An unknown key may belong to
    /// any secret of the app; the revocation of a single key does not cover it.
    func covers(_ device: RegistryDevice) -> Bool {
        let (appID, userID) = (device.key.appID.utf8.span, device.key.userID.utf8.span)
        return (try? revokes(device.claims, app: RevocationDigests.app(appID), appID: appID, userID: userID)) ?? true
    }

    /// Whether all keys of a user issued at a time are revoked: the user was blocked or forgotten, or the user or the whole app has been
    /// signed out since. A key issued in the second of a sign-out is revoked.
    private func revokesPerson(
        issuedAt: UnixSeconds, app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> Bool {
        if try isForgotten(appID: appID, userID: userID) { return true }
        if hasApps, covers(RevocationDigests.everyKey(app), issuedAt) { return true }
        return hasUsers && covers(RevocationDigests.user(app, userID), issuedAt)
    }

    /// Whether a key is revoked individually, or with the keys of its key id that were issued at its time.
    private func revokesKey(_ keyID: UInt32, _ salt: Span<UInt8>, issuedAt: UnixSeconds, app: KeyedDigest) -> Bool {
        // A digest is computed only if a revocation of its kind exists.
        if hasKeys, covers(RevocationDigests.securityKey(app, salt), issuedAt) { return true }
        return hasKeyIDs && covers(RevocationDigests.keyID(app, keyID), issuedAt)
    }

    /// Whether all keys of a key id are revoked, including those issued later.
    /// - Parameter app: `Application.digest`.
    package func revokesAll(of keyID: UInt32, app: KeyedDigest) -> Bool {
        hasKeyIDs && table.issuedBefore(RevocationDigests.keyID(app, keyID)) == .max
    }

    /// Whether a user is blocked or was forgotten, independent of the key. Used where only the app's backend can read keys, and in shadow
    /// mode.
    package func blocks(app: KeyedDigest, appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> Bool {
        if try isForgotten(appID: appID, userID: userID) { return true }
        return hasUsers && table.issuedBefore(RevocationDigests.user(app, userID)) == .max
    }

    /// Whether a person was forgotten, so that no data about the person is accepted. Does not call OpenSSL until a person has been
    /// forgotten.
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

/// Digests of the subjects of revocations, under a key of this process.
enum RevocationDigests {
    /// The raw value separates the digests of the kinds.
    enum Kind: UInt64 {
        case everyKey, user, keyID, securityKey, formerUser, unknownKey
    }

    private static let key = KeyedDigest.randomKey()

    /// The digest of an app, which is the key for its subjects' digests.
    static func app(_ appID: Span<UInt8>) -> KeyedDigest { SipHash(key).finish(appID) }

    static func everyKey(_ app: KeyedDigest) -> KeyedDigest { hash(app, .everyKey).finish([UInt8]().span) }

    static func user(_ app: KeyedDigest, _ userID: Span<UInt8>) -> KeyedDigest { hash(app, .user).finish(userID) }

    static func securityKey(_ app: KeyedDigest, _ salt: Span<UInt8>) -> KeyedDigest { hash(app, .securityKey).finish(salt) }

    static func keyID(_ app: KeyedDigest, _ keyID: UInt32) -> KeyedDigest {
        var hash = hash(app, .keyID)
        hash.append(UInt64(keyID))
        return hash.finish([UInt8]().span)
    }

    /// An unknown key, which may have any key id.
    static func unknownKey(_ app: KeyedDigest) -> KeyedDigest { hash(app, .unknownKey).finish([UInt8]().span) }

    static func formerUser(_ digest: Span<UInt8>) -> KeyedDigest { hash(key, .formerUser).finish(digest) }

    private static func hash(_ app: KeyedDigest, _ kind: Kind) -> SipHash {
        var hash = SipHash(app)
        hash.append(kind.rawValue)
        return hash
    }

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
