package import Core
package import HTTPClient
internal import JSON

/// Where and how one project's messages reach Firebase Cloud Messaging.
package struct FCMDestination: Sendable {
    let account: ServiceAccount
    let url: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - account: of the project whose apps are sent to.
    ///   - url: scheme, host and port; another one only for simulators and proxies.
    ///   - timeoutMilliseconds: how long the requests of one attempt may take together; 1 at least.
    package init(account: ServiceAccount, url: String = "https://fcm.googleapis.com", style: PushStyle, timeoutMilliseconds: Int) {
        self.account = account
        self.url = url
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}

extension PushNotifier {
    /// Makes a notifier for Firebase Cloud Messaging, which proves the credential by validating a message that it does not send.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: owned and closed by the caller; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a monotonic clock, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the wall clock, for tokens, times to live and Retry-After.
    /// - Throws: when the URL cannot be sent.
    package convenience init(
        _ destination: FCMDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = GoogleTokenSource(
            destination.account, client: client, timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        let tokens = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        let sender = try PushSender(
            FCMProvider(destination), .minted(tokens), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.init(sender, concurrency: concurrency)
    }
}

/// The protocol of FCM.
struct FCMProvider: PushProvider {
    var environments: [PushEnvironment] { [interface.environment] }
    var proof: PushMessage { interface.proof }
    var remedies: [String: String] { FCMRemedy.byReason }
    var generalRemedy: String { FCMRemedy.account.rawValue }
    private let interface: FCMInterface

    init(_ destination: FCMDestination) {
        interface = FCMInterface("fcm", url: destination.url, projectID: destination.account.projectID)
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage {
        interface.message(try FCMMessage.body(notification, token: token, nowMilliseconds: now, limit: limit))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        FCMAnswer.of(status: status, body: body, retryAfter: retryAfter)
    }
}

/// The requests of FCM HTTP v1, which RuStore's interface copies.
struct FCMInterface: Sendable {
    /// A token that no device has.
    private static let impossibleToken = "deskgate-check"

    /// The only environment.
    let environment: PushEnvironment
    private let path: String

    /// - Parameter name: the environment's.
    init(_ name: String, url: String, projectID: String) {
        environment = PushEnvironment(name, url: url)
        path = "/v1/projects/\(projectID)/messages:send"
    }

    /// A message to a token that no device has, to be validated only.
    var proof: PushMessage {
        let body: JSONValue = [
            "validate_only": true,
            "message": ["token": .string(Self.impossibleToken), "notification": ["title": "Deskgate", "body": "Deskgate"]],
        ]
        return message(body.serialized())
    }

    /// A request with this body.
    func message(_ body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}
