internal import Core
internal import JSON
internal import Time

/// The body of a notification for APNs (Apple, "Generating a remote notification").
enum APNsPayload {
    /// The body as JSON text.
    ///
    /// Throws when the body cannot be shortened to the limit.
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
        aps.append(notification.mutableContent, unlessMissing: "mutable-content")
        return aps
    }
}

/// The headers of a notification for APNs (Apple, "Sending notification requests to APNs"), without the authorization.
struct APNsHeaders: Sendable {
    let pairs: [(name: String, value: String)]

    /// Makes the headers of one delivery, the same on every attempt.
    ///
    /// The collapse id is derived from the comment: a repetition replaces the notification on the screen, and two comments never replace
    /// each other. With one collapse id for each ticket, the last comment would hide all others.
    /// - Parameter topic: the app's bundle id.
    init(topic: String, deliveryID: UUIDv7, _ notification: PushNotification) {
        pairs = [
            ("apns-topic", topic), ("apns-push-type", "alert"), ("apns-priority", "10"),
            ("apns-expiration", "\(notification.apnsExpiration)"), ("apns-collapse-id", notification.repetitionID),
            ("apns-id", deliveryID.description),
        ]
    }
}

extension PushNotification {
    /// The time until which APNs may store the notification; never 0, which would mean one attempt without storing.
    var apnsExpiration: UnixSeconds { max(1, expiresAt.seconds) }
}
