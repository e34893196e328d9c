internal import Core
internal import Notifiers
internal import Threading
internal import Time

enum OwnerAnswer: Sendable, Equatable {
    case owner(ChannelOwner)
    case nobody
    /// The query failed.
    /// - Parameters:
    ///   - reason: a stable word for logs, such as `timeout` or `status_429`.
    ///   - retryAfterMilliseconds: nil when Desk has not given it.
    case unavailable(reason: String, retryAfterMilliseconds: UInt64?)
}

/// Queries Desk for the owner of a channel. The completion is called exactly once, on any thread, within `ChannelOwners.limitMilliseconds`.
typealias OwnerFinder =
    @Sendable (
        _ app: SendbirdState.App, _ channel: String, _ completion: @escaping @Sendable (OwnerAnswer) -> Void
    ) -> Void

/// Queries Desk for the owner of a channel. If Desk knows none, that is cached for a short time; otherwise each message in the channel
/// would query Desk again.
final class ChannelOwners: Sendable {
    /// The timeout for Desk. Chat waits five seconds for the response to its webhook, and the store needs some of that time.
    static let limitMilliseconds: UInt64 = TimeLimit.milliseconds(2500)
    /// The time for which an unknown channel is cached. A ticket may be created after its channel; Desk's webhook about the ticket takes
    /// effect at once.
    static let unknownCacheMilliseconds: UInt64 = 30_000
    /// The maximum number of cached channels; the least recently queried is evicted.
    private static let maximumChannels = 10_000

    private struct Channel: Hashable {
        let appID: ByteKey
        let url: ByteKey
    }

    private let clocks: Clocks
    /// The time until which a channel is cached as unknown.
    private let unknown = Monitor(BoundedTable<Channel, MonotonicMilliseconds>(limit: maximumChannels))

    init(_ clocks: Clocks) {
        self.clocks = clocks
    }

    /// - Parameter completion: called exactly once, on any thread, perhaps before this returns.
    func find(_ app: SendbirdState.App, channel: String, completion: @escaping @Sendable (OwnerAnswer) -> Void) {
        let key = Channel(appID: ByteKey(app.id), url: ByteKey(channel))
        let now = clocks.monotonicMilliseconds()
        if let end = unknown.withLock({ $0[key] }), now < end { return completion(.nobody) }
        app.desk.ticket(ofChannel: channel, withinMilliseconds: Self.limitMilliseconds) { [self] answer in
            switch answer {
            // This failure was already counted and logged. It is no information about the channel.
            case .failure(let error): completion(OwnerAnswer(error))
            case .success(let ticket):
                guard let ticket, let userID = ticket.userID else {
                    let end = clocks.monotonicMilliseconds() + Self.unknownCacheMilliseconds
                    unknown.withLock { $0.insert(end, for: key) }
                    return completion(.nobody)
                }
                completion(.owner(ChannelOwner(userID: userID, ticketID: HelpDeskID(ticket.id))))
            }
        }
    }
}

extension OwnerAnswer {
    /// The time after a named bot's message within which its ticket may be created: a bot may greet before Desk creates the ticket.
    private static let ticketMilliseconds: UInt64 = 600_000

    /// Turns `nobody` into `unavailable` while the ticket of a named bot's message may still be created. Customers' messages never wait for
    /// it.
    /// - Parameter age: the milliseconds since the message arrived.
    func counted(for webhook: ChatWebhook, age: UInt64) -> OwnerAnswer {
        guard self == .nobody, webhook.isComment, webhook.writer == .namedBot, age < Self.ticketMilliseconds else { return self }
        return .unavailable(reason: IgnoreReason.unknownTicket.rawValue, retryAfterMilliseconds: nil)
    }

    fileprivate init(_ error: PlatformError) {
        switch error {
        case .rateLimited(let wait), .heldBack(let wait): self = .unavailable(reason: StatusReason.word(429), retryAfterMilliseconds: wait)
        case .unauthorized: self = .unavailable(reason: StatusReason.word(401), retryAfterMilliseconds: nil)
        case .notFound(let refusal), .invalid(let refusal):
            self = .unavailable(reason: StatusReason.word(refusal.status), retryAfterMilliseconds: nil)
        case .unavailable(let reason, _): self = .unavailable(reason: reason, retryAfterMilliseconds: nil)
        }
    }
}
