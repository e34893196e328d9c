internal import Core
internal import JSON

/// How FCM is spoken to, and RuStore, which has the same addresses and answers.
struct FCMProvider: PushProvider {
    /// Writes a message's body, as `PushProvider.message` does.
    typealias Writer =
        @Sendable (_ notification: PushNotification, _ token: String, _ now: UInt64, _ limit: Int) throws(PushPayloadError) -> [UInt8]
    /// Reads an answer, as `PushProvider.answer` does.
    typealias Reader = @Sendable (_ status: Int, _ body: [UInt8], _ retryAfter: UInt64?) -> ProviderAnswer

    /// A token that no device has.
    private static let impossibleToken = "deskgate-check"

    let routes: [PushRoute]
    private let path: String
    private let write: Writer
    private let read: Reader

    /// - Parameter name: what devices are remembered with whose token it has taken.
    init(_ name: String, url: String, projectID: String, write: @escaping Writer, read: @escaping Reader) {
        routes = [PushRoute(url: url, environment: name)]
        self.write = write
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
        message(body: try write(notification, token, now, limit))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        read(status, body, retryAfter)
    }

    private func message(body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}
