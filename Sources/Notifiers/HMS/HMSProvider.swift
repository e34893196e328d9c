internal import Core
internal import JSON

/// How Huawei's Push Kit is spoken to.
struct HMSProvider: PushProvider {
    let routes: [PushRoute]
    private let path: String
    private let category: String?

    init(_ destination: HMSDestination) {
        routes = [PushRoute(url: destination.url, environment: "hms")]
        category = destination.category
        path = "/v1/\(destination.appID)/messages:send"
    }

    /// A message to nobody.
    var proof: PushMessage {
        let body: JSONValue = ["validate_only": true, "message": ["token": []]]
        return message(body: body.serialized())
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, nowMilliseconds now: UInt64
    ) throws(PushPayloadError) -> PushMessage {
        message(body: try HMSMessage.body(notification, token: token, category: category, nowMilliseconds: now, limit: limit))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        HMSAnswer.of(status: status, body: body, token: token, retryAfter: retryAfter)
    }

    private func message(body: [UInt8]) -> PushMessage {
        PushMessage(path: path, headers: [("content-type", "application/json")], body: body)
    }
}
