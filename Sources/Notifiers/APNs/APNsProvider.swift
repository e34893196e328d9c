internal import Core
internal import JSON

/// How APNs is spoken to.
struct APNsProvider: PushProvider {
    /// A token that no device has.
    private static let impossibleToken = String(repeating: "0", count: 64)

    let routes: [PushRoute]
    private let topic: String

    init(_ destination: APNsDestination) {
        topic = destination.topic
        routes = [
            PushRoute(url: destination.productionURL, environment: "production", gate: ConnectionGate()),
            PushRoute(url: destination.sandboxURL, environment: "sandbox", gate: ConnectionGate()),
        ]
    }

    /// In the background, so that not even a device with that token would show anything.
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
