internal import Core
internal import Crypto
internal import Time

/// A webhook's event for the store, with the app in whose metrics it is counted.
struct IncomingWebhook {
    let app: WebhookApps.App
    let incoming: IncomingEvent

    /// - Throws: when OpenSSL fails.
    init(
        _ comment: Comment, _ proven: WebhookIntake.Proven, to subscriptions: [Subscription], receivedAt: UnixMilliseconds,
        lifetimeMilliseconds: UInt64, random: RandomPool, trace: TraceContext?
    ) throws(WebhookIntake.Refusal) {
        let event = Event(
            comment, id: try Self.newID(receivedAt, random), receivedAt: receivedAt, lifetimeMilliseconds: lifetimeMilliseconds,
            trace: trace)
        app = proven.app
        incoming = IncomingEvent(event, to: subscriptions, token: proven.token)
    }

    private static func newID(_ milliseconds: UnixMilliseconds, _ random: RandomPool) throws(WebhookIntake.Refusal) -> UUIDv7 {
        do throws(CryptoError) {
            return try UUIDv7(milliseconds: milliseconds, from: random).event
        } catch {
            throw .failed(error)
        }
    }
}
