package import Core
package import Crypto
internal import JSON
internal import WebTokens

/// Mints the tokens that APNs is asked with ("Establishing a token-based connection to APNs").
package struct APNsTokenSource: ProviderTokenSource {
    private static let lifetimeMilliseconds: UInt64 = 3_600_000

    private let key: ES256PrivateKey
    private let keyID: String
    private let teamID: String

    /// Mints with one key of Apple's developer account.
    /// - Parameters:
    ///   - key: the content of the .p8 file.
    ///   - keyID: its identifier, 10 characters.
    ///   - teamID: the team's identifier, 10 characters.
    package init(key: ES256PrivateKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Signs at once.
    package func fetch(unixSeconds: Int64, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        let token = try? JSONWebToken.signed(
            header: ["kid": .string(keyID)], claims: ["iss": .string(teamID), "iat": .integer(unixSeconds)], with: key)
        guard let token else { return completion(.unavailable(reason: "token_cannot_be_signed", retryAfterMilliseconds: nil)) }
        completion(.token(token, lifetimeMilliseconds: Self.lifetimeMilliseconds))
    }
}
