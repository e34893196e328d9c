package import Core
package import HTTPClient

/// Notifies devices through RuStore.
package final class RuStoreNotifier: ProvableNotifier {
    /// False: a comment that has to wait does not hold up a ticket's other devices.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// As FCM wants it, whose place it takes.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the destination's time.
    package var longestTryMilliseconds: UInt64 { sender.longestTryMilliseconds }

    private let sender: PushSender

    /// Makes a notifier.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines.
    ///   - unixMilliseconds: the time, for times to live and Retry-After.
    /// - Throws: when the URL, the project or the token cannot be sent.
    package init(
        _ destination: RuStoreDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        self.concurrency = concurrency
        sender = try PushSender(
            FCMProvider(url: destination.url, projectID: destination.projectID) { RuStoreAnswer.of(status: $0, body: $1, retryAfter: $2) },
            .fixed(destination.token), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds, client: client,
            monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Sends a comment; other events are not for push.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Has RuStore check a message to a token that no device has. It tells a wrong project and a wrong device in the same words, so that only
    /// the service token is proved.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.prove(completion)
    }
}
