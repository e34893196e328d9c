package import Time

/// A key of an app for which all security keys are revoked, including later ones.
package struct RevokedKey: Sendable, Equatable {
    package let app: String
    package let keyID: UInt32
    /// Whether Deskgate mints with it.
    package let isMinting: Bool
    /// The newest other key that may mint and is not revoked; nil: none.
    package let other: UInt32?

    package init(app: String, keyID: UInt32, isMinting: Bool, other: UInt32?) {
        (self.app, self.keyID, self.isMinting, self.other) = (app, keyID, isMinting, other)
    }
}

extension Authorizer {
    /// Returns the revoked keys that have not ended, the newest first for each app. Backends may mint with them, whatever their state.
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
