internal import Core
internal import HTTPClient
internal import Threading
internal import Time

/// Sends notifications to one provider: the code that all providers share.
///
/// An attempt may take several requests. Each step that an answer requires is taken at most once, and all requests share one deadline.
final class PushSender: Sendable {
    private static let responseBodyLimit = 16 * 1024

    struct Shared {
        var alarm = CredentialMismatchDetector()
        var delays = DeviceDelays()
    }

    let provider: any PushProvider
    let authorization: PushAuthorization
    let context: PushContext
    let shared = Monitor(Shared())
    private let style: PushStyle

    /// - Throws: when a credential is malformed, or the provider's URL or headers cannot be sent.
    init(_ settings: PushSettings, _ context: PushContext) throws {
        (provider, authorization) = try settings.provider.open(context)
        style = settings.style
        self.context = context
        for environment in provider.environments {
            _ = try request(provider.proof, to: environment, .none, timeoutMilliseconds: context.timeoutMilliseconds)
        }
    }

    /// The maximum duration of an attempt in milliseconds. The attempt may wait one timeout for a token or for the probe of another
    /// delivery, before it sends its own requests.
    var longestAttemptMilliseconds: UInt64 { 2 * UInt64(context.timeoutMilliseconds) }

    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let event = delivery.event
        let isWithdrawal = event.kind == .conversationSeen && style.withdraws
        guard event.kind.isForDevices || isWithdrawal else {
            return completion(DeliveryOutcome(.delivered, unasked: .notForPush))
        }
        guard let device = delivery.device else { return completion(DeliveryOutcome(.dead, unasked: .noDevice)) }
        guard let render = isWithdrawal ? withdrawal(delivery, device) : comment(delivery, device) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        let now = context.monotonicMilliseconds()
        if let wait = shared.withLock({ $0.delays.remaining(device.token, now: now) }) {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: wait), unasked: .deviceDelayed, isAboutDevice: true))
        }
        let environment = provider.environments.firstIndex { $0.name == device.environment } ?? 0
        let end: PushAttempt.Completion = { completion(isWithdrawal ? $0.asWithdrawal : $0) }
        send(PushAttempt(for: device, environment: environment, deadline: deadline(now), render: render, completion: end))
    }

    /// - Returns: nil when the event cannot be read.
    private func comment(_ delivery: Delivery, _ device: Device) -> PushAttempt.Render? {
        let event = delivery.event
        guard let comment = Comment(event) else { return nil }
        let notification = style.notification(
            for: comment, eventID: event.id, createdAt: min(event.occurredAt, event.receivedAt), expiresAt: event.expiresAt)
        return { [provider] limit, now throws(PushPayloadError) in
            try provider.message(notification, to: device.token.text, id: delivery.id, limit: limit, now: now)
        }
    }

    /// - Returns: nil when the event cannot be read.
    private func withdrawal(_ delivery: Delivery, _ device: Device) -> PushAttempt.Render? {
        guard let withdrawal = PushWithdrawal(delivery.event) else { return nil }
        return { [provider] _, now throws(PushPayloadError) in
            try provider.message(withdrawal, to: device.token.text, id: delivery.id, now: now)
        }
    }

    /// Checks the credential in the first environment for which it is valid.
    func prove(_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let proof = provider.proof
        let deadline = deadline(context.monotonicMilliseconds())
        send(
            PushAttempt(for: nil, environment: 0, deadline: deadline, render: { _, _ in proof }) { outcome in
                switch outcome.verdict {
                // An answer about the device proves that the provider has accepted the sender.
                case .delivered, .deviceGone:
                    completion(DeliveryOutcome(.delivered, reason: NotifierReason.credentialAccepted.rawValue))
                default: completion(outcome)
                }
            })
    }

    private func deadline(_ now: MonotonicMilliseconds) -> MonotonicMilliseconds { now + UInt64(context.timeoutMilliseconds) }

    /// Sends the next request of an attempt when the environment's gate admits it.
    func send(_ attempt: PushAttempt) {
        guard let gate = provider.environments[attempt.environment].gate else {
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
        let now = context.monotonicMilliseconds()
        let refusal: DeliveryOutcome
        do {
            guard now < attempt.deadline else { throw ClientError.timeout(.queued) }
            let message = try attempt.message(now: context.unixMilliseconds())
            let timeout = Int(attempt.deadline - now)
            // Other attempts wait for a probe. Half of the timeout leaves them time for their own requests if the probe stalls.
            let request = try request(
                message, to: provider.environments[attempt.environment], flight.bearer,
                timeoutMilliseconds: flight.isProbe ? max(1, timeout / 2) : timeout)
            context.client.send(request) { self.take($0, flight) }
            return
        } catch let error as PushPayloadError {
            refusal = error.outcome
        } catch let error as ClientError {
            refusal = ProviderAnswer.of(error).outcome
        } catch {
            refusal = DeliveryOutcome(.misconfigured, unasked: .requestCannotBeMade)
        }
        flight.leave(.unclear)
        end(attempt, refusal)
    }

    private func request(
        _ message: PushMessage, to environment: PushEnvironment, _ bearer: PushBearer, timeoutMilliseconds: Int
    ) throws(ClientRequest.Problem) -> ClientRequest {
        try ClientRequest(
            .post, environment.url + message.path, headers: message.headers + bearer.headers, body: message.body,
            timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: min(timeoutMilliseconds, ClientRequest.defaultConnectTimeoutMilliseconds),
            responseBodyLimit: Self.responseBodyLimit)
    }
}
