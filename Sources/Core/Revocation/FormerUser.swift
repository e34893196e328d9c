internal import Bytes
package import Crypto

/// A forgotten user, stored as a digest that recognizes the id if it returns: HMAC-SHA-256 of app and user under a random salt, which the
/// store keeps with the digest. The digest reveals nothing without the salt. With a copy of the store, an attacker can check whether a
/// guessed id is among the forgotten ones.
package struct FormerUser: Sendable, Equatable {
    /// The length of a salt in bytes.
    package static let saltCount = 32

    /// `saltCount` bytes, usually the same for the whole store.
    package let salt: [UInt8]
    /// 32 bytes.
    package let digest: [UInt8]

    /// - Parameter salt: `saltCount` bytes.
    package init(_ person: AppUser, salt: [UInt8]) throws(CryptoError) {
        let code = try FormerUserKey(salt: salt).digest(appID: person.appID.utf8.span, userID: person.userID.utf8.span)
        self.salt = salt
        digest = Array(copying: code.span)
    }

    /// Parses `name`; nil for another text or a salt of another length.
    package init?(name: String, salt: [UInt8]) {
        guard salt.count == Self.saltCount, let digest = Hexadecimal.bytes(name.utf8.span), digest.count == 32 else { return nil }
        self.salt = salt
        self.digest = digest
    }

    /// The digest in place of a user id: 64 hexadecimal digits.
    package var name: String { Hexadecimal.text(digest.span) }
}

/// Computes users' digests under one salt without allocation.
struct FormerUserKey: Sendable {
    /// Domain separation from security keys and names in the log.
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
