internal import Core
internal import Threading
internal import Time

/// Asks Desk whose channel it is. What Desk does not know is remembered for a short time: otherwise each message of a channel that is nobody's
/// would ask again.
final class ChannelOwners: Sendable {
    /// How long, in milliseconds. A ticket may follow its channel, and Desk's webhook about it is known at once.
    static let memoryMilliseconds: UInt64 = 30_000
    /// Of how many channels; whichever was asked for longest ago leaves first.
    private static let mostChannels = 10_000

    private struct Channel: Hashable {
        let appID: ByteKey
        let url: ByteKey
    }

    private let clocks: Clocks
    /// Until when a channel is nobody's.
    private let unknown = Monitor(BoundedTable<Channel, MonotonicMilliseconds>(limit: mostChannels))

    init(_ clocks: Clocks) {
        self.clocks = clocks
    }

    /// Finds the owner of a channel.
    /// - Parameter completion: called exactly once, on any thread, with nil when Desk does not know, or does not answer.
    func find(_ app: SendbirdState.App, _ channel: String, _ completion: @escaping @Sendable (ChannelOwner?) -> Void) {
        let key = Channel(appID: ByteKey(app.id), url: ByteKey(channel))
        let now = clocks.monotonicMilliseconds()
        if let end = unknown.withLock({ $0[key] }), now < end { return completion(nil) }
        app.desk.ticket(ofChannel: channel) { [self] answer in
            // A failure was counted, and logged, where it was seen. It says nothing of the channel.
            guard case .success(let ticket) = answer else { return completion(nil) }
            guard let ticket, let userID = ticket.userID else {
                let end = clocks.monotonicMilliseconds() + Self.memoryMilliseconds
                unknown.withLock { $0.insert(end, for: key) }
                return completion(nil)
            }
            completion(ChannelOwner(userID: userID, ticketID: HelpDeskID(ticket.id)))
        }
    }
}
