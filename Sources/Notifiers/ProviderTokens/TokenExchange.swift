internal import Core
internal import HTTPClient
internal import JSON
internal import Time
internal import WebTokens

/// The reason why no access token is available. The raw texts begin with `token_`, so that they differ from the reasons of the provider
/// that accepts the token.
package enum TokenReason: Sendable {
    case error(TokenError)
    /// A numeric error of Huawei.
    case number(Int64)
    /// A status without a known error.
    case status(Int)
    /// The request got no response, for this `ClientReason`.
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

    /// Returns the reason of the client, without the prefix of token reasons. Any other reason is returned unchanged.
    package static func withoutPrefix(_ word: String) -> String {
        word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : word
    }
}

/// The errors of token servers: first those of RFC 6749 section 5.2, then Google's. Other error texts are not reported.
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
    ///   - dependsOnClock: whether a wrong clock of this machine may explain a rejection.
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
    /// The lifetime of a token when the server does not state it. A token that is rejected earlier is replaced in any case.
    private static let defaultLifetimeSeconds: Int64 = 300

    static func read(_ response: ClientResponse, dependsOnClock: Bool, now: UnixMilliseconds) -> ProviderTokenFetch {
        let object = object(in: response)
        // An error in the body takes precedence, even if the status is a success.
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

    /// Whether a repeated request would get the same answer. This excludes timeouts (408), replays (425) and too many requests (429).
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

    /// Returns the lifetime, which RFC 6749 section 5.1 recommends but does not require. Some servers send it as a string or with a
    /// fraction.
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

    /// Compares the type without regard to case (RFC 6749 section 5.1). If the server omits the type, `bearer` is assumed.
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
