package import Core
package import Crypto
package import HTTPClient
internal import WebTokens

/// Exchanges an app's credentials for access tokens (RFC 6749 section 4.4; Huawei's "OAuth 2.0-based authentication", client credentials).
package struct HuaweiTokenSource: ProviderTokenSource {
    /// Huawei's token server.
    package static let tokenURL = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"

    private let clientID: String
    private let clientSecret: SecretBytes
    private let exchange: TokenExchange

    /// Makes a source.
    /// - Parameters:
    ///   - clientID: the app's id.
    ///   - clientSecret: the app's secret, in UTF-8.
    ///   - url: where to ask; another one only in tests.
    ///   - client: stays the caller's to close.
    ///   - timeoutMilliseconds: how long one exchange may take.
    ///   - unixMilliseconds: the time, for Retry-After.
    package init(
        clientID: String, clientSecret: SecretBytes, url: String = tokenURL, client: Client, timeoutMilliseconds: Int = 15_000,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        exchange = TokenExchange(
            url: url, client: client, timeoutMilliseconds: timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Posts the credentials; the time does not matter to them.
    package func fetch(unixSeconds: Int64, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        var form = FormBody()
        form.append("grant_type", "client_credentials")
        form.append("client_id", clientID)
        clientSecret.withSpan { form.append("client_secret", $0) }
        exchange.post(form, dependsOnClock: false, completion: completion)
    }
}
