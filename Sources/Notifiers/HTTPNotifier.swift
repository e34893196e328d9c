package import Core
internal import Crypto
package import HTTPClient

/// Tells of events by signed HTTP requests (Standard Webhooks 1.0).
package struct HTTPNotifier: Notifier {
    /// Where and how one destination is told.
    package struct Destination: Sendable {
        /// The URL that is posted to.
        package let url: String
        /// The secrets that sign, the newest first; several while one replaces another.
        package let secrets: [StandardWebhookSecret]
        /// How long one try may take, in milliseconds.
        package let timeoutMilliseconds: Int

        /// Makes a destination.
        package init(url: String, secrets: [StandardWebhookSecret], timeoutMilliseconds: Int) {
            self.url = url
            self.secrets = secrets
            self.timeoutMilliseconds = timeoutMilliseconds
        }
    }

    /// How much of an answer is read; only its status matters.
    private static let responseBodyLimit = 4096

    /// As configured.
    package let keepsTicketOrder: Bool
    /// As configured.
    package let concurrency: Int
    /// For the life of an event.
    package var retryPolicy: RetryPolicy { .webhook }
    /// As configured.
    package var longestTryMilliseconds: UInt64 { UInt64(destination.timeoutMilliseconds) }

    private let destination: Destination
    private let client: Client
    private let nowMilliseconds: @Sendable () -> UInt64

    /// Makes a notifier.
    /// - Parameters:
    ///   - client: stays the caller's to close.
    ///   - nowMilliseconds: the time, for signatures and Retry-After.
    package init(
        _ destination: Destination, concurrency: Int, keepsTicketOrder: Bool, client: Client,
        nowMilliseconds: @escaping @Sendable () -> UInt64
    ) {
        self.destination = destination
        self.concurrency = concurrency
        self.keepsTicketOrder = keepsTicketOrder
        self.client = client
        self.nowMilliseconds = nowMilliseconds
    }

    /// Posts the event; the delivery's id is the message's on every try.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let request: ClientRequest
        do {
            request = try signedRequest(delivery)
        } catch {
            return completion(DeliveryOutcome(.misconfigured, reason: "request_cannot_be_made", wasAsked: false))
        }
        let now = nowMilliseconds
        client.send(request) { result in
            switch result {
            case .success(let response): completion(HTTPOutcome.of(response, nowMilliseconds: now()))
            case .failure(let error): completion(HTTPOutcome.of(error))
            }
        }
    }

    private func signedRequest(_ delivery: Delivery) throws -> ClientRequest {
        let id = delivery.id.description
        let body = EventBody.bytes(of: delivery)
        let signature = try StandardWebhookSignature(
            id: id, nowMilliseconds: nowMilliseconds(), body: body.span, secrets: destination.secrets)
        return try ClientRequest(
            .post, destination.url,
            headers: [
                ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", signature.timestamp),
                ("webhook-signature", signature.signature),
            ],
            body: body, timeoutMilliseconds: destination.timeoutMilliseconds,
            connectTimeoutMilliseconds: min(destination.timeoutMilliseconds, 5000), responseBodyLimit: Self.responseBodyLimit)
    }
}
