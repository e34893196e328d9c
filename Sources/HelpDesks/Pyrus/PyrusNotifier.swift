internal import Configuration
internal import Core
internal import HTTPClient
internal import HelpDesk
internal import Notifiers
internal import Time

/// Reports device registrations to the help desk, with the same body as the help desk's own SDK. The store keeps the calls within the help
/// desk's rate limits (`rateLimits`).
///
/// An event may be days old, while the registry has the current state. So an attempt reports a change only if the registry still contains
/// it; otherwise an old registration could restore a token whose owner has signed out.
final class PyrusNotifier: Notifier {
    /// The window of the help desk's limits.
    static let windowMilliseconds: UInt64 = 300_000
    private static let responseBodyLimit = 16 * 1024

    /// False: a waiting registration must not delay the one that replaces it.
    var preservesTicketOrder: Bool { false }
    var concurrency: Int { relay.transport.concurrency }
    var retryPolicy: RetryPolicy { .webhook }
    var longestAttemptMilliseconds: UInt64 { UInt64(relay.transport.timeoutMilliseconds) }

    /// The help desk's limits: one call for a user, five for an installation of an app.
    let rateLimits = [
        OutboundRateLimit(per: .person, max: 1, windowMilliseconds: windowMilliseconds),
        OutboundRateLimit(per: .device, max: 5, windowMilliseconds: windowMilliseconds),
    ]

    /// One minute, as for push notifiers: settings are corrected at the help desk as often as in Deskgate.
    var probeIntervalMilliseconds: UInt64? { 60_000 }

    private let relay: Configuration.Relay
    private let services: RelayServices
    private let client: Client

    /// - Parameter client: owned by the caller, who closes it.
    /// - Throws: when the URL is invalid.
    init(_ relay: Configuration.Relay, _ services: RelayServices, client: Client) throws {
        self.relay = relay
        self.services = services
        self.client = client
        _ = try request(body: [])
    }

    /// One remedy for every reason, because the help desk documents none.
    func remedy(for reason: String) -> String {
        "check \"url\" or \"domain\", and that the help desk has this app_id and the URL of Deskgate's authorization"
    }

    /// Relays a registration or a removal. Comments are not relayed, because the help desk wrote them.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard !delivery.event.kind.isForDevices else {
            return completion(DeliveryOutcome(.delivered, reason: "not_for_relay", calledReceiver: false))
        }
        guard let change = RegistryChange.Payload(delivery.event) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        guard change.holds(for: delivery.device) else {
            return completion(DeliveryOutcome(.delivered, reason: "superseded", calledReceiver: false))
        }
        call(PyrusRegistration(change, of: delivery.event), completion)
    }

    private func call(_ registration: PyrusRegistration, _ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let securityKey = services.mintKey(registration.key.appID, registration.key.userID) else {
            return completion(
                DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "no_key", isAboutDevice: true, calledReceiver: false))
        }
        guard let request = try? request(body: registration.body(securityKey: securityKey)) else {
            return completion(DeliveryOutcome(.misconfigured, unasked: .requestCannotBeMade))
        }
        client.send(request) { [self] result in
            switch result {
            case .success(let response):
                let now = services.clocks.unixMilliseconds()
                let retryAfter = response.header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, now: now) }
                completion(PyrusAnswer.of(status: response.status, body: response.body, retryAfter: retryAfter))
            case .failure(let error): completion(HTTPOutcome.of(error))
            }
        }
    }

    private func request(body: [UInt8]) throws(ClientRequest.Problem) -> ClientRequest {
        try ClientRequest(
            .post, relay.url ?? "", headers: [("content-type", "application/json; charset=utf-8")], body: body,
            timeoutMilliseconds: relay.transport.timeoutMilliseconds,
            connectTimeoutMilliseconds: min(relay.transport.timeoutMilliseconds, ClientRequest.defaultConnectTimeoutMilliseconds),
            responseBodyLimit: Self.responseBodyLimit)
    }
}
