internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import HelpDesk
internal import JSON
internal import Notifiers
internal import Time

/// Relays registrations to Sendbird's registry of push tokens, and ends the session tokens of users whose keys were revoked. Requests to
/// Sendbird use the tokens of the event's app.
///
/// An event may be days old, while Deskgate's registry has the current state. An attempt therefore relays only changes that are still
/// current. Otherwise an old registration could restore a token whose owner has signed out. Registrations of one user are relayed in order.
/// Sendbird stores tokens without devices, so a token that its device no longer uses is removed, even if the device has a new one.
final class SendbirdNotifier: Notifier {
    private struct App: Sendable {
        let platform: PlatformClient
        let relaysRegistrations: Bool
    }

    /// The maximum number of requests of one attempt, each of which may use every token of the app: removal of the replaced token,
    /// registration, creation of the user, and a second registration.
    private static let requestsPerAttempt = 4

    var preservesTicketOrder: Bool { true }
    var concurrency: Int { relay.transport.concurrency }
    var retryPolicy: RetryPolicy { .webhook }
    var longestAttemptMilliseconds: UInt64 {
        UInt64(Self.requestsPerAttempt) * (apps.values.map(\.platform.longestMilliseconds).max() ?? 0)
    }
    /// One minute, as for push notifiers, because operators also correct settings at Sendbird, which this service does not detect
    /// otherwise.
    var probeIntervalMilliseconds: UInt64? { 60_000 }

    private let relay: Configuration.Relay
    private let services: RelayServices
    private let apps: [ByteKey: App]

    init(_ relay: Configuration.Relay, _ services: RelayServices, client: Client) {
        self.relay = relay
        self.services = services
        let apps = relay.apps.map { app in
            let platform = PlatformClient(
                .chat, baseURL: app.url, tokens: app.tokens, timeoutMilliseconds: relay.transport.timeoutMilliseconds,
                clocks: services.clocks, observer: nil
            ) { client.send($0, completion: $1) }
            return (ByteKey(app.id), App(platform: platform, relaysRegistrations: app.relaysRegistrations))
        }
        self.apps = Dictionary(apps) { first, _ in first }
    }

    /// Returns the same remedy for every reason, because Sendbird rejects only tokens permanently.
    func remedy(for reason: String) -> String {
        "set a token that is valid in apps[].sendbird.chat_token, check chat_url, and \(LocalizedText.reload.english)"
    }

    /// Relays a registration or a removal, or ends sessions. Comments are not relayed, because they come from the help desk.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let event = delivery.event
        guard let app = apps[ByteKey(event.identity.appID)] else {
            return completion(DeliveryOutcome(.dead, reason: "unknown_app", calledReceiver: false))
        }
        guard PlatformRequest.isAddressable(event.userID) else {
            return completion(DeliveryOutcome(.dead, unasked: .requestCannotBeMade))
        }
        switch event.kind {
        case .userSignedOut, .userForgotten: endSessions(event, app: app, completion: completion)
        case .pushTokenRegistered, .pushTokenRemoved:
            guard app.relaysRegistrations else { return completion(Self.notForRelay) }
            // A customer's device must not receive the pushes for support agents.
            guard !SupportAccount.resemblesSupport(event.userID) else {
                return completion(DeliveryOutcome(.dead, unasked: .requestCannotBeMade))
            }
            passOn(delivery, app: app, completion: completion)
        default: completion(Self.notForRelay)
        }
    }

    private static let notForRelay = DeliveryOutcome(.delivered, reason: "not_for_relay", calledReceiver: false)
    private static let superseded = DeliveryOutcome(.delivered, reason: "superseded", calledReceiver: false)

    private func endSessions(_ event: Event, app: App, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let request = PlatformRequest("end_sessions", method: .delete, path: ["users", event.userID, "token"])
        app.platform.send(request) { [self] answer in
            let outcome = outcome(of: answer)
            if outcome.verdict == .delivered {
                services.invalidation.tell(.sessionsEnded(AppUser(appID: event.identity.appID, userID: event.userID)))
            }
            completion(outcome)
        }
    }

    private func passOn(_ delivery: Delivery, app: App, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        guard let change = RegistryChange.Payload(delivery.event) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        let userID = delivery.event.userID
        let present = delivery.device.flatMap { SendbirdToken(type: $0.type, text: $0.token.text) }
        let reported = SendbirdToken(change.token)
        let registered = !change.isRemoval && change.holds(for: delivery.device) ? reported : nil
        let former = change.isRemoval ? reported : change.replaced.flatMap { SendbirdToken($0) }
        guard let former, former != present else {
            guard let registered else { return completion(reported == nil ? Self.notForRelay : Self.superseded) }
            return register(registered, userID: userID, app: app, mayCreate: true, completion: completion)
        }
        app.platform.send(former.removal(userID)) { [self] answer in
            switch (answer, registered) {
            // A token that is missing or invalid at Sendbird does not need to be removed.
            case (.success, let registered?), (.failure(.notFound), let registered?), (.failure(.invalid), let registered?):
                register(registered, userID: userID, app: app, mayCreate: true, completion: completion)
            default: completion(outcome(of: answer))
            }
        }
    }

    private func register(
        _ token: SendbirdToken, userID: String, app: App, mayCreate: Bool,
        completion: @escaping @Sendable (DeliveryOutcome) -> Void
    ) {
        app.platform.send(token.registration(userID)) { [self] answer in
            guard case .failure(.notFound(let refusal)) = answer else { return completion(outcome(of: answer)) }
            guard mayCreate else { return completion(DeliveryOutcome(.dead, reason: StatusReason.word(refusal.status))) }
            app.platform.createUser(userID) { [self] failure in
                if let failure { return completion(outcome(of: .failure(failure))) }
                register(token, userID: userID, app: app, mayCreate: false, completion: completion)
            }
        }
    }

    /// Converts an answer to an outcome. `notFound` is a success, because the object to remove does not exist.
    private func outcome(of answer: Result<JSONValue, PlatformError>) -> DeliveryOutcome {
        switch answer {
        case .success, .failure(.notFound): return DeliveryOutcome(.delivered, reason: StatusReason.word(200))
        case .failure(.invalid(let refusal)):
            return DeliveryOutcome(.dead, reason: StatusReason.word(refusal.status), status: refusal.status)
        case .failure(.rateLimited(let milliseconds)), .failure(.heldBack(let milliseconds)):
            return DeliveryOutcome(
                .retry(retryAfterMilliseconds: milliseconds), reason: StatusReason.word(429), requestsBackoff: true)
        case .failure(.unavailable(let reason, let mayHaveArrived)):
            return DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: reason, mayHaveArrived: mayHaveArrived)
        case .failure(.unauthorized):
            // A wrong token of one app must not pause deliveries of other apps.
            guard apps.count > 1 else { return DeliveryOutcome(.misconfigured, reason: StatusReason.word(401)) }
            return DeliveryOutcome(
                .retry(retryAfterMilliseconds: nil), reason: StatusReason.word(401), isAboutDevice: true, settingsFault: .ofApp)
        }
    }
}
