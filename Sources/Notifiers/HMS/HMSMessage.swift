internal import Core
internal import JSON
internal import Time

/// The body of a request to HMS Push Kit v1 (Huawei, "Sending messages").
///
/// A badge would require the name of the app's launcher class, so there is none. Each ticket has one notification on the screen, as with
/// FCM. Without `category`, HMS would treat a comment as marketing, of which a device gets two a day, without a sound. `urgency` is for
/// messages that an app itself shows, and `HIGH` requires a permission, so it is omitted.
enum HMSMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is malformed or the body cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the push token of the device; one for each request, so that the response is about it.
    ///   - category: Huawei's class of the message; nil leaves the choice to Huawei.
    ///   - validateOnly: makes the provider check the message without delivering it.
    ///   - now: used for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, category: String? = nil, validateOnly: Bool = false, now: UnixMilliseconds,
        limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let ttl = ttl(notification.lifetimeSeconds(now: now))
        return try notification.message(limit: limit) { notification in
            // HMS takes the data as a string that contains JSON.
            let data = String(decoding: JSONValue.object(notification.dataObject).serialized(), as: UTF8.self)
            var android: JSONObject = [
                "ttl": .string(ttl), "data": .string(data), "notification": .object(androidNotification(notification)),
            ]
            android.append(category.map { .string($0) }, unlessMissing: "category")
            return ["validate_only": .bool(validateOnly), "message": ["android": .object(android), "token": [.string(token)]]]
        }
    }

    /// A data message, which no device shows: HMS passes `data` to the app's process. It has no category, because only shown messages have
    /// one.
    static func body(_ withdrawal: PushWithdrawal, token: String, now: UnixMilliseconds) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let data = String(decoding: JSONValue.object(withdrawal.dataObject).serialized(), as: UTF8.self)
        let message: JSONValue = [
            "validate_only": false,
            "message": [
                "data": .string(data), "android": ["ttl": .string(ttl(withdrawal.lifetimeSeconds(now: now)))], "token": [.string(token)],
            ],
        ]
        return message.serialized()
    }

    /// The time to live: HMS accepts 1 second to 15 days.
    private static func ttl(_ seconds: UInt64) -> String { "\(min(max(1, seconds), 15 * 86_400))s" }

    private static func androidNotification(_ notification: PushNotification) -> JSONObject {
        // The action of type 3 opens the app.
        var android: JSONObject = [
            "title": .string(notification.title), "body": .string(notification.body), "click_action": ["type": 3],
            "tag": .string(notification.thread),
        ]
        switch notification.sound {
        // Low importance shows the notification without a sound.
        case nil: android.append("LOW", forKey: "importance")
        case "default": android.append(true, forKey: "default_sound")
        case let name?:
            // The default sound is on unless it is turned off, and takes precedence over the name.
            android.append(false, forKey: "default_sound")
            android.append(.string(name), forKey: "sound")
        }
        android.append(notification.androidChannel.map { .string($0) }, unlessMissing: "channel_id")
        // Like `event_time` of FCM.
        android.append(notification.createdTime.map { .string($0) }, unlessMissing: "when")
        android.append(notification.image, unlessMissing: "image")
        return android
    }
}
