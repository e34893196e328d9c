internal import Core
internal import JSON

/// The body of a request to HMS Push Kit v1 (Huawei, "Sending messages").
///
/// A badge would need the name of the app's launcher class, so there is none. On the screen a ticket has one notification, as with FCM.
/// `category` is what keeps a comment from counting as marketing, of which a device gets two a day, without a sound. `urgency` is about messages that an app shows itself, and `HIGH` needs a permission, so that it stays away.
enum HMSMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is none, or the body cannot be made so short.
    /// - Parameters:
    ///   - token: the device's; one a request, so that the answer is about it.
    ///   - category: what Huawei classifies it as; nil leaves that to Huawei.
    ///   - validateOnly: has the provider check everything and show nothing.
    ///   - now: in Unix milliseconds, for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, category: String? = nil, validateOnly: Bool = false, nowMilliseconds now: UInt64,
        limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let ttl = "\(lifeSeconds(notification, now))s"
        // A text that holds JSON, as HMS wants it.
        let data = String(decoding: JSONValue.object(notification.dataObject).serialized(), as: UTF8.self)
        return try notification.message(limit: limit) { notification in
            var android: JSONObject = [
                "ttl": .string(ttl), "data": .string(data), "notification": .object(androidNotification(notification)),
            ]
            android.append(category.map { .string($0) }, unlessMissing: "category")
            return ["validate_only": .bool(validateOnly), "message": ["android": .object(android), "token": [.string(token)]]]
        }
    }

    /// At least a second, because 0 is no time to live here, and at most 15 days.
    private static func lifeSeconds(_ notification: PushNotification, _ now: UInt64) -> UInt64 {
        min(max(1, notification.lifeSeconds(nowMilliseconds: now)), 15 * 86_400)
    }

    private static func androidNotification(_ notification: PushNotification) -> JSONObject {
        // The action of type 3 opens the app.
        var android: JSONObject = [
            "title": .string(notification.title), "body": .string(notification.body), "click_action": ["type": 3],
            "tag": .string(notification.thread),
        ]
        switch notification.sound {
        // Low importance is shown without a sound.
        case nil: android.append("LOW", forKey: "importance")
        case "default": android.append(true, forKey: "default_sound")
        case let name?:
            // Where nothing is said the default sound is on, and the name would count for nothing.
            android.append(false, forKey: "default_sound")
            android.append(.string(name), forKey: "sound")
        }
        android.append(notification.androidChannel.map { .string($0) }, unlessMissing: "channel_id")
        return android
    }
}
