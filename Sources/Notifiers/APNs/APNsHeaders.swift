internal import Core

/// The headers of a notification for APNs (Apple, "Sending notification requests to APNs"), beside the authorization.
struct APNsHeaders: Sendable {
    /// Names and values.
    let pairs: [(name: String, value: String)]

    /// Makes the headers of one delivery, the same on every try.
    ///
    /// The collapse id is the comment's: a repetition replaces what is on the screen already, and two comments never replace each other. A ticket's
    /// would hide all but the last one.
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
    /// Until when APNs may keep it, in Unix seconds: 0 would ask for one try and no storing.
    var apnsExpiration: UInt64 { max(1, expiresAt / 1000) }
}
