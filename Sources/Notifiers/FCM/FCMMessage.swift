internal import Core
internal import JSON
internal import Time

/// The body of a request to FCM HTTP v1 (Firebase, "projects.messages").
///
/// It has no `collapse_key`, because FCM delivers only 20 collapsible messages to a device at once, and then one every three minutes.
/// Because of the `tag`, each ticket has one notification on the screen, which shows the last comment and sounds for each; the app can
/// remove it when the chat is opened. FCM reads `android` for Android devices and `apns` for Apple's, so every message has both.
enum FCMMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is malformed or the body cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the push token of the device.
    ///   - validateOnly: makes the provider check the message without delivering it.
    ///   - now: used for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, validateOnly: Bool = false, now: UnixMilliseconds,
        limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let ttl = "\(notification.lifetimeSeconds(now: now))s"
        return try notification.message(limit: limit) { notification in
            [
                "validate_only": .bool(validateOnly),
                "message": [
                    "token": .string(token),
                    "notification": ["title": .string(notification.title), "body": .string(notification.body)],
                    "data": .object(notification.dataObject),
                    "android": ["priority": "HIGH", "ttl": .string(ttl), "notification": .object(androidNotification(notification))],
                    "apns": ["headers": .object(appleHeaders(notification)), "payload": ["aps": .object(aps(notification))]],
                ],
            ]
        }
    }

    /// A data message, which no device shows. Its priority is normal, because FCM lowers the priority of an app whose urgent messages show
    /// nothing.
    static func body(_ withdrawal: PushWithdrawal, token: String, now: UnixMilliseconds) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let headers = JSONObject(texts: withdrawal.appleHeaders.map { ($0.name, $0.value) })
        let message: JSONValue = [
            "message": [
                "token": .string(token), "data": .object(withdrawal.dataObject),
                "android": ["priority": "NORMAL", "ttl": .string("\(withdrawal.lifetimeSeconds(now: now))s")],
                "apns": ["headers": .object(headers), "payload": ["aps": PushWithdrawal.aps]],
            ]
        ]
        return message.serialized()
    }

    private static func androidNotification(_ notification: PushNotification) -> JSONObject {
        var android: JSONObject = ["tag": .string(notification.thread)]
        android.append(notification.sound.map { .string($0) }, unlessMissing: "sound")
        android.append(notification.androidChannel.map { .string($0) }, unlessMissing: "channel_id")
        android.append(notification.badge.map { .integer(Int64($0)) }, unlessMissing: "notification_count")
        // For a notification on the screen, Android passes this time to the app as `Notification.when`, but does not pass the data.
        android.append(notification.createdTime.map { .string($0) }, unlessMissing: "event_time")
        android.append(notification.image, unlessMissing: "image")
        return android
    }

    private static func appleHeaders(_ notification: PushNotification) -> JSONObject {
        // The same values as in `APNsHeaders`.
        ["apns-expiration": .string("\(notification.apnsExpiration)"), "apns-collapse-id": .string(notification.repetitionID)]
    }

    private static func aps(_ notification: PushNotification) -> JSONObject {
        var aps: JSONObject = ["thread-id": .string(notification.thread)]
        aps.append(notification.sound.map { .string($0) }, unlessMissing: "sound")
        aps.append(notification.badge.map { .integer(Int64($0)) }, unlessMissing: "badge")
        aps.append(notification.mutableContent, unlessMissing: "mutable-content")
        return aps
    }
}
