package import Core
package import HTTPClient

/// Notifies devices through Huawei's Push Kit.
package final class HMSNotifier: ProvableNotifier {
    /// False: a comment that has to wait does not hold up a ticket's other devices.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// As FCM wants it, since Huawei says nothing.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the destination's time.
    package var longestTryMilliseconds: UInt64 { sender.longestTryMilliseconds }

    private let sender: PushSender
    private let tokens: ProviderTokenCache

    /// Makes a notifier.
    /// - Parameters:
    ///   - concurrency: how many messages may be under way.
    ///   - client: stays the caller's to close; it speaks HTTP/2.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens, times to live and Retry-After.
    /// - Throws: when the URL or the app's id cannot be sent.
    package init(
        _ destination: HMSDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let source = HuaweiTokenSource(
            clientID: destination.appID, clientSecret: destination.secret, url: destination.tokenURL, client: client,
            timeoutMilliseconds: destination.timeoutMilliseconds, unixMilliseconds: unixMilliseconds)
        tokens = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
        self.concurrency = concurrency
        sender = try PushSender(
            HMSProvider(destination), .minted(tokens), style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Sends a comment; other events are not for push.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Fetches an access token, or has one already.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        tokens.token { result in
            switch result {
            case .success: completion(DeliveryOutcome(.delivered, reason: "credential_accepted"))
            case .failure(let failure): completion(DeliveryOutcome(failure))
            }
        }
    }
}
