internal import JSON
package import Time

/// A report that a person has read one conversation or all conversations until a time. Pending pushes about the read comments are obsolete.
package struct ReadReceipt: Sendable, Equatable {
    /// The maximum number of a notifier's pending deliveries that are examined, earliest due first, because other writes to the store wait
    /// meanwhile. An app has more pending pushes only during an outage of a provider.
    package static let maximumExaminedDeliveries = 5000

    package let person: AppUser
    /// The conversation (see `Comment.conversation`); nil for all conversations.
    package let conversation: HelpDeskID?
    /// The notifiers whose pending deliveries end. Their deliveries are not ordered.
    package let notifiers: [String]
    /// The arrival time of the report. Comments that arrived later are unread.
    package private(set) var receivedAt: UnixMilliseconds
    /// The time of reading by the help desk's clock, which also dates comments: later comments are unread. Nil if it was not reported.
    package let readAt: UnixMilliseconds?

    package init(
        _ person: AppUser, conversation: HelpDeskID?, notifiers: [String], receivedAt: UnixMilliseconds,
        readAt: UnixMilliseconds? = nil
    ) {
        (self.person, self.conversation, self.notifiers) = (person, conversation, notifiers)
        (self.receivedAt, self.readAt) = (receivedAt, readAt)
    }

    /// Whether a pending delivery of the event to one of `notifiers` is obsolete.
    package func covers(_ event: Event) -> Bool {
        ByteKey(event.identity.appID) == ByteKey(person.appID) && ByteKey(event.userID) == ByteKey(person.userID)
            && (conversation == nil || event.identity.ticketID == conversation) && event.receivedAt <= receivedAt
            && event.occurredAt <= readAt ?? .max
    }
}

extension ReadReceipt: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { receivedAt.convertTimes(convert) }
}

extension Event {
    /// Creates the event that reports a receipt.
    /// - Parameters:
    ///   - ticketID: nil for all tickets, or when only the channel is known.
    ///   - channel: the channel, if the help desk identifies tickets by channel.
    ///   - id: a new id, from which the ids of deliveries can be derived.
    package init(
        _ receipt: ReadReceipt, ticketID: HelpDeskID?, channel: HelpDeskID? = nil, id: UUIDv7, lifetimeMilliseconds: UInt64,
        trace: TraceContext? = nil
    ) {
        var writer = JSONWriter(capacity: 96)
        writer.beginObject()
        writer.add("ticket_id", id: ticketID)
        if let channel { writer.add("channel", id: channel) }
        // The help desk's clock may be ahead.
        writer.add("seen_at", RFC3339.text(min(receipt.readAt ?? receipt.receivedAt, receipt.receivedAt)))
        writer.endObject()
        self.init(
            id: id, kind: .conversationSeen,
            identity: Identity(appID: receipt.person.appID, ticketID: receipt.conversation, commentID: nil, deviceID: ""),
            userID: receipt.person.userID, occurredAt: receipt.receivedAt, receivedAt: receipt.receivedAt,
            expiresAt: receipt.receivedAt + lifetimeMilliseconds, data: writer.bytes, trace: trace)
    }
}

extension Report {
    /// The time, in milliseconds, in which further receipts of the same person and conversation create only events for devices, because an
    /// app may report each message that it shows.
    package static let seenCoalescingMilliseconds: UInt64 = 1000

    /// Creates the report for a receipt from a backend. It is never deduplicated, because each receipt may end further deliveries.
    /// - Parameters:
    ///   - isChannel: whether `receipt.conversation` is a channel.
    ///   - id: a new id, from which the ids of deliveries can be derived.
    package init(_ receipt: ReadReceipt, isChannel: Bool, to subscriptions: [Subscription], id: UUIDv7, lifetimeMilliseconds: UInt64) {
        let (person, now) = (receipt.person, receipt.receivedAt)
        // The name contains a digest, because the name of a topic is kept when its person is forgotten.
        let name = ConversationState.Name("seen", "\(shortDigest(of: person.userID, receipt.conversation?.text ?? ""))")
        let (ticketID, channel) = isChannel ? (nil, receipt.conversation) : (receipt.conversation, nil)
        let event = Event(receipt, ticketID: ticketID, channel: channel, id: id, lifetimeMilliseconds: lifetimeMilliseconds)
        self.init(
            appID: person.appID, identity: event.identity, id: id, receivedAt: now, conversations: [name], userID: person.userID
        ) { conversations in
            if let last = conversations[name], last.wasSeen(by: person.userID, within: Self.seenCoalescingMilliseconds, of: now) {
                // A receipt ends pending withdrawals, so it always creates new ones.
                let withdrawing = subscriptions.filter(\.isForEachDevice)
                let incomingEvents = withdrawing.isEmpty ? [] : [IncomingEvent(event, to: withdrawing)]
                return .decided(conversations: [], incomingEvents: incomingEvents, remark: nil, receipt: receipt)
            }
            let conversation = ConversationState(name, userID: person.userID, data: Array("\(now.rawValue)".utf8))
            return .decided(
                conversations: [conversation], incomingEvents: [IncomingEvent(event, to: subscriptions)], remark: nil, receipt: receipt)
        }
    }
}

extension ConversationState {
    /// Whether this person was the last reader, less than `milliseconds` before `now`. The check is needed because another person may have
    /// the same digest.
    fileprivate func wasSeen(by userID: String, within milliseconds: UInt64, of now: UnixMilliseconds) -> Bool {
        guard ByteKey(self.userID) == ByteKey(userID), let last = UInt64(String(decoding: data, as: UTF8.self)) else { return false }
        let at = UnixMilliseconds(rawValue: last)
        return at <= now && now.elapsed(since: at) < milliseconds
    }
}
