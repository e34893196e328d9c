package import Core
package import Crypto
package import HTTPClient
internal import JSON
internal import WebTokens

/// Where and how one app's messages reach Huawei's Push Kit.
package struct HMSDestination: Sendable {
    let appID: String
    let secret: SecretBytes
    let category: String?
    let url: String
    let tokenURL: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - appID: as AppGallery Connect shows it.
    ///   - secret: the app's secret, in UTF-8.
    ///   - category: what Huawei classifies the messages as (Huawei, "Message classification"); nil leaves that to Huawei.
    ///   - url: scheme, host and port; another one only for simulators and proxies.
    ///   - tokenURL: where access tokens come from, whole.
    ///   - timeoutMilliseconds: how long the requests of one attempt may take together; 1 at least.
    package init(
        appID: String, secret: SecretBytes, category: String? = "IM", url: String = "https://push-api.cloud.huawei.com",
        tokenURL: String = HuaweiTokenSource.tokenURL, style: PushStyle, timeoutMilliseconds: Int
    ) {
        self.appID = appID
        self.secret = secret
        self.category = category
        self.url = url
        self.tokenURL = tokenURL
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

extension PushNotifier {
    /// Makes a notifier for Huawei's Push Kit, which proves the credential by issuing an access token.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: owned and closed by the caller; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a monotonic clock, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the wall clock, for tokens, times to live and Retry-After.
    /// - Throws: when the URL or the app's id cannot be sent.
    package convenience init(
        _ destination: HMSDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = HuaweiTokenSource(
            clientID: destination.appID, clientSecret: destination.secret, url: destination.tokenURL, client: client,
            timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        let tokens = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        let sender = try PushSender(
            HMSProvider(destination), .minted(tokens), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency, provenBy: tokens)
    }
}

/// The protocol of Huawei's Push Kit.
struct HMSProvider: PushProvider {
    let environments: [PushEnvironment]
    var remedies: [String: String] { HMSRemedy.byReason }
    var generalRemedy: String { HMSRemedy.credential.rawValue }
    private let path: String
    private let category: String?

    init(_ destination: HMSDestination) {
        environments = [PushEnvironment("hms", url: destination.url)]
        category = destination.category
        path = "/v1/\(destination.appID)/messages:send"
    }

    /// A message to nobody.
    var proof: PushMessage {
        let body: JSONValue = ["validate_only": true, "message": ["token": []]]
        return message(body.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage {
        message(try HMSMessage.body(notification, token: token, category: category, nowMilliseconds: now, limit: limit))
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
    /// Huawei's token server.
    package static let tokenURL = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"

    private let clientID: String
    private let clientSecret: SecretBytes
    private let exchange: TokenExchange

    /// Makes a source.
    /// - Parameters:
    ///   - clientID: the app's id.
    ///   - clientSecret: the app's secret, in UTF-8.
    ///   - url: of the token server; another one only for simulators.
    ///   - client: owned and closed by the caller.
    ///   - timeoutMilliseconds: how long one exchange may take.
    ///   - unixMilliseconds: the wall clock, for Retry-After.
    package init(
        clientID: String, clientSecret: SecretBytes, url: String = tokenURL, client: Client, timeoutMilliseconds: Int = 15_000,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        exchange = TokenExchange(
            url: url, client: client, timeoutMilliseconds: timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Posts the credentials, which do not depend on the time.
    package func fetch(unixSeconds: Int64, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        var form = FormBody()
        form.append("grant_type", "client_credentials")
        form.append("client_id", clientID)
        clientSecret.withSpan { form.append("client_secret", $0) }
        exchange.post(form, dependsOnClock: false, completion: completion)
    }
}
