package import Core
package import Crypto
package import HTTPClient
internal import JSON
package import Time
internal import WebTokens

/// The destination of one app's messages in Huawei's Push Kit. It tests the credential by requesting an access token.
package struct HMSDestination: Sendable, Equatable {
    package static let defaultURL = "https://push-api.cloud.huawei.com"
    package static let defaultCategory = "IM"

    /// The app's identifier in digits, as shown by AppGallery Connect.
    package var appID: String
    /// The app's secret, in UTF-8.
    package var secret: SecretBytes
    /// The classification of the messages (Huawei, "Message classification"); nil leaves the choice to Huawei.
    package var category: String?
    /// Scheme, host and port; configured otherwise only for simulators and proxies.
    package var url: String
    package var tokenURL: String

    package init(
        appID: String, secret: SecretBytes, category: String? = defaultCategory, url: String = defaultURL,
        tokenURL: String = HuaweiTokenSource.tokenURL
    ) {
        self.appID = appID
        self.secret = secret
        self.category = category
        self.url = url
        self.tokenURL = tokenURL
    }

    func authorization(_ context: PushContext) -> PushAuthorization {
        let source = HuaweiTokenSource(
            clientID: appID, clientSecret: secret, url: tokenURL, client: context.client, timeoutMilliseconds: context.timeoutMilliseconds,
            unixMilliseconds: context.unixMilliseconds)
        return .minted(context.cache(source, .oauth))
    }
}

struct HMSProvider: PushProvider {
    let environments: [PushEnvironment]
    let isProvedByToken = true
    var remedies: [String: String] { HMSRemedy.byReason.mapValues(\.rawValue) }
    var generalRemedy: String { HMSRemedy.credential.rawValue }
    private let path: String
    private let category: String?

    init(_ destination: HMSDestination) {
        environments = [PushEnvironment("hms", url: destination.url)]
        category = destination.category
        path = "/v1/\(destination.appID)/messages:send"
    }

    var proof: PushMessage {
        let body: JSONValue = ["validate_only": true, "message": ["token": []]]
        return message(body.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        message(try HMSMessage.body(notification, token: token, category: category, now: now, limit: limit))
    }

    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        message(try HMSMessage.body(withdrawal, token: token, now: now))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        HMSAnswer.of(status: status, body: body, token: token, retryAfter: retryAfter)
    }

    private func message(_ body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}

/// Exchanges an app's credentials for access tokens (RFC 6749 section 4.4; Huawei's "OAuth 2.0-based authentication", client credentials).
package struct HuaweiTokenSource: ProviderTokenSource {
    package static let tokenURL = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"

    private let clientID: String
    private let clientSecret: SecretBytes
    private let exchange: TokenExchange

    /// Makes a source.
    /// - Parameters:
    ///   - clientID: the app's id.
    ///   - clientSecret: the app's secret, in UTF-8.
    ///   - url: the URL of the token server; configured otherwise only for simulators.
    ///   - client: owned and closed by the caller.
    ///   - timeoutMilliseconds: the timeout of one exchange.
    ///   - unixMilliseconds: the wall clock, for Retry-After.
    package init(
        clientID: String, clientSecret: SecretBytes, url: String = tokenURL, client: Client, timeoutMilliseconds: Int = 15_000,
        unixMilliseconds: @escaping @Sendable () -> UnixMilliseconds
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        exchange = TokenExchange(
            url: url, client: client, timeoutMilliseconds: timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Posts the credentials. They do not depend on the time.
    package func fetch(unixSeconds: UnixSeconds, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        var form = FormBody()
        form.append("grant_type", "client_credentials")
        form.append("client_id", clientID)
        clientSecret.withSpan { form.append("client_secret", $0) }
        exchange.post(form, dependsOnClock: false, completion: completion)
    }
}
