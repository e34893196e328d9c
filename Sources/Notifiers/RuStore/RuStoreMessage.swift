internal import Core
internal import JSON
internal import Time

/// The body of a request to RuStore (RuStore, "Sending push notifications"): that of FCM without the members that RuStore does not
/// document.
///
/// There is no priority, sound, badge or `tag`: the app's notification channel sets the sound, and each comment has its own notification.
enum RuStoreMessage {
    /// The body as JSON text.
    ///
    /// Throws when the token is malformed or the body cannot be shortened to the limit.
    /// - Parameters:
    ///   - token: the push token of the device.
    ///   - now: used for the time to live.
    ///   - limit: in bytes.
    static func body(
        _ notification: PushNotification, token: String, now: UnixMilliseconds, limit: Int = PushNotification.largestPayload
    ) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let ttl = "\(notification.lifetimeSeconds(now: now))s"
        return try notification.message(limit: limit) { notification in
            var android: JSONObject = ["ttl": .string(ttl)]
            android.append(androidNotification(notification), unlessMissing: "notification")
            return [
                "message": [
                    "token": .string(token),
                    "notification": ["title": .string(notification.title), "body": .string(notification.body)],
                    "data": .object(notification.dataObject), "android": .object(android),
                ]
            ]
        }
    }

    /// A message without `notification`; RuStore's SDK does not display it (RuStore, `onMessageReceived`).
    static func body(_ withdrawal: PushWithdrawal, token: String, now: UnixMilliseconds) throws(PushPayloadError) -> [UInt8] {
        guard OpaqueToken.isValid(token) else { throw .invalidToken }
        let message: JSONValue = [
            "message": [
                "token": .string(token), "data": .object(withdrawal.dataObject),
                "android": ["ttl": .string("\(withdrawal.lifetimeSeconds(now: now))s")],
            ]
        ]
        return message.serialized()
    }

    private static func androidNotification(_ notification: PushNotification) -> JSONValue? {
        var android = JSONObject()
        android.append(notification.androidChannel.map { .string($0) }, unlessMissing: "channel_id")
        android.append(notification.image, unlessMissing: "image")
        return android.members.isEmpty ? nil : .object(android)
    }
}
