internal import Configuration
internal import Core
internal import HTTPClient
internal import HelpDesk
internal import Notifiers
internal import Threading
internal import Time

/// Reports device registrations to the help desk, with the body that its own SDK sends and within its rate limits.
///
/// An event may be days old, while the registry has the current state. So an attempt reports only what is still current; otherwise an old
/// registration could bring back a token whose owner has signed out.
final class PyrusNotifier: Notifier {
    private static let responseBodyLimit = 16 * 1024

    /// False: a registration that has to wait must not hold up the one that replaces it.
    var keepsTicketOrder: Bool { false }
    /// As configured.
    var concurrency: Int { relay.transport.concurrency }
    /// Retries until the event expires.
    var retryPolicy: RetryPolicy { .webhook }
    /// As configured.
    var longestAttemptMilliseconds: UInt64 { UInt64(relay.transport.timeoutMilliseconds) }

    /// One minute, as for push notifiers: settings are corrected at the help desk as often as here.
    var probeAfterMilliseconds: UInt64? { 60_000 }

    private let relay: Configuration.Relay
    private let services: RelayServices
    private let client: Client
    private let pace: Monitor<PyrusPace>

    /// Makes a notifier.
    /// - Parameters:
    ///     - client: not closed here; the caller owns it.
    ///     - pace: shared with the notifier that this one replaces, so that no call overtakes one that still runs there.
    /// - Throws: when the URL is invalid.
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

    /// Relays a registration or a removal. Comments are not relayed: the help desk wrote them.
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

    /// Ends an attempt whose call never reached the help desk.
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
