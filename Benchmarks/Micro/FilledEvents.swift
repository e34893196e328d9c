import Core
import Observability
import Time

/// The events that a queue is filled with: what a webhook of the load would have become.
enum FilledEvents {
    private static let dayMilliseconds: UInt64 = 86_400_000
    /// How many tickets there are, each of a person with a device.
    static let tickets = 5000

    /// A comment for one notifier.
    /// - Parameter token: of the device, which is registered with it when the notifier needs one; nil when it needs none.
    static func comment(_ number: Int, appID: String, notifier: String, type: String, token: PushToken?) -> Arrival {
        let now = SystemClock.unixMilliseconds()
        let (id, user) = (identifier(now), "user-\(number % tickets)")
        let identity = Event.Identity(
            appID: appID, ticketID: Int64(number % tickets), commentID: Int64(number), deviceID: "\(type)-\(number % tickets)")
        let text = WallTime(seconds: Int64(now / 1000)).text
        let data = """
            {"ticket_id":\(number % tickets),"device_id":"\(type)-\(number % tickets)","device_type":"\(type)","comment":{"comment_id":\(number),\
            "body":"Good afternoon! Your order has been sent and arrives on Thursday."},"author":{"name":"Anna","avatar_id":5,\
            "avatar_color":"#ff0000"},"created_at":"\(text)","attachments":[]}
            """
        let event = Event(
            id: id, kind: .commentCreated, identity: identity, userID: user, deviceType: type, occurredAt: now, receivedAt: now,
            expiresAt: now + dayMilliseconds, data: Array(data.utf8))
        let subscription = Subscription(notifier: notifier, deviceTypes: token == nil ? .all : .only([type]), requiresDevice: token != nil)
        return Arrival(event, to: [subscription], token: token)
    }

    private static func identifier(_ milliseconds: UInt64) -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(milliseconds: milliseconds, using: &random).event
    }
}
