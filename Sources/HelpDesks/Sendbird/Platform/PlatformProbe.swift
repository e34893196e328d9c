internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import HelpDesk
internal import JSON
internal import Notifiers
internal import Time

/// Checks with read-only requests whether Sendbird accepts each of an app's tokens.
///
/// Sources: Sendbird, Chat Platform API v3, "Retrieve a list of subscribed events"; Desk Platform API v1, "List tickets".
enum PlatformProbe {
    /// - Parameter client: the owner must keep it open.
    static func probes(_ app: Configuration.App, clocks: Clocks, client: Client) -> [CredentialProbe] {
        guard let settings = app.sendbird else { return [] }
        let chat = PlatformRequest("view_webhook", method: .get, path: ["applications", "settings", "webhook"])
        let desk = PlatformRequest("list_tickets", method: .get, path: ["tickets"], query: [("limit", "1")])
        return probes(.chat, app: app.id, url: settings.chatURL, tokens: settings.chatTokens, request: chat, clocks: clocks, client: client)
            + probes(.desk, app: app.id, url: settings.deskURL, tokens: settings.deskTokens, request: desk, clocks: clocks, client: client)
    }

    private static func probes(
        _ api: PlatformAPI, app: String, url: String, tokens: [SecretBytes], request: PlatformRequest, clocks: Clocks,
        client: Client
    ) -> [CredentialProbe] {
        tokens.enumerated().map { index, token in
            let platform = PlatformClient(api, baseURL: url, tokens: [token], clocks: clocks, observer: nil) {
                client.send($0, completion: $1)
            }
            let key = "\(api.rawValue)_token"
            let name = tokens.count == 1 ? key : "\(key)[\(index)]"
            return CredentialProbe(
                appID: app, name: name, timeoutMilliseconds: platform.longestMilliseconds,
                remedy:
                    "set the API token that Sendbird's dashboard shows in apps[].sendbird.\(name), and check app_id and \(api.rawValue)_url"
            ) { completion in
                platform.send(request) { completion(outcome(of: $0)) }
            }
        }
    }

    private static func outcome(of answer: Result<JSONValue, PlatformError>) -> DeliveryOutcome {
        switch answer {
        case .success: DeliveryOutcome(.delivered, reason: StatusReason.word(200))
        case .failure(.unavailable(let reason, _)): DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: reason)
        case .failure(.rateLimited(let wait)), .failure(.heldBack(let wait)):
            DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: StatusReason.word(429))
        // These requests have no parameters that can be wrong, so an error of the API means a wrong address or application.
        case .failure(.unauthorized), .failure(.notFound), .failure(.invalid):
            DeliveryOutcome(.misconfigured, reason: (answer.failure ?? .unauthorized).word)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
