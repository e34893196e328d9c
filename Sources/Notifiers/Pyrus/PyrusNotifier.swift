package import Core
package import HTTPClient
package import Threading

/// Tells the help desk of the devices that have registered here, in its own SDK's words and within its limits.
///
/// An event says what has happened, perhaps days ago, and the registry what holds: only what still holds when it is tried is told, so that no old
/// registration brings back a token whose owner has signed out.
package final class PyrusNotifier: Notifier {
    private static let responseBodyLimit = 16 * 1024

    /// False: a registration that waits for its turn must not hold up the one that replaces it.
    package var keepsTicketOrder: Bool { false }
    /// As configured.
    package let concurrency: Int
    /// For the life of an event.
    package var retryPolicy: RetryPolicy { .webhook }
    /// As configured.
    package var longestTryMilliseconds: UInt64 { UInt64(destination.timeoutMilliseconds) }

    /// A minute, as push notifiers: settings are mended at the help desk as often as here.
    package var probeAfterMilliseconds: UInt64? { 60_000 }

    private let destination: PyrusDestination
    private let client: Client
    private let monotonicMilliseconds: @Sendable () -> UInt64
    private let unixMilliseconds: @Sendable () -> UInt64
    private let pace: Monitor<PyrusPace>

    /// Makes a notifier.
    /// - Parameters:
    ///   - concurrency: how many calls may be under way.
    ///   - client: stays the caller's to close.
    ///   - pace: shared with the notifier that this one replaces, so that no call overtakes one that still runs there.
    ///   - monotonicMilliseconds: a clock that only goes forward, for the limits.
    ///   - unixMilliseconds: the time, for Retry-After.
    /// - Throws: when the URL cannot be sent.
    package init(
        _ destination: PyrusDestination, concurrency: Int, client: Client, pace: Monitor<PyrusPace>,
        monotonicMilliseconds: @escaping @Sendable () -> UInt64, unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws {
        self.destination = destination
        self.concurrency = concurrency
        self.client = client
        self.pace = pace
        self.monotonicMilliseconds = monotonicMilliseconds
        self.unixMilliseconds = unixMilliseconds
        _ = try request(body: [])
    }

    /// One remedy for every reason, because the help desk documents none.
    package func remedy(for reason: String) -> String {
        "check \"url\" or \"domain\", and that the help desk has this app_id and the address of our authorization"
    }

    /// Relays a registration or its end; comments are not for the help desk, which wrote them.
    package func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard delivery.event.kind != .commentCreated else {
            return completion(DeliveryOutcome(.delivered, reason: "not_for_relay", wasAsked: false))
        }
        guard let registration = try? PyrusRegistration(delivery.event) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        guard registration.holds(for: delivery.device) else {
            return completion(DeliveryOutcome(.delivered, reason: "superseded", wasAsked: false))
        }
        let now = monotonicMilliseconds()
        if let wait = pace.withLock({ $0.admit(registration.key, now: now) }) {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "paced", isAboutDevice: true, wasAsked: false))
        }
        call(registration, completion)
    }

    private func call(_ registration: PyrusRegistration, _ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let securityKey = destination.mintKey(registration.key.appID, registration.key.userID) else {
            return end(
                registration,
                DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "no_key", isAboutDevice: true, wasAsked: false), completion)
        }
        guard let request = try? request(body: registration.body(securityKey: securityKey)) else {
            return end(registration, DeliveryOutcome(.misconfigured, unasked: .requestCannotBeMade), completion)
        }
        client.send(request) { [self] result in
            switch result {
            case .success(let response):
                let now = unixMilliseconds()
                let retryAfter = response.header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, nowMilliseconds: now) }
                completion(PyrusAnswer.of(status: response.status, body: response.body, retryAfter: retryAfter))
            case .failure(let error) where error.isBeforeSending: end(registration, HTTPOutcome.of(error), completion)
            case .failure(let error): completion(HTTPOutcome.of(error))
            }
        }
    }

    /// Ends a call that never reached the help desk.
    private func end(
        _ registration: PyrusRegistration, _ outcome: DeliveryOutcome, _ completion: @escaping @Sendable (DeliveryOutcome) -> Void
    ) {
        pace.withLock { $0.giveBack(registration.key) }
        completion(outcome)
    }

    private func request(body: [UInt8]) throws(ClientRequest.Invalid) -> ClientRequest {
        try ClientRequest(
            .post, destination.url, headers: [("content-type", "application/json; charset=utf-8")], body: body,
            timeoutMilliseconds: destination.timeoutMilliseconds, connectTimeoutMilliseconds: min(destination.timeoutMilliseconds, 5000),
            responseBodyLimit: Self.responseBodyLimit)
    }
}
