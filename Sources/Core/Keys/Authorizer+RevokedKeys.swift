package import Time

extension Authorizer {
    /// The keys with which new ones are minted, of which each is revoked from its first moment on.
    package func revokedMintingKeys(_ revocations: Revocations, now: UnixSeconds) -> [(app: String, keyID: UInt32)] {
        applications.compactMap { application in
            guard let key = application.mintingKey(at: now), revocations.revokesAll(of: key.id, app: application.digest) else { return nil }
            return (application.name, key.id)
        }
    }
}
