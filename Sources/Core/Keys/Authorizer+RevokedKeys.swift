package import Time

/// An app's key of which all security keys are revoked, including later ones.
package struct RevokedKey: Sendable, Equatable {
    package let app: String
    package let keyID: UInt32
    /// Whether Deskgate mints with this key.
    package let isMinting: Bool
    /// The newest other key that may mint and is not revoked; nil if there is none.
    package let other: UInt32?

    package init(app: String, keyID: UInt32, isMinting: Bool, other: UInt32?) {
        (self.app, self.keyID, self.isMinting, self.other) = (app, keyID, isMinting, other)
    }
}

extension Authorizer {
    /// Returns the revoked keys that have not expired, newest first for each app. Backends may mint with them, regardless of their state.
    package func revokedKeys(_ revocations: Revocations, now: UnixSeconds) -> [RevokedKey] {
        applications.flatMap { application in
            func isRevoked(_ key: Application.Key) -> Bool { revocations.revokesAll(of: key.id, app: application.digest) }
            let minting = application.mintingKey(at: now)?.id
            let other = application.keys.last { $0.mints(at: now) && !isRevoked($0) }?.id
            return application.keys.reversed().filter { !$0.hasEnded(at: now) && isRevoked($0) }.map {
                RevokedKey(app: application.name, keyID: $0.id, isMinting: $0.id == minting, other: other)
            }
        }
    }
}
