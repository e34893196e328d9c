package import Core
package import HTTPClient
package import Time

/// A notifier whose credential can be checked without showing a notification on any device.
package protocol ProvableNotifier: Notifier {
    /// Checks the credential with a request to the provider.
    /// - Parameter completion: called exactly once, on any thread, and must not block. The outcome is `delivered` when the credential is
    ///   valid; otherwise it is the outcome that a delivery would have.
    func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension ProvableNotifier {
    /// One minute, because operators also correct settings at the provider, which this service does not detect otherwise.
    package var probeIntervalMilliseconds: UInt64? { 60_000 }
}

package final class PushNotifier: ProvableNotifier {
    /// False, because a comment that waits for one device must not delay the ticket's messages to other devices.
    package var preservesTicketOrder: Bool { false }
    package let concurrency: Int
    /// The policy that APNs and FCM recommend. The other providers document none.
    package var retryPolicy: RetryPolicy { .push }
    /// Twice the configured timeout.
    package var longestAttemptMilliseconds: UInt64 { sender.longestAttemptMilliseconds }

    private let sender: PushSender

    /// - Parameters:
    ///   - client: created with `clientSettings` of the settings; the caller owns and closes it.
    ///   - monotonicMilliseconds: a monotonic clock, for deadlines and the age of tokens.
    ///   - unixMilliseconds: the wall clock, for tokens, times to live and Retry-After.
    /// - Throws: when a credential is malformed, or a URL or a header cannot be sent.
    package init(
        _ settings: PushSettings, client: Client, monotonicMilliseconds: @escaping @Sendable () -> MonotonicMilliseconds,
        unixMilliseconds: @escaping @Sendable () -> UnixMilliseconds
    ) throws {
        concurrency = settings.transport.concurrency
        sender = try PushSender(
            settings,
            PushContext(
                client: client, timeoutMilliseconds: settings.transport.timeoutMilliseconds,
                monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds))
    }

    static let clockRemedy = LocalizedText(
        "set this machine's clock: it is more than five minutes away from the provider's",
        "установите часы этой машины: они расходятся с часами провайдера больше чем на пять минут")

    /// Returns the provider's remedy, or the remedy for a wrong clock, which is the same for all providers.
    package func remedy(for reason: String) -> String {
        if reason == ProviderTokenFailure.StateReason.clockSkew.rawValue { return Self.clockRemedy.english }
        return sender.provider.remedies[reason] ?? sender.provider.generalRemedy
    }

    /// Sends a comment or a withdrawal. Other events are not for push, and end as delivered without a request.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        sender.deliver(delivery, completion: completion)
    }

    /// Checks the credential with a message to a token that no device has, or with a request for an access token.
    package func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard sender.provider.isProvedByToken, case .minted(let cache) = sender.authorization else { return sender.prove(completion) }
        cache.token { result in
            switch result {
            case .success: completion(DeliveryOutcome(.delivered, reason: NotifierReason.credentialAccepted.rawValue))
            case .failure(let failure): completion(DeliveryOutcome(failure))
            }
        }
    }
}
