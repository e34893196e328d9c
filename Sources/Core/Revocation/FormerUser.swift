internal import Bytes
package import Crypto

/// A person who was forgotten, by a digest that recognises the id should it ever come back: HMAC-SHA-256 of app and person under a random
/// salt, which the store keeps beside it.
///
/// Whoever reads the digest without the salt learns nothing. Whoever has the store has both, and can find out whether an id that they guess
/// is among them.
package struct FormerUser: Sendable, Equatable {
    /// The length of a salt in bytes.
    package static let saltCount = 32

    /// The salt, `saltCount` bytes; usually the same for all of a store.
    package let salt: [UInt8]
    /// The digest, 32 bytes.
    package let digest: [UInt8]

    /// Makes the digest of a person.
    /// - Parameter salt: `saltCount` bytes.
    /// - Throws: when OpenSSL fails.
    package init(_ person: RevokedPerson, salt: [UInt8]) throws(CryptoError) {
        let code = try FormerUserKey(salt: salt).digest(appID: person.appID.utf8.span, userID: person.userID.utf8.span)
        self.salt = salt
        digest = Array(copying: code.span)
    }

    /// Reads what `name` has written; nil for another text, or a salt of another length.
    package init?(name: String, salt: [UInt8]) {
        guard salt.count == Self.saltCount, let digest = Hexadecimal.bytes(name.utf8.span), digest.count == 32 else { return nil }
        self.salt = salt
        self.digest = digest
    }

    /// The digest in the place of a person's id: 64 hexadecimal digits.
    package var name: String { Hexadecimal.text(digest.span) }
}

/// Computes the digests of persons under one salt; allocates nothing.
struct FormerUserKey: Sendable {
    /// Domain separation: what recognises former persons makes neither keys nor names in the log.
    private static let label: StaticString = "deskgate/former/v1"

    let salt: [UInt8]
    private let key: Result<HMACKey<SHA256>, CryptoError>

    init(salt: [UInt8]) {
        self.salt = salt
        key = Result { () throws(CryptoError) in try HMACKey(secret: salt.span) }
    }

    func digest(appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        try key.get().code { message throws(CryptoError) in
            try message.append(Self.label)
            try message.append(counted: appID)
            try message.append(userID)
        }
    }
}
