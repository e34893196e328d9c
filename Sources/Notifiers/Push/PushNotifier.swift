package import Core

/// Notifies devices through a push provider; each provider has an initializer of its own, by its destination.
package final class PushNotifier: ProvableNotifier {
    /// False: a comment that has to wait does not hold up a ticket's other devices.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// As APNs and FCM want it; the others say nothing.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the destination's time.
    package var longestTryMilliseconds: UInt64 { sender.longestTryMilliseconds }

    private let sender: PushSender
    private let provingTokens: ProviderTokenCache?

    /// - Parameters:
    ///   - concurrency: how many pushes may be under way.
    ///   - tokens: of a provider that proves the credential by handing out a token; nil where it judges a message that nobody sees.
    init(_ sender: PushSender, concurrency: Int, provenBy tokens: ProviderTokenCache? = nil) {
        self.sender = sender
        self.concurrency = concurrency
        provingTokens = tokens
    }

    /// Sends a comment; other events are not for push.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Has the provider judge a message to a token that no device has, or hand out an access token.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let provingTokens else { return sender.prove(completion) }
        provingTokens.token { result in
            switch result {
            case .success: completion(DeliveryOutcome(.delivered, reason: "credential_accepted"))
            case .failure(let failure): completion(DeliveryOutcome(failure))
            }
        }
    }
}
