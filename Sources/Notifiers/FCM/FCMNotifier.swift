package import Core
package import HTTPClient

/// Notifies devices through Firebase Cloud Messaging.
package final class FCMNotifier: ProvableNotifier {
    /// False: a comment that has to wait does not hold up a ticket's other devices.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// As FCM wants it.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the destination's time.
    package var longestTryMilliseconds: UInt64 { sender.longestTryMilliseconds }

    private let sender: PushSender

    /// Makes a notifier.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens, times to live and Retry-After.
    /// - Throws: when the URL cannot be sent.
    package init(
        _ destination: FCMDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = GoogleTokenSource(
            destination.account, client: client, timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        let cache = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.concurrency = concurrency
        sender = try PushSender(
            FCMProvider(url: destination.url, projectID: destination.account.projectID) {
                FCMAnswer.of(status: $0, body: $1, retryAfter: $2)
            },
            .minted(cache), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds, client: client,
            monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Sends a comment; other events are not for push.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Has FCM check a message to a token that no device has.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.prove(completion)
    }
}
