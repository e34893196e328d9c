package import Core
package import Crypto
package import HTTPClient
internal import JSON
package import Time

/// A receiver of events, with its URL and secrets.
package struct HTTPDestination: Sendable, Equatable {
    /// The URL to post to: `https`, or `http` where that is allowed; no user, no fragment.
    package var url: String
    /// The secrets that sign, as text (`whsec_` and base64), the newest first; several during a replacement, never none.
    package var secrets: [SecretBytes]
    /// Whether the deliveries of a ticket are attempted in order, one at a time.
    package var preservesTicketOrder: Bool
    package var transport: NotifierTransport

    package init(url: String, secrets: [SecretBytes], preservesTicketOrder: Bool, transport: NotifierTransport) {
        self.url = url
        self.secrets = secrets
        self.preservesTicketOrder = preservesTicketOrder
        self.transport = transport
    }
}

/// Posts events to a receiver in signed HTTP requests (Standard Webhooks 1.0).
package struct HTTPNotifier: Notifier {
    package var preservesTicketOrder: Bool { destination.preservesTicketOrder }
    package var concurrency: Int { destination.transport.concurrency }
    /// Retries for about a day, the lifetime of an event.
    package var retryPolicy: RetryPolicy { .webhook }
    package var longestAttemptMilliseconds: UInt64 { UInt64(destination.transport.timeoutMilliseconds) }

    package let tracedServer: ServerAddress?

    private let destination: HTTPDestination
    private let secrets: [StandardWebhookSecret]
    private let client: Client
    private let now: @Sendable () -> UnixMilliseconds

    /// - Parameters:
    ///   - client: owned and closed by the caller.
    ///   - now: the wall clock, for signatures and Retry-After.
    /// - Throws: the fault in the first malformed secret.
    package init(
        _ destination: HTTPDestination, client: Client, now: @escaping @Sendable () -> UnixMilliseconds
    ) throws(StandardWebhookSecret.Problem) {
        self.destination = destination
        tracedServer = ServerAddress(url: destination.url)
        secrets = try destination.secrets.map { text throws(StandardWebhookSecret.Problem) in
            try text.withSpan { span throws(StandardWebhookSecret.Problem) in try StandardWebhookSecret(span) }
        }
        self.client = client
        self.now = now
    }

    /// The remedy for a receiver that rejects the signature. Usually its secret is right, and it verifies another body than it received.
    /// - Parameter name: the notifier's.
    package static func signatureRemedy(of name: String) -> LocalizedText {
        let command =
            "deskgate webhook verify --notifier \(name) --body FILE --id VALUE --timestamp VALUE --signature VALUE --explain"
        return LocalizedText(
            """
            keep the body and the headers that it verifies: \(command) tells whether it has another body, or another secret than \
            "secret" names
            """,
            """
            сохраните тело и заголовки, которые он проверяет: \(command) покажет, другое ли у него тело или секрет не тот, на который \
            указывает "secret"
            """)
    }

    /// The receiver has answered 410.
    package func remedy(for reason: String) -> String { Self.goneRemedy.english }

    static let goneRemedy = LocalizedText(
        "its receiver accepts no more events; ask its operator, then \(LocalizedText.reload)",
        "получатель больше ничего не хочет; спросите того, кто его обслуживает, затем \(LocalizedText.reload)")

    /// Posts the event. Every attempt has the delivery's id as its message id, so that receivers can deduplicate.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let request: ClientRequest
        do {
            request = try signedRequest(delivery)
        } catch {
            return completion(DeliveryOutcome(.misconfigured, unasked: .requestCannotBeMade))
        }
        let now = now
        client.send(request) { result in
            switch result {
            case .success(let response): completion(HTTPOutcome.of(response, now: now()))
            case .failure(let error): completion(HTTPOutcome.of(error))
            }
        }
    }

    private func signedRequest(_ delivery: Delivery) throws -> ClientRequest {
        let id = delivery.id.description
        let body = EventBody.bytes(of: delivery)
        let signature = try StandardWebhookSignature(
            id: id, now: now(), body: body.span, secrets: secrets)
        return try ClientRequest(
            .post, destination.url,
            headers: [
                ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", signature.timestamp),
                ("webhook-signature", signature.signature),
            ] + (delivery.attempt.map { [("\(TraceContext.header)", $0.traceparent)] } ?? []),
            body: body, timeoutMilliseconds: destination.transport.timeoutMilliseconds,
            connectTimeoutMilliseconds: min(destination.transport.timeoutMilliseconds, ClientRequest.defaultConnectTimeoutMilliseconds),
            needsOnlyHead: true)
    }
}

/// The body of the requests for a delivery.
package enum EventBody {
    /// The approximate size in bytes that a body adds to the event's data.
    private static let fixedSize = 512

    /// The event as JSON, the same on every attempt. If the delivery is about a comment for a registered device, the last member of `data`
    /// is `target` with the device's `device_id`, `type` and `token`, unmasked.
    package static func bytes(of delivery: Delivery) -> [UInt8] {
        let event = delivery.event
        var writer = JSONWriter(capacity: fixedSize + event.data.count)
        writer.beginObject()
        writer.add("id", event.id.description)
        writer.add("type", event.kind.rawValue)
        writer.add("occurred_at", RFC3339.text(event.occurredAt))
        writer.add("app_id", event.identity.appID)
        writer.add("user_id", event.userID)
        writer.beginObject("data", membersOf: event.data)
        if event.kind.isForDevices, let device = delivery.device { add(device, to: &writer) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func add(_ device: Device, to writer: inout JSONWriter) {
        writer.beginObject("target")
        writer.add("device_id", device.key.deviceID)
        writer.add("type", device.type)
        writer.add("token", device.token.text)
        writer.endObject()
    }
}
