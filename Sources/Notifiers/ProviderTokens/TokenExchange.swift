internal import Core
internal import HTTPClient
internal import WebTokens

/// Asks a token server once (RFC 6749 section 3.2).
struct TokenExchange: Sendable {
    private static let responseBodyLimit = 64 * 1024

    private let url: String
    private let client: Client
    private let timeoutMilliseconds: Int
    private let unixMilliseconds: @Sendable () -> UInt64

    init(url: String, client: Client, timeoutMilliseconds: Int, unixMilliseconds: @escaping @Sendable () -> UInt64) {
        self.url = url
        self.client = client
        self.timeoutMilliseconds = timeoutMilliseconds
        self.unixMilliseconds = unixMilliseconds
    }

    /// Posts a form.
    /// - Parameters:
    ///   - dependsOnClock: whether a wrong clock of ours may be why it is refused.
    ///   - completion: called exactly once, on the client's thread, or before this returns.
    func post(_ form: FormBody, dependsOnClock: Bool, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        let request = try? ClientRequest(
            .post, url, headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")], body: form.bytes,
            timeoutMilliseconds: timeoutMilliseconds, connectTimeoutMilliseconds: min(timeoutMilliseconds, 5000),
            responseBodyLimit: Self.responseBodyLimit)
        guard let request else { return completion(.refused(reason: "token_invalid_url", providerUnixSeconds: nil)) }
        client.send(request) { [unixMilliseconds] result in
            switch result {
            case .success(let response):
                completion(TokenAnswer.read(response, dependsOnClock: dependsOnClock, nowMilliseconds: unixMilliseconds()))
            case .failure(let error):
                completion(.unavailable(reason: "token_" + HTTPOutcome.reason(of: error), retryAfterMilliseconds: nil))
            }
        }
    }
}
