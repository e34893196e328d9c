internal import Core
internal import Notifiers
internal import Threading
internal import Time

/// The answer of Desk to the question whose channel it is.
enum OwnerAnswer: Sendable, Equatable {
    case owner(ChannelOwner)
    /// No ticket has this channel, as far as Desk knows now.
    case nobody
    /// There is no answer.
    /// - Parameters:
    ///   - reason: a stable word for logs, such as `timeout` or `status_429`.
    ///   - retryAfterMilliseconds: when Desk may be asked again, if it has said so.
    case unavailable(reason: String, retryAfterMilliseconds: UInt64?)
}

/// Finds out whose channel it is by asking Desk. The completion is called exactly once, on any thread, within
/// `ChannelOwners.limitMilliseconds`.
typealias OwnerFinder =
    @Sendable (
        _ app: SendbirdState.App, _ channel: String, _ completion: @escaping @Sendable (OwnerAnswer) -> Void
    ) -> Void

/// Asks Desk for the owner of a channel. A missing owner is cached for a short time: otherwise each message of a channel without an owner
/// would ask again.
final class ChannelOwners: Sendable {
    /// Milliseconds within which Desk must answer. Chat waits five seconds for the answer to its webhook, and the store needs some of them.
    static let limitMilliseconds: UInt64 = TimeLimit.milliseconds(2500)
    /// Milliseconds. A ticket may follow its channel, and Desk's webhook about it takes effect at once.
    static let memoryMilliseconds: UInt64 = 30_000
    /// Of how many channels; whichever was asked for longest ago leaves first.
    private static let mostChannels = 10_000

    private struct Channel: Hashable {
        let appID: ByteKey
        let url: ByteKey
    }

    private let clocks: Clocks
    /// Channels without an owner, each until a time.
    private let unknown = Monitor(BoundedTable<Channel, MonotonicMilliseconds>(limit: mostChannels))

    init(_ clocks: Clocks) {
        self.clocks = clocks
    }

    /// Finds the owner of a channel.
    /// - Parameter completion: called exactly once, on any thread, perhaps before this returns.
    func find(_ app: SendbirdState.App, channel: String, completion: @escaping @Sendable (OwnerAnswer) -> Void) {
        let key = Channel(appID: ByteKey(app.id), url: ByteKey(channel))
        let now = clocks.monotonicMilliseconds()
        if let end = unknown.withLock({ $0[key] }), now < end { return completion(.nobody) }
        app.desk.ticket(ofChannel: channel, withinMilliseconds: Self.limitMilliseconds) { [self] answer in
            switch answer {
            // It was counted, and logged, where it was seen. It says nothing of the channel.
            case .failure(let error): completion(OwnerAnswer(error))
            case .success(let ticket):
                guard let ticket, let userID = ticket.userID else {
                    let end = clocks.monotonicMilliseconds() + Self.memoryMilliseconds
                    unknown.withLock { $0.insert(end, for: key) }
                    return completion(.nobody)
                }
                completion(.owner(ChannelOwner(userID: userID, ticketID: HelpDeskID(ticket.id))))
            }
        }
    }
}

extension OwnerAnswer {
    /// Milliseconds within which the ticket of a named bot's message may follow it: a bot may greet before Desk has made the ticket.
    private static let ticketMilliseconds: UInt64 = 600_000

    /// The answer as it counts for a message: none yet where the ticket may still follow. No customer's message waits like this.
    /// - Parameter age: how long ago the message arrived, in milliseconds.
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
