internal import Core
internal import JSON
internal import Time

/// The body of a request to RuStore (RuStore, "Sending push notifications"): FCM's, with no member that RuStore does not document.
///
/// There is no priority, sound, badge or `tag`: the app's notification channel rings, and each comment has its own notification.
enum RuStoreMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is malformed or the body cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the device's.
    ///   - now:, for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, now: UnixMilliseconds, limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        var android: JSONObject = ["ttl": .string("\(notification.lifeSeconds(now: now))s")]
        android.append(notification.androidChannel.map { ["channel_id": .string($0)] }, unlessMissing: "notification")
        return try notification.message(limit: limit) { notification in
            [
                "message": [
                    "token": .string(token),
                    "notification": ["title": .string(notification.title), "body": .string(notification.body)],
                    "data": .object(notification.dataObject), "android": .object(android),
                ]
            ]
        }
    }
}
