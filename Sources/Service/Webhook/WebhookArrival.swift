internal import Core
internal import Crypto

/// An event as it is handed to the store, with the app that it counts for.
struct WebhookArrival {
    let app: WebhookApps.App
    let arrival: Arrival

    /// Names the event, and renders what notifiers are told.
    /// - Parameters:
    ///   - subscriptions: whom it goes to.
    ///   - receivedAt: in Unix milliseconds.
    ///   - random: for the ids.
    ///   - lifeMilliseconds: how long after its arrival it is delivered; what the help desk says of the time may be wrong, and must not
    ///     end or lengthen it.
    /// - Throws: when OpenSSL fails.
    init(
        _ proven: WebhookIntake.Proven, to subscriptions: [Subscription], receivedAt: UInt64, lifeMilliseconds: UInt64, random: RandomPool
    ) throws(WebhookIntake.Refusal) {
        let comment = proven.comment
        let id = try Self.newID(receivedAt, random)
        let occurredAt = comment.createdAt ?? receivedAt
        let event = Event(
            id: id, kind: .commentCreated,
            identity: Event.Identity(
                appID: comment.appID, ticketID: comment.ticketID, commentID: comment.commentID, deviceID: comment.deviceID),
            userID: comment.userID, deviceType: comment.deviceType, occurredAt: occurredAt, receivedAt: receivedAt,
            expiresAt: receivedAt + lifeMilliseconds,
            data: comment.data(occurredAt: occurredAt))
        app = proven.app
        arrival = Arrival(event, to: subscriptions, token: proven.token)
    }

    private static func newID(_ milliseconds: UInt64, _ random: RandomPool) throws(WebhookIntake.Refusal) -> UUIDv7 {
        do throws(CryptoError) {
            return try UUIDv7(milliseconds: milliseconds, from: random).event
        } catch {
            throw .failed(error)
        }
    }
}
