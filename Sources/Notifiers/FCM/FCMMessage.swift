internal import Core
internal import JSON

/// The body of a request to FCM HTTP v1 (Firebase, "projects.messages").
///
/// It has no `collapse_key`: of collapsible messages a device gets 20, and then one in three minutes. On the screen a ticket has one notification,
/// which shows its last comment (`tag`) and rings for each; the app can take it away when the chat is opened. Firebase reads `android` for Android's
/// devices and `apns` for Apple's, so that every message has both.
enum FCMMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is none, or the body cannot be made so short.
    /// - Parameters:
    ///   - token: the device's.
    ///   - validateOnly: has the provider check everything and show nothing.
    ///   - now: in Unix milliseconds, for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, validateOnly: Bool = false, nowMilliseconds now: UInt64,
        limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let ttl = "\(notification.lifeSeconds(nowMilliseconds: now))s"
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

    private static func androidNotification(_ notification: PushNotification) -> JSONObject {
        var android: JSONObject = ["tag": .string(notification.thread)]
        android.append(notification.sound.map { .string($0) }, unlessMissing: "sound")
        android.append(notification.androidChannel.map { .string($0) }, unlessMissing: "channel_id")
        android.append(notification.badge.map { .integer(Int64($0)) }, unlessMissing: "notification_count")
        return android
    }

    private static func appleHeaders(_ notification: PushNotification) -> JSONObject {
        // As APNs' own notifiers send them.
        ["apns-expiration": .string("\(notification.apnsExpiration)"), "apns-collapse-id": .string(notification.repetitionID)]
    }

    private static func aps(_ notification: PushNotification) -> JSONObject {
        var aps: JSONObject = ["thread-id": .string(notification.thread)]
        aps.append(notification.sound.map { .string($0) }, unlessMissing: "sound")
        aps.append(notification.badge.map { .integer(Int64($0)) }, unlessMissing: "badge")
        return aps
    }
}
