internal import Configuration
internal import Core
internal import HTTPClient
internal import HelpDesk
internal import Notifiers
internal import Threading
internal import Time

/// Tells the help desk of the devices that have registered here, in its own SDK's words and within its limits.
///
/// An event says what has happened, perhaps days ago, and the registry what holds: only what still holds when it is tried is told, so that
/// no old registration brings back a token whose owner has signed out.
final class PyrusNotifier: Notifier {
    private static let responseBodyLimit = 16 * 1024

    /// False: a registration that waits for its turn must not hold up the one that replaces it.
    var keepsTicketOrder: Bool { false }
    /// As configured.
    var concurrency: Int { relay.transport.concurrency }
    /// For the life of an event.
    var retryPolicy: RetryPolicy { .webhook }
    /// As configured.
    var longestAttemptMilliseconds: UInt64 { UInt64(relay.transport.timeoutMilliseconds) }

    /// A minute, as push notifiers: settings are mended at the help desk as often as here.
    var probeAfterMilliseconds: UInt64? { 60_000 }

    private let relay: Configuration.Relay
    private let services: RelayServices
    private let client: Client
    private let pace: Monitor<PyrusPace>

    /// Makes a notifier.
    /// - Parameters:
    ///   - client: stays the caller's to close.
    ///   - pace: shared with the notifier that this one replaces, so that no call overtakes one that still runs there.
    /// - Throws: when the URL cannot be sent.
    init(_ relay: Configuration.Relay, _ services: RelayServices, client: Client, pace: Monitor<PyrusPace>) throws {
        self.relay = relay
        self.services = services
        self.client = client
        self.pace = pace
        _ = try request(body: [])
    }

    /// One remedy for every reason, because the help desk documents none.
    func remedy(for reason: String) -> String {
        "check \"url\" or \"domain\", and that the help desk has this app_id and the address of our authorization"
    }

    /// Relays a registration or its end; comments are not for the help desk, which wrote them.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard delivery.event.kind != .commentCreated else {
            return completion(DeliveryOutcome(.delivered, reason: "not_for_relay", wasAsked: false))
        }
        guard let registration = try? PyrusRegistration(delivery.event) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        guard registration.holds(for: delivery.device) else {
            return completion(DeliveryOutcome(.delivered, reason: "superseded", wasAsked: false))
        }
        let now = services.clocks.monotonicMilliseconds()
        if let wait = pace.withLock({ $0.admit(registration.key, now: now) }) {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "paced", isAboutDevice: true, wasAsked: false))
        }
        call(registration, completion)
    }

    private func call(_ registration: PyrusRegistration, _ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let securityKey = services.mintKey(registration.key.appID, registration.key.userID) else {
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
                let now = services.clocks.unixMilliseconds()
                let retryAfter = response.header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, now: now) }
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

    private func request(body: [UInt8]) throws(ClientRequest.Problem) -> ClientRequest {
        try ClientRequest(
            .post, relay.url, headers: [("content-type", "application/json; charset=utf-8")], body: body,
            timeoutMilliseconds: relay.transport.timeoutMilliseconds,
            connectTimeoutMilliseconds: min(relay.transport.timeoutMilliseconds, 5000),
            responseBodyLimit: Self.responseBodyLimit)
    }
}
