import Core
import Time

/// Events that fill a queue, equal to those of the load's webhooks.
enum SampleEvents {
    private static let dayMilliseconds: UInt64 = 86_400_000
    /// The number of tickets, each of a person with a device.
    static let tickets = 5000

    /// A comment for one notifier.
    /// - Parameter token: the token of the device, which is registered when the notifier needs one; nil when it needs none.
    static func comment(_ number: Int, appID: String, notifier: String, type: String, token: PushToken?) -> IncomingEvent {
        let now = SystemClock.unixMilliseconds()
        let ticket = number % tickets
        let comment = Comment(
            appID: appID, userID: "user-\(ticket)", ticketID: HelpDeskID(Int64(ticket)), commentID: HelpDeskID(Int64(number)),
            deviceID: "\(type)-\(ticket)", deviceType: type, body: "Good afternoon! Your order has been sent and arrives on Thursday.",
            author: Comment.Author(name: "Anna", avatarID: 5, avatarColor: "#ff0000"), createdAt: now.seconds.milliseconds, attachments: [])
        let event = Event(comment, id: identifier(now), receivedAt: now, lifetimeMilliseconds: dayMilliseconds)
        let subscription = Subscription(notifier: notifier, deviceTypes: token == nil ? .all : .only([type]), requiresDevice: token != nil)
        return IncomingEvent(event, to: [subscription], token: token)
    }

    private static func identifier(_ milliseconds: UnixMilliseconds) -> UUIDv7 {
        var random = SystemRandomNumberGenerator()
        return UUIDv7(milliseconds: milliseconds, using: &random).event
    }
}
