internal import Core
package import Crypto
internal import JSON
internal import Time
internal import WebTokens

/// The destination of one app's notifications in Apple's Push Notification service.
///
/// A new connection carries one push until APNs has responded to it. A token that is unknown in one environment is sent to the other, and
/// the outcome names the environment that accepted it. The credential is valid when APNs objects to nothing but a token that no device has.
package struct APNsDestination: Sendable, Equatable {
    package enum Credential: Sendable, Equatable {
        /// A key of the developer account, for all of the team's apps.
        /// - Parameters:
        ///   - key: the text of the .p8 file.
        ///   - keyID: its identifier, 10 characters.
        ///   - teamID: the team's identifier, 10 characters.
        case token(key: SecretBytes, keyID: String, teamID: String)
        /// A certificate and its private key, which the client presents.
        case certificate(PEMFile, key: PEMFile)
    }

    /// Apple's environment for apps from the App Store and TestFlight.
    package static let productionURL = "https://api.push.apple.com"
    /// Apple's environment for apps run from Xcode.
    package static let sandboxURL = "https://api.sandbox.push.apple.com"

    package var credential: Credential
    package var topic: String
    /// Scheme, host and port of the production environment; configured otherwise only for simulators and proxies.
    package var url: String
    /// Scheme, host and port of the sandbox; configured otherwise only for simulators and proxies.
    package var sandboxURL: String

    package init(credential: Credential, topic: String, url: String = productionURL, sandboxURL: String = sandboxURL) {
        self.credential = credential
        self.topic = topic
        self.url = url
        self.sandboxURL = sandboxURL
    }

    /// Returns the authorization of requests; throws when the key cannot sign.
    func authorization(_ context: PushContext) throws(KeyProblem) -> PushAuthorization {
        guard case .token(let text, let keyID, let teamID) = credential else { return .certificate }
        let key = try text.withSpan { span throws(KeyProblem) in try ES256PrivateKey(pem: span) }
        return .minted(context.cache(APNsTokenSource(key: key, keyID: keyID, teamID: teamID), .apns))
    }
}

struct APNsProvider: PushProvider {
    /// A token that no device has.
    private static let impossibleToken = String(repeating: "0", count: 64)

    let environments: [PushEnvironment]
    var remedies: [String: String] { APNsRemedy.byReason.mapValues { applicable($0).rawValue } }
    var generalRemedy: String { applicable(.credential).rawValue }
    private let topic: String
    private let usesCertificate: Bool

    init(_ destination: APNsDestination) {
        topic = destination.topic
        usesCertificate = if case .certificate = destination.credential { true } else { false }
        environments = [
            PushEnvironment("production", url: destination.url, gate: ConnectionGate()),
            PushEnvironment("sandbox", url: destination.sandboxURL, gate: ConnectionGate()),
        ]
    }

    /// APNs reports a missing provider token if it did not accept the certificate.
    private func applicable(_ remedy: APNsRemedy) -> APNsRemedy { usesCertificate && remedy == .credential ? .certificate : remedy }

    /// A background push, so that even a device with that token would show nothing.
    var proof: PushMessage {
        let payload: JSONValue = ["aps": ["content-available": 1]]
        return PushMessage(
            path: "/3/device/\(Self.impossibleToken)",
            headers: [("apns-topic", topic), ("apns-push-type", "background"), ("apns-priority", "5"), ("apns-expiration", "0")],
            body: payload.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        guard APNsToken.isValid(token) else { throw .invalidToken }
        let headers = APNsHeaders(topic: topic, deliveryID: id, notification)
        return PushMessage(path: "/3/device/\(token)", headers: headers.pairs, body: try APNsPayload.body(notification, limit: limit))
    }

    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        guard APNsToken.isValid(token) else { throw .invalidToken }
        var root: JSONObject = ["aps": PushWithdrawal.aps]
        for (key, value) in withdrawal.data { root.append(.string(value), forKey: key) }
        return PushMessage(
            path: "/3/device/\(token)", headers: [("apns-topic", topic)] + withdrawal.appleHeaders + [("apns-id", id.description)],
            body: JSONValue.object(root).serialized())
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        APNsAnswer.of(status: status, body: body, retryAfter: retryAfter)
    }
}

/// Mints the tokens that authorize requests to APNs ("Establishing a token-based connection to APNs").
struct APNsTokenSource: ProviderTokenSource {
    private static let lifetimeMilliseconds: UInt64 = 3_600_000

    private let key: ES256PrivateKey
    private let keyID: String
    private let teamID: String

    /// Mints with one key of Apple's developer account.
    /// - Parameters:
    ///   - key: the content of the .p8 file.
    ///   - keyID: its identifier, 10 characters.
    ///   - teamID: the team's identifier, 10 characters.
    init(key: ES256PrivateKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Signs a token and completes before it returns.
    func fetch(unixSeconds: UnixSeconds, completion: @escaping @Sendable (ProviderTokenFetch) -> Void) {
        let token = try? JSONWebToken.signed(
            header: ["kid": .string(keyID)], claims: ["iss": .string(teamID), "iat": .integer(Int64(unixSeconds.rawValue))], with: key)
        guard let token else {
            return completion(.unavailable(reason: TokenReason.cannotBeSigned.word, retryAfterMilliseconds: nil))
        }
        completion(.token(token, lifetimeMilliseconds: Self.lifetimeMilliseconds))
    }
}
