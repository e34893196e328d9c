package import Core
internal import Crypto
package import HTTPClient
internal import JSON
package import Time
internal import WebTokens

/// Exchanges signed assertions of a service account for access tokens (RFC 7523; "Using OAuth 2.0 for server to server applications").
package struct GoogleTokenSource: ProviderTokenSource {
    /// The scope for sending through Firebase Cloud Messaging.
    package static let messagingScope = "https://www.googleapis.com/auth/firebase.messaging"

    private static let lifetimeSeconds: Int64 = 3600
    /// Google rejects an assertion from the future, and clocks differ by seconds.
    private static let backdatingSeconds: Int64 = 10

    private let account: ServiceAccount
    private let scope: String
    private let exchange: TokenExchange

    /// Makes a source.
    /// - Parameters:
    ///   - client: owned and closed by the caller.
    ///   - timeoutMilliseconds: the timeout of one exchange.
    ///   - unixMilliseconds: the wall clock, for Retry-After and Date.
    package init(
        _ account: ServiceAccount, scope: String = messagingScope, client: Client, timeoutMilliseconds: Int = 15_000,
        unixMilliseconds: @escaping @Sendable () -> UnixMilliseconds
    ) {
        self.account = account
        self.scope = scope
        exchange = TokenExchange(
            url: account.tokenURI, client: client, timeoutMilliseconds: timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Signs an assertion for that time and posts it to the token server.
    package func fetch(unixSeconds: UnixSeconds, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        guard let assertion = try? assertion(unixSeconds: unixSeconds) else {
            return completion(.unavailable(reason: TokenReason.cannotBeSigned.word, retryAfterMilliseconds: nil))
        }
        var form = FormBody()
        form.append("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        form.append("assertion", assertion)
        exchange.post(form, dependsOnClock: true, completion: completion)
    }

    private func assertion(unixSeconds: UnixSeconds) throws(CryptoError) -> String {
        let issuedAt = Int64(unixSeconds.rawValue) - Self.backdatingSeconds
        return try JSONWebToken.signed(
            header: ["typ": "JWT", "kid": .string(account.privateKeyID)],
            claims: [
                "iss": .string(account.clientEmail), "scope": .string(scope), "aud": .string(account.tokenURI), "iat": .integer(issuedAt),
                "exp": .integer(issuedAt + Self.lifetimeSeconds),
            ],
            with: account.privateKey)
    }
}
