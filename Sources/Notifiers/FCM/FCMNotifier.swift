internal import Core
package import Crypto
internal import JSON
internal import Time

/// The destination of one project's messages in Firebase Cloud Messaging. It tests the credential with a message that FCM validates but
/// does not deliver.
package struct FCMDestination: Sendable, Equatable {
    package static let defaultURL = "https://fcm.googleapis.com"

    /// The text of the key file of a service account of the project; see `ServiceAccount`.
    package var serviceAccount: SecretBytes
    /// Scheme, host and port; configured otherwise only for simulators and proxies.
    package var url: String

    package init(serviceAccount: SecretBytes, url: String = defaultURL) {
        self.serviceAccount = serviceAccount
        self.url = url
    }

    /// Makes the provider's protocol and authorization; throws when the service account's file cannot be used.
    func open(_ context: PushContext) throws(ServiceAccount.Problem) -> (any PushProvider, PushAuthorization) {
        let account = try serviceAccount.withSpan { span throws(ServiceAccount.Problem) in try ServiceAccount(parsing: span) }
        let source = GoogleTokenSource(
            account, client: context.client, timeoutMilliseconds: context.timeoutMilliseconds, unixMilliseconds: context.unixMilliseconds)
        return (FCMProvider(url: url, projectID: account.projectID), .minted(context.cache(source, .oauth)))
    }
}

struct FCMProvider: PushProvider {
    var environments: [PushEnvironment] { [interface.environment] }
    var proof: PushMessage { interface.proof }
    var remedies: [String: String] { FCMRemedy.byReason.mapValues(\.rawValue) }
    var generalRemedy: String { FCMRemedy.account.rawValue }
    private let interface: FCMInterface

    init(url: String, projectID: String) {
        interface = FCMInterface("fcm", url: url, projectID: projectID)
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        interface.message(try FCMMessage.body(notification, token: token, now: now, limit: limit))
    }

    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        interface.message(try FCMMessage.body(withdrawal, token: token, now: now))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        token == nil
            ? FCMAnswer.ofProof(status: status, body: body, retryAfter: retryAfter)
            : FCMAnswer.of(status: status, body: body, retryAfter: retryAfter)
    }
}

/// The requests of FCM HTTP v1, which RuStore's interface copies.
struct FCMInterface: Sendable {
    /// A token that no device has.
    private static let impossibleToken = "deskgate-check"

    let environment: PushEnvironment
    private let path: String

    init(_ name: String, url: String, projectID: String) {
        environment = PushEnvironment(name, url: url)
        path = "/v1/projects/\(projectID)/messages:send"
    }

    /// A message for validation only, to a token that no device has.
    var proof: PushMessage {
        let body: JSONValue = [
            "validate_only": true,
            "message": ["token": .string(Self.impossibleToken), "notification": ["title": "Deskgate", "body": "Deskgate"]],
        ]
        return message(body.serialized())
    }

    func message(_ body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}
