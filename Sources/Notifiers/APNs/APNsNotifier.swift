package import Core
package import Crypto
package import HTTPClient
internal import JSON
internal import WebTokens

/// Where and how one app's notifications reach APNs.
package struct APNsDestination: Sendable {
    /// What proves to Apple who sends.
    package enum Credential: Sendable {
        /// A key of the developer account, for all of the team's apps.
        /// - Parameters:
        ///   - key: the content of the .p8 file.
        ///   - keyID: its identifier, 10 characters.
        ///   - teamID: the team's identifier, 10 characters.
        case token(key: ES256PrivateKey, keyID: String, teamID: String)
        /// The certificate that the client shows.
        case certificate
    }

    /// Apple's environment for apps from the App Store and TestFlight.
    package static let productionURL = "https://api.push.apple.com"
    /// Apple's environment for apps run from Xcode.
    package static let sandboxURL = "https://api.sandbox.push.apple.com"

    let credential: Credential
    let topic: String
    let productionURL: String
    let sandboxURL: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - topic: the app's bundle id.
    ///   - productionURL: scheme, host and port; another one only for simulators and proxies, as `sandboxURL`.
    ///   - timeoutMilliseconds: how long the requests of one attempt may take together; 1 at least.
    package init(
        credential: Credential, topic: String, productionURL: String = productionURL, sandboxURL: String = sandboxURL, style: PushStyle,
        timeoutMilliseconds: Int
    ) {
        self.credential = credential
        self.topic = topic
        self.productionURL = productionURL
        self.sandboxURL = sandboxURL
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

extension PushNotifier {
    /// Makes a notifier for Apple's Push Notification service.
    ///
    /// A new connection carries one push until that is answered. A token that one environment does not know is sent to the other, and the outcome
    /// names the environment that accepted it. The credential is proved when APNs objects to nothing but a token that no device has.
    /// - Parameters:
    ///   - concurrency: how many pushes may be under way.
    ///   - client: owned and closed by the caller. It speaks HTTP/2, opens one connection per host, since Apple wants few, and with a credential
    ///     of `.certificate` shows that certificate.
    ///   - monotonicMilliseconds: a monotonic clock, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the wall clock, for tokens and Retry-After.
    /// - Throws: when a URL or the topic cannot be sent.
    package convenience init(
        _ destination: APNsDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let authorization: PushAuthorization =
            switch destination.credential {
            case .certificate: .certificate
            case .token(let key, let keyID, let teamID):
                .minted(
                    ProviderTokenCache(
                        APNsTokenSource(key: key, keyID: keyID, teamID: teamID), policy: .apns,
                        monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds))
            }
        let sender = try PushSender(
            APNsProvider(destination), authorization, style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency)
    }
}

/// The protocol of APNs.
struct APNsProvider: PushProvider {
    /// A token that no device has.
    private static let impossibleToken = String(repeating: "0", count: 64)

    let environments: [PushEnvironment]
    var remedies: [String: String] { APNsRemedy.byReason }
    var generalRemedy: String { APNsRemedy.credential.rawValue }
    private let topic: String

    init(_ destination: APNsDestination) {
        topic = destination.topic
        environments = [
            PushEnvironment("production", url: destination.productionURL, gate: ConnectionGate()),
            PushEnvironment("sandbox", url: destination.sandboxURL, gate: ConnectionGate()),
        ]
    }

    /// A background push, so that even a device with that token would show nothing.
    var proof: PushMessage {
        let payload: JSONValue = ["aps": ["content-available": 1]]
        return PushMessage(
            path: "/3/device/\(Self.impossibleToken)",
            headers: [("apns-topic", topic), ("apns-push-type", "background"), ("apns-priority", "5"), ("apns-expiration", "0")],
            body: payload.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage {
        guard let path = APNsToken.path(token) else { throw .invalidToken }
        let headers = APNsHeaders(topic: topic, deliveryID: id, notification)
        return PushMessage(path: path, headers: headers.pairs, body: try APNsPayload.body(notification, limit: limit))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        APNsAnswer.of(status: status, body: body, retryAfter: retryAfter)
    }
}

/// Mints the tokens that authorize requests to APNs ("Establishing a token-based connection to APNs").
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

    /// Signs a token and completes before it returns.
    package func fetch(unixSeconds: Int64, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        let token = try? JSONWebToken.signed(
            header: ["kid": .string(keyID)], claims: ["iss": .string(teamID), "iat": .integer(unixSeconds)], with: key)
        guard let token else {
            return completion(.unavailable(reason: TokenReason.cannotBeSigned.word, retryAfterMilliseconds: nil))
        }
        completion(.token(token, lifetimeMilliseconds: Self.lifetimeMilliseconds))
    }
}
