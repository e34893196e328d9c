internal import Core
internal import Crypto
internal import HelpDesk
internal import Notifiers
internal import Observability
internal import Threading
internal import Time

/// Asks again for the owners of held messages, and then has the store deliver them. Any process may make an attempt, and may end in the
/// middle of it: the store recognises a message that was delivered.
///
/// A failure never pauses the lane, because every app has a Desk of its own: an unavailable Desk must not delay the others.
final class OwnerLookup: Notifier {
    /// The reasons of attempts that have ended well.
    enum Reason: String {
        case reported = "owner_found"
        case nobody = "no_customer"
        case duplicate
        /// Such a message of this owner is not delivered, such as one of the customer's own.
        case ignored
        /// Desk knows no ticket of the channel in which a bot has written.
        case unknownTicket = "unknown_ticket"
    }

    /// True: the messages of a channel are delivered in order.
    var keepsTicketOrder: Bool { true }
    /// Enough for one app whose Desk hangs, and others.
    var concurrency: Int { 16 }
    /// A phone should not wait much longer than an outage. An attempt may come before Desk accepts another call, because Desk's webhook may
    /// have named the owner; `PlatformClient` then holds the request back.
    let retryPolicy = RetryPolicy(
        baseMilliseconds: 5000, floorMilliseconds: 1000, ceilingMilliseconds: 120_000, retryAfterCeilingMilliseconds: 120_000)
    /// Desk's time, and as much for the store as a webhook has twice.
    var longestAttemptMilliseconds: UInt64 { TimeLimit.milliseconds(10_000) }

    private let state: SnapshotReference<SendbirdState>
    private let services: HelpDeskServices
    private let findOwner: OwnerFinder

    init(state: SnapshotReference<SendbirdState>, _ services: HelpDeskServices, findOwner: @escaping OwnerFinder) {
        (self.state, self.services, self.findOwner) = (state, services, findOwner)
    }

    /// One remedy, for a token that Desk refuses: everything else passes by itself.
    func remedy(for reason: String) -> String { "see whether Desk accepts the app's desk_token: deskgate check --live" }

    /// Reads the webhook of a held message again, and has it decided if the owner is known.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let event = delivery.event
        guard let app = state.current.app(event.identity.appID) else {
            return completion(DeliveryOutcome(.dead, reason: "unknown_app", wasAsked: false))
        }
        guard let webhook = try? ChatWebhook(WebhookFields(parsing: event.data.span), appID: app.id, bots: app.bots) else {
            return completion(DeliveryOutcome(.dead, unasked: .unreadablePayload))
        }
        guard let maker = try? maker(of: webhook, event, app) else { return completion(Self.retry(UndecidedReason.internalError.rawValue)) }
        let message = Message(webhook: webhook, maker: maker)
        // Desk's webhook about the ticket may have told of the owner meanwhile.
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
        let maker: ReportMaker
    }

    /// - Throws: when OpenSSL fails.
    private func maker(of webhook: ChatWebhook, _ event: Event, _ app: SendbirdState.App) throws(CryptoError) -> ReportMaker {
        let identity = try webhook.identity(app.id, body: event.data.span)
        // An operator may have revived the delivery after its life.
        let life = event.receivedAt.remaining(until: event.expiresAt)
        return try ReportMaker(
            of: app, receivedAt: event.receivedAt, lifeMilliseconds: life, trace: event.trace, identity: identity, services)
    }

    /// Has the store decide.
    /// - Parameter onUndecided: called instead of the completion when the owner is needed.
    private func decide(
        _ message: Message, found: ChannelOwner?, isFinal: Bool, app: SendbirdState.App,
        completion: @escaping @Sendable (DeliveryOutcome) -> Void, onUndecided: (@Sendable () -> Void)? = nil
    ) {
        let report = message.maker.report(message.webhook, found: found, isFinal: isFinal)
        services.store.accept(report, isAwaited: { true }) { [services] result in
            if case .success(.undecided) = result, let onUndecided { return onUndecided() }
            if case .success(.accepted(let events, let remark, let rating, _)) = result {
                if let rating { app.ratings[rating]?.increment() }
                if let remark = remark.flatMap({ WebhookRemark(rawValue: $0) }) { app.counters.increment(remark.result) }
                if !events.isEmpty { services.onChange() }
            }
            completion(Self.outcome(of: result))
        }
    }

    private static func outcome(of result: Result<ReportOutcome, StoreError>) -> DeliveryOutcome {
        switch result {
        case .success(.accepted(_, WebhookRemark.noCustomer.rawValue, _, _)): delivered(.nobody)
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
