internal import Core
internal import Crypto
internal import HelpDesk
internal import Notifiers
internal import Observability
internal import Threading
internal import Time

/// Queries Desk again for the owner of held messages' channels, and then has the store create their events. Any process may make an
/// attempt, and may terminate during it, because the store deduplicates messages.
///
/// A failure never pauses the whole lane: every app has its own Desk, and an unavailable one must not delay the others.
final class OwnerLookup: Notifier {
    enum Reason: String {
        case reported = "owner_found"
        case nobody = "no_customer"
        case duplicate
        /// The message needs no event for this owner, such as one by the customer.
        case ignored
        case unknownTicket = "unknown_ticket"
    }

    var preservesTicketOrder: Bool { true }
    /// Enough for one app whose Desk hangs, and for other apps.
    var concurrency: Int { 16 }
    /// The maximum backoff is short, because a notification should not be delayed much beyond an outage. An attempt may precede the time
    /// that Desk has given, because Desk's webhook may have reported the owner; `PlatformClient` then delays the request.
    let retryPolicy = RetryPolicy(
        baseMilliseconds: 5000, floorMilliseconds: 1000, ceilingMilliseconds: 120_000, retryAfterCeilingMilliseconds: 120_000)
    /// Includes the timeout for Desk, and twice a webhook's time for the store.
    var longestAttemptMilliseconds: UInt64 { TimeLimit.milliseconds(10_000) }

    private let state: SnapshotReference<SendbirdState>
    private let services: HelpDeskServices
    private let findOwner: OwnerFinder

    init(state: SnapshotReference<SendbirdState>, _ services: HelpDeskServices, findOwner: @escaping OwnerFinder) {
        (self.state, self.services, self.findOwner) = (state, services, findOwner)
    }

    /// There is one remedy, for a token that Desk rejects: all other failures are temporary.
    func remedy(for reason: String) -> String { "see whether Desk accepts the app's desk_token: deskgate check --live" }

    /// Parses the held webhook again, and decides about it if the owner is known.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let event = delivery.event
        guard let app = state.current.app(event.identity.appID) else {
            return completion(DeliveryOutcome(.dead, reason: "unknown_app", calledReceiver: false))
        }
        guard let webhook = try? ChatWebhook(WebhookFields(parsing: event.data.span), appID: app.id, bots: app.bots) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        guard let maker = try? maker(of: webhook, event, app) else { return completion(Self.retry(UndecidedReason.internalError.rawValue)) }
        let message = Message(webhook: webhook, maker: maker)
        // Meanwhile Desk's webhook about the ticket may have named the owner.
        decide(message, found: nil, isFinal: false, app: app, completion: completion) { [self] in
            findOwner(app, webhook.channel.text) { [self] answer in
                switch answer.counted(for: webhook, age: services.clocks.unixMilliseconds().elapsed(since: event.receivedAt)) {
                case .owner(let owner): decide(message, found: owner, isFinal: true, app: app, completion: completion)
                case .nobody: decide(message, found: nil, isFinal: true, app: app, completion: completion)
                case .unavailable(let reason, let retryAfter): completion(Self.retry(reason, after: retryAfter))
                }
            }
        }
    }

    private struct Message {
        let webhook: ChatWebhook
        let maker: ReportBuilder
    }

    /// - Throws: when OpenSSL fails.
    private func maker(of webhook: ChatWebhook, _ event: Event, _ app: SendbirdState.App) throws(CryptoError) -> ReportBuilder {
        let identity = try webhook.identity(app.id, body: event.data.span)
        // An operator may have retried the delivery after its expiry.
        let life = event.receivedAt.remaining(until: event.expiresAt)
        return try ReportBuilder(
            of: app, receivedAt: event.receivedAt, lifetimeMilliseconds: life, trace: event.trace, identity: identity, services)
    }

    /// - Parameter onUndecided: called instead of the completion when the decision depends on the owner.
    private func decide(
        _ message: Message, found: ChannelOwner?, isFinal: Bool, app: SendbirdState.App,
        completion: @escaping @Sendable (DeliveryOutcome) -> Void, onUndecided: (@Sendable () -> Void)? = nil
    ) {
        let report = message.maker.report(message.webhook, found: found, isFinal: isFinal)
        services.store.accept(report, isAwaited: { true }) { [services] result in
            if case .success(.undecided) = result, let onUndecided { return onUndecided() }
            if case .success(.accepted(let events, let remark, let rating, _)) = result {
                if let rating { app.ratings[rating]?.increment() }
                if let remark = remark.flatMap({ DurableWebhookResult(rawValue: $0) }) { app.counters.increment(remark.result) }
                if !events.isEmpty { services.onChange() }
            }
            completion(Self.outcome(of: result))
        }
    }

    private static func outcome(of result: Result<ReportOutcome, StoreError>) -> DeliveryOutcome {
        switch result {
        case .success(.accepted(_, DurableWebhookResult.noCustomer.rawValue, _, _)): delivered(.nobody)
        case .success(.accepted): delivered(.reported)
        case .success(.duplicate): delivered(.duplicate)
        case .success(.ignored(IgnoreReason.unknownTicket.rawValue)): delivered(.unknownTicket)
        case .success(.ignored): delivered(.ignored)
        case .success(.undecided): retry("former_unknown")
        case .failure(let error): retry(error.kind.rawValue)
        }
    }

    private static func delivered(_ reason: Reason) -> DeliveryOutcome { DeliveryOutcome(.delivered, reason: reason.rawValue) }

    private static func retry(_ reason: String, after milliseconds: UInt64? = nil) -> DeliveryOutcome {
        DeliveryOutcome(
            .retry(retryAfterMilliseconds: milliseconds), reason: reason, isAboutDevice: true,
            settingsFault: reason == StatusReason.word(401) ? .ofApp : nil)
    }
}
