internal import Core
internal import HelpDesk
internal import Time

/// A webhook of Sendbird Chat that reports which members have read a ticket's channel.
struct ReadWebhook: Sendable {
    static let category = "group_channel:message_read"
    /// The maximum difference between a time of Sendbird and the arrival of the webhook. A larger difference, for example because the time
    /// is in seconds, is not plausible.
    private static let maximumDifference: UInt64 = 86_400_000

    /// A member, with the time of reading by Sendbird's clock; nil when unknown.
    struct Reader: Sendable {
        let userID: String
        let readAt: UnixMilliseconds?
    }

    let channel: HelpDeskID
    /// Members who are neither support nor a named bot.
    let readers: [Reader]

    /// Every member of the body may be missing.
    /// - Parameter bots: the user ids of the app's bots; nil when it does not name them.
    /// - Returns: nil when no possible customer has read the channel, or when it does not belong to a ticket.
    init?(_ root: WebhookFields, bots: Set<ByteKey>?) {
        guard let fields = root.object("channel"), let channel = fields.id("channel_url"), ChatWebhook.isOfTicket(fields) else {
            return nil
        }
        self.channel = channel
        readers = root.objects("read_updates").compactMap { update in
            guard let userID = update.plainText("user_id", longest: FieldGrammar.longestUserID), !SupportAccount.isSupport(userID),
                bots?.contains(ByteKey(userID)) != true
            else { return nil }
            let time = update.integer("read_ts").flatMap { UInt64(exactly: $0) }
            return Reader(userID: userID, readAt: time.map { UnixMilliseconds(rawValue: $0) })
        }
        if readers.isEmpty { return nil }
    }

    /// Returns the time at which a user has read the channel, by Sendbird's clock.
    /// - Returns: nil when the user has not read it; `.some(nil)` when the webhook has no plausible time.
    func readAt(by userID: String, receivedAt: UnixMilliseconds) -> UnixMilliseconds?? {
        guard let reader = readers.first(where: { ByteKey($0.userID) == ByteKey(userID) }) else { return nil }
        guard let time = reader.readAt, time.elapsed(since: receivedAt) <= Self.maximumDifference,
            receivedAt.elapsed(since: time) <= Self.maximumDifference
        else { return .some(nil) }
        return time
    }
}

extension ReportBuilder {
    /// Creates the report of a channel that was read. Only the reading of the known owner is reported, because other members, whom the
    /// customer has invited, read only for themselves.
    func report(_ webhook: ReadWebhook) -> Report {
        let name = Self.channelName(webhook.channel)
        return Report(
            appID: appID, identity: identity, id: id(0), receivedAt: receivedAt, conversations: [name], userID: nil
        ) { conversations in
            guard let owner = Self.owner(conversations[name]), let readAt = webhook.readAt(by: owner.userID, receivedAt: receivedAt) else {
                return .ignored(reason: nil)
            }
            let receipt = ReadReceipt(
                AppUser(appID: appID, userID: owner.userID), conversation: webhook.channel, notifiers: subscriptions.push,
                receivedAt: receivedAt, readAt: readAt)
            let event = Event(
                receipt, ticketID: owner.ticketID, channel: webhook.channel, id: id(0), lifetimeMilliseconds: lifetimeMilliseconds,
                trace: trace)
            return .decided(
                conversations: [], incomingEvents: [IncomingEvent(event, to: subscriptions.seen)], remark: nil, receipt: receipt)
        }
    }
}
