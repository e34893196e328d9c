package import Core
package import HTTPClient

/// Notifies devices through Apple's Push Notification service.
///
/// A connection is first given one push, and the others when that has been answered. A token that one environment doesn't know is tried in the
/// other, and the outcome says which took it.
package final class APNsNotifier: ProvableNotifier {
    /// False: of a ticket's notifications iOS shows all.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// As APNs wants it.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the destination's time.
    package var longestTryMilliseconds: UInt64 { sender.longestTryMilliseconds }

    private let sender: PushSender

    /// Makes a notifier.
    /// - Parameters:
    ///   - concurrency: how many pushes may be under way.
    ///   - client: stays the caller's to close. It speaks HTTP/2, opens one connection a host, since Apple wants few, and with a credential of
    ///     `.certificate` shows that certificate.
    ///   - monotonicMilliseconds: a clock that only goes forward, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the time, for tokens and Retry-After.
    /// - Throws: when a URL or the topic cannot be sent.
    package init(
        _ destination: APNsDestination, concurrency: Int, client: Client, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        let authorization: PushAuthorization =
            switch destination.credential {
            case .certificate: .certificate
            case .token(let key, let keyID, let teamID):
                .minted(
                    ProviderTokenCache(
                        APNsTokenSource(key: key, keyID: keyID, teamID: teamID), policy: .apns,
                        monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds))
            }
        self.concurrency = concurrency
        sender = try PushSender(
            APNsProvider(destination), authorization, style: destination.style, timeoutMilliseconds: destination.timeoutMilliseconds,
            client: client, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }

    /// Sends a comment; other events are not for push.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Sends to a token that no device has: when that is all that APNs finds wrong, the credential is good.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.prove(completion)
    }
}
