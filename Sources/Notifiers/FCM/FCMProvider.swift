internal import Core
internal import JSON

/// How FCM is spoken to, and RuStore, whose messages are the same.
struct FCMProvider: PushProvider {
    /// Reads an answer, as `PushProvider.answer` does.
    typealias Reader = @Sendable (_ status: Int, _ body: [UInt8], _ retryAfter: UInt64?) -> ProviderAnswer

    /// A token that no device has.
    private static let impossibleToken = "deskgate-check"

    let routes: [PushRoute]
    private let path: String
    private let read: Reader

    init(url: String, projectID: String, read: @escaping Reader) {
        routes = [PushRoute(url: url)]
        path = "/v1/projects/\(projectID)/messages:send"
        self.read = read
    }

    var proof: PushMessage {
        let body: JSONValue = [
            "validate_only": true,
            "message": ["token": .string(Self.impossibleToken), "notification": ["title": "Deskgate", "body": "Deskgate"]],
        ]
        return message(body: body.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage {
        message(body: try FCMMessage.body(notification, token: token, nowMilliseconds: now, limit: limit))
    }

    func answer(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        read(status, body, retryAfter)
    }

    private func message(body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}
