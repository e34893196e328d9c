internal import Core
internal import HTTPClient
internal import Threading

/// Sends notifications to one provider: what the notifiers of all of them have in common.
///
/// A try may take several requests: each of the steps that an answer asks for is taken once, and all end by one deadline.
final class PushSender: Sendable {
    private static let responseBodyLimit = 16 * 1024
    private static let longestConnectMilliseconds = 5000

    struct Shared {
        var alarm = MismatchAlarm()
        var delays = DeviceDelays()
    }

    let provider: any PushProvider
    let authorization: PushAuthorization
    let shared = Monitor(Shared())
    let monotonicMilliseconds: @Sendable () -> UInt64
    let unixMilliseconds: @Sendable () -> UInt64
    private let style: PushStyle
    private let client: Client
    private let timeoutMilliseconds: Int

    /// - Parameters:
    ///   - client: stays the caller's to close.
    ///   - timeoutMilliseconds: how long the requests of one try may take together.
    /// - Throws: when the provider's URL or headers cannot be sent.
    init(
        _ provider: any PushProvider, _ authorization: PushAuthorization, style: PushStyle, timeoutMilliseconds: Int, client: Client,
        monotonicMilliseconds: @escaping @Sendable () -> UInt64, unixMilliseconds: @escaping @Sendable () -> UInt64
    ) throws(ClientRequest.Invalid) {
        self.provider = provider
        self.authorization = authorization
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
        self.client = client
        self.monotonicMilliseconds = monotonicMilliseconds
        self.unixMilliseconds = unixMilliseconds
        for route in provider.routes { _ = try request(provider.proof, to: route, .none, timeoutMilliseconds: timeoutMilliseconds) }
    }

    /// How long a try takes at most: its requests, and behind them one that fetches a token or is sent for another delivery first.
    var longestTryMilliseconds: UInt64 { 2 * UInt64(timeoutMilliseconds) }

    /// Tries a delivery.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard delivery.event.kind == .commentCreated else {
            return completion(DeliveryOutcome(.delivered, reason: "not_for_push", wasAsked: false))
        }
        guard let device = delivery.device else { return completion(DeliveryOutcome(.dead, reason: "no_device", wasAsked: false)) }
        guard let comment = try? PushComment(delivery.event) else {
            return completion(DeliveryOutcome(.dead, reason: "unreadable_payload", wasAsked: false))
        }
        let now = monotonicMilliseconds()
        if let wait = shared.withLock({ $0.delays.remaining(device.token, now: now) }) {
            return completion(
                DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: "device_delayed", isAboutDevice: true, wasAsked: false))
        }
        let (provider, notification) = (provider, style.notification(for: comment))
        let route = provider.routes.firstIndex { $0.environment == device.environment } ?? 0
        let render: PushTry.Render = { limit, now throws(PushPayloadError) in
            try provider.message(notification, to: device.token.text, id: delivery.id, limit: limit, nowMilliseconds: now)
        }
        send(PushTry(for: device, route: route, deadline: deadline(now), render: render, completion: completion))
    }

    /// Has the provider judge the credential, in the first environment that it is for.
    func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let proof = provider.proof
        let deadline = deadline(monotonicMilliseconds())
        send(
            PushTry(for: nil, route: 0, deadline: deadline, render: { _, _ in proof }) { outcome in
                switch outcome.verdict {
                // Who judges the device has accepted the sender.
                case .delivered, .deviceGone: completion(DeliveryOutcome(.delivered, reason: "credential_accepted"))
                default: completion(outcome)
                }
            })
    }

    private func deadline(_ now: UInt64) -> UInt64 { now + UInt64(timeoutMilliseconds) }

    /// Sends a try's next request, as soon as its connection may carry it.
    func send(_ attempt: PushTry) {
        guard let gate = provider.routes[attempt.route].gate else {
            return authorize(PushFlight(attempt: attempt, isProbe: false, leave: { _ in }))
        }
        gate.enter { pass in
            self.authorize(PushFlight(attempt: attempt, isProbe: pass.isProbe, leave: { gate.leave(pass, $0) }))
        }
    }

    private func authorize(_ flight: PushFlight) {
        var flight = flight
        switch authorization {
        case .certificate: transmit(flight)
        case .fixed(let secret):
            flight.bearer = .fixed(secret)
            transmit(flight)
        case .minted(let cache):
            cache.token { [flight] result in
                switch result {
                case .success(let token):
                    var flight = flight
                    flight.bearer = .minted(token)
                    self.transmit(flight)
                case .failure(let failure):
                    flight.leave(.unclear)
                    self.end(flight.attempt, DeliveryOutcome(failure))
                }
            }
        }
    }

    private func transmit(_ flight: PushFlight) {
        let attempt = flight.attempt
        let now = monotonicMilliseconds()
        let refusal: DeliveryOutcome
        do {
            guard now < attempt.deadline else { throw ClientError.timeout(.queued) }
            let message = try attempt.message(nowMilliseconds: unixMilliseconds())
            let timeout = Int(attempt.deadline - now)
            // Others wait for a probe, and a push that stalls must not take their time with its own.
            let request = try request(
                message, to: provider.routes[attempt.route], flight.bearer,
                timeoutMilliseconds: flight.isProbe ? max(1, timeout / 2) : timeout)
            client.send(request) { self.take($0, flight) }
            return
        } catch let error as PushPayloadError {
            refusal = error.outcome
        } catch let error as ClientError {
            refusal = ProviderAnswer.of(error).outcome
        } catch {
            refusal = DeliveryOutcome(.misconfigured, reason: "request_cannot_be_made", wasAsked: false)
        }
        flight.leave(.unclear)
        end(attempt, refusal)
    }

    private func request(
        _ message: PushMessage, to route: PushRoute, _ bearer: PushBearer, timeoutMilliseconds: Int
    ) throws(ClientRequest.Invalid) -> ClientRequest {
        try ClientRequest(
            .post, route.url + message.path, headers: message.headers + bearer.headers, body: message.body,
            timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: min(timeoutMilliseconds, Self.longestConnectMilliseconds), responseBodyLimit: Self.responseBodyLimit
        )
    }
}
