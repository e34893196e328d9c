internal import Core
internal import JSON

/// The body of a notification for APNs (Apple, "Generating a remote notification").
enum APNsPayload {
    /// The body as JSON text.
    ///
    /// Throws when it cannot be made so short.
    /// - Parameter limit: in bytes.
    static func body(_ notification: PushNotification, limit: Int = PushNotification.largestPayload) throws(PushPayloadError) -> [UInt8] {
        try notification.message(limit: limit) { notification in
            var root: JSONObject = ["aps": .object(aps(notification))]
            for (key, value) in notification.data { root.append(.string(value), forKey: key) }
            return .object(root)
        }
    }

    private static func aps(_ notification: PushNotification) -> JSONObject {
        var aps: JSONObject = ["alert": ["title": .string(notification.title), "body": .string(notification.body)]]
        aps.append(notification.sound.map { .string($0) }, unlessMissing: "sound")
        aps.append(notification.badge.map { .integer(Int64($0)) }, unlessMissing: "badge")
        aps.append(.string(notification.thread), forKey: "thread-id")
        return aps
    }
}
