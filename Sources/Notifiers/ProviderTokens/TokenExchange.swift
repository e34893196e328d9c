internal import Core
internal import HTTPClient
internal import JSON
internal import Time
internal import WebTokens

/// The reason why there is no access token. The words begin with `token_`, so that they differ from the reasons of the provider that
/// accepts the token.
package enum TokenReason: Sendable {
    case error(TokenError)
    /// An error of Huawei's, which are numbers.
    case number(Int64)
    /// A status without a known error.
    case status(Int)
    /// The request got no response, for this reason of the client's.
    case client(String)
    /// The response had no usable token.
    case malformed
    /// The token or its assertion could not be signed.
    case cannotBeSigned

    private static let prefix = "token_"

    package var word: String {
        switch self {
        case .error(let error): Self.prefix + error.rawValue
        case .number(let number): "\(Self.prefix)error_\(number)"
        case .status(let status): Self.prefix + StatusReason.word(status)
        case .client(let reason): Self.prefix + reason
        case .malformed: Self.prefix + "malformed"
        case .cannotBeSigned: Self.prefix + "cannot_be_signed"
        }
    }

    /// The reason by `client`'s name for it; any other reason is returned unchanged.
    package static func withoutPrefix(_ word: String) -> String {
        word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : word
    }
}

/// The errors of token servers: those of RFC 6749 section 5.2, then Google's own. Other texts are not repeated.
package enum TokenError: String, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case deletedClient = "deleted_client"
    case disabledClient = "disabled_client"
    case orgInternal = "org_internal"
}

/// Requests to a token server (RFC 6749 section 3.2).
struct TokenExchange: Sendable {
    private static let responseBodyLimit = 64 * 1024

    private let url: String
    private let client: Client
    private let timeoutMilliseconds: Int
    private let unixMilliseconds: @Sendable () -> UnixMilliseconds

    init(url: String, client: Client, timeoutMilliseconds: Int, unixMilliseconds: @escaping @Sendable () -> UnixMilliseconds) {
        self.url = url
        self.client = client
        self.timeoutMilliseconds = timeoutMilliseconds
        self.unixMilliseconds = unixMilliseconds
    }

    /// Posts a form.
    /// - Parameters:
    ///   - dependsOnClock: whether a wrong clock of ours may explain a refusal.
    ///   - completion: called exactly once, on the client's thread, or before this returns.
    func post(_ form: FormBody, dependsOnClock: Bool, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        let request = try? ClientRequest(
            .post, url, headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")], body: form.bytes,
            timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: min(timeoutMilliseconds, ClientRequest.defaultConnectTimeoutMilliseconds),
            responseBodyLimit: Self.responseBodyLimit)
        guard let request else {
            return completion(.refused(reason: TokenReason.client(ClientReason.invalidURL.rawValue).word, providerUnixSeconds: nil))
        }
        client.send(request) { [unixMilliseconds] result in
            switch result {
            case .success(let response):
                completion(TokenAnswer.read(response, dependsOnClock: dependsOnClock, now: unixMilliseconds()))
            case .failure(let error):
                completion(.unavailable(reason: TokenReason.client(ClientReason.word(error)).word, retryAfterMilliseconds: nil))
            }
        }
    }
}

enum TokenAnswer {
    private static let longestToken = 16 * 1024
    /// The default life of a token, where the server does not state one. A token that is refused earlier is replaced anyway.
    private static let defaultLifetimeSeconds: Int64 = 300

    static func read(_ response: ClientResponse, dependsOnClock: Bool, now: UnixMilliseconds) -> ProviderTokenFetch {
        let object = object(in: response)
        // An error counts even when it comes with a status of success.
        if isRefusal(response.status) || isSuccess(response.status) && object?["error"]?.nonNull != nil {
            let date = dependsOnClock ? response.header("Date") : nil
            return .refused(
                reason: (object.flatMap(error) ?? .status(response.status)).word,
                providerUnixSeconds: ProviderClock.unixSeconds(ofDate: date, now: now))
        }
        guard isSuccess(response.status) else { return unavailable(.status(response.status), response: response, now: now) }
        return object.flatMap(token) ?? unavailable(.malformed, response: response, now: now)
    }

    private static func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status }

    /// Whether another request would get the same answer: not after a timeout (408), a replay (425) or too many requests (429).
    private static func isRefusal(_ status: Int) -> Bool { 400..<500 ~= status && ![408, 425, 429].contains(status) }

    private static func object(in response: ClientResponse) -> JSONObject? {
        guard !response.isTruncated, let document = try? JSONDocument(parsing: response.body.span),
            case .object(let object) = document.value()
        else { return nil }
        return object
    }

    private static func token(in object: JSONObject) -> ProviderTokenFetch? {
        guard case .string(let text)? = object["access_token"], isBearer(text), isBearerType(object["token_type"]),
            let seconds = lifetimeSeconds(object["expires_in"]), seconds > 0
        else { return nil }
        // Avoids an overflow; `ProviderTokenState` limits the lifetime further.
        return .token(text, lifetimeMilliseconds: UInt64(min(seconds, Int64.max / 1000)) * 1000)
    }

    /// RFC 6749 section 5.1 recommends a lifetime and does not require it. Some servers send it as a text or with a fraction.
    private static func lifetimeSeconds(_ value: JSONValue?) -> Int64? {
        switch value?.nonNull {
        case nil: defaultLifetimeSeconds
        case .integer(let seconds): seconds
        case .number(let seconds): wholeSeconds(seconds.double)
        case .string(let text): Double(text).flatMap(wholeSeconds)
        default: nil
        }
    }

    private static func wholeSeconds(_ seconds: Double) -> Int64? {
        0..<Double(Int64.max) ~= seconds ? Int64(seconds) : nil
    }

    /// Whether a text fits into an Authorization header: RFC 6750 section 2.1, extended to all visible ASCII characters.
    private static func isBearer(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestToken && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// Compared in any case, as RFC 6749 section 5.1 says; a server that omits it can only mean `bearer`.
    private static func isBearerType(_ value: JSONValue?) -> Bool {
        switch value?.nonNull {
        case nil: true
        case .string(let type): type.lowercased() == "bearer"
        default: false
        }
    }

    private static func error(in object: JSONObject) -> TokenReason? {
        switch object["error"] {
        case .string(let word): TokenError(rawValue: word).map { .error($0) }
        case .integer(let number): 0...99_999 ~= number ? .number(number) : nil
        default: nil
        }
    }

    private static func unavailable(_ reason: TokenReason, response: ClientResponse, now: UnixMilliseconds) -> ProviderTokenFetch {
        .unavailable(reason: reason.word, retryAfterMilliseconds: response.retryAfter(now: now))
    }
}
