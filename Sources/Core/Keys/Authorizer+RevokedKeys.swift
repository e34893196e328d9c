package import Time

/// A key with which new ones are minted although each of them is revoked from its first moment on.
package struct RevokedMintingKey: Sendable, Equatable {
    package let app: String
    package let keyID: UInt32
    /// The newest other key that may mint and is not revoked; nil when there is none.
    package let other: UInt32?

    package init(app: String, keyID: UInt32, other: UInt32?) {
        (self.app, self.keyID, self.other) = (app, keyID, other)
    }
}

extension Authorizer {
    /// Of each app the key with which new ones are minted, if it is revoked.
    package func revokedMintingKeys(_ revocations: Revocations, now: UnixSeconds) -> [RevokedMintingKey] {
        applications.compactMap { application in
            func isRevoked(_ key: Application.Key) -> Bool { revocations.revokesAll(of: key.id, app: application.digest) }
            guard let key = application.mintingKey(at: now), isRevoked(key) else { return nil }
            let other = application.keys.last { $0.mints(at: now) && !isRevoked($0) }
            return RevokedMintingKey(app: application.name, keyID: key.id, other: other?.id)
        }
    }
}
