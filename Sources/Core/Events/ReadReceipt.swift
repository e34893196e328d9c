internal import JSON
package import Time

/// A report that a person has read a conversation, or all of them, until a moment: pending pushes of it are superseded.
package struct ReadReceipt: Sendable, Equatable {
    /// The most pending deliveries of a notifier that are looked at, those that are due first: everything else that is to be stored waits
    /// meanwhile. So many pushes of an app wait only while a provider is out of order.
    package static let mostExamined = 5000

    package let person: RevokedPerson
    package let conversation: HelpDeskID?
    /// The notifiers whose pending deliveries end. They keep no order.
    package let notifiers: [String]
    /// When it arrived here: comments that arrived later are not read.
    package private(set) var receivedAt: UnixMilliseconds
    /// The time of reading, by the help desk's clock that also dates comments: later comments are unread. nil when it is unknown.
    package let readAt: UnixMilliseconds?

    package init(
        _ person: RevokedPerson, conversation: HelpDeskID?, notifiers: [String], receivedAt: UnixMilliseconds,
        readAt: UnixMilliseconds? = nil
    ) {
        (self.person, self.conversation, self.notifiers) = (person, conversation, notifiers)
        (self.receivedAt, self.readAt) = (receivedAt, readAt)
    }

    /// Whether a pending delivery of an event to one of its notifiers is pointless.
    package func covers(_ event: Event) -> Bool {
        ByteKey(event.identity.appID) == ByteKey(person.appID) && ByteKey(event.userID) == ByteKey(person.userID)
            && (conversation == nil || event.identity.ticketID == conversation) && event.receivedAt <= receivedAt
            && event.occurredAt <= readAt ?? .max
    }
}

extension ReadReceipt: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { receivedAt.convertMoments(convert) }
}

extension Event {
    /// Makes the event of a read receipt.
    /// - Parameters:
    ///   - ticketID: the ticket that was read; nil for all, or where only the channel is known.
    ///   - channel: the channel that was read, where the help desk identifies tickets by their channels.
    ///   - id: a new one, with room for the ids of deliveries.
    ///   - lifeMilliseconds: the life of the event.
    ///   - trace: the request that brought it.
    package init(
        _ receipt: ReadReceipt, ticketID: HelpDeskID?, channel: HelpDeskID? = nil, id: UUIDv7, lifeMilliseconds: UInt64,
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
            expiresAt: receipt.receivedAt + lifeMilliseconds, data: writer.bytes, trace: trace)
    }
}

extension Report {
    /// For how long, in milliseconds, the same person and conversation have no second event but for devices: an app may report each message
    /// that it shows.
    package static let seenPauseMilliseconds: UInt64 = 1000

    /// The report of a backend's read receipt. It is never deduplicated, because each one may end further pushes.
    /// - Parameters:
    ///   - isChannel: whether the conversation is named by its channel.
    ///   - subscriptions: the receivers of its event.
    ///   - id: a new one, with room for the ids of deliveries.
    ///   - lifeMilliseconds: the life of the event.
    package init(_ receipt: ReadReceipt, isChannel: Bool, to subscriptions: [Subscription], id: UUIDv7, lifeMilliseconds: UInt64) {
        let (person, now) = (receipt.person, receipt.receivedAt)
        // A digest, because the name of a topic stays when its person is forgotten.
        let name = ConversationState.Name("seen", "\(shortDigest(of: person.userID, receipt.conversation?.text ?? ""))")
        let (ticketID, channel) = isChannel ? (nil, receipt.conversation) : (receipt.conversation, nil)
        let event = Event(receipt, ticketID: ticketID, channel: channel, id: id, lifeMilliseconds: lifeMilliseconds)
        self.init(
            appID: person.appID, identity: event.identity, id: id, receivedAt: now, conversations: [name], userID: person.userID
        ) { conversations in
            if let last = conversations[name], last.wasSeen(by: person.userID, within: Self.seenPauseMilliseconds, of: now) {
                // The mark ends the withdrawals that wait, so it always brings new ones.
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
    /// Whether it says that this person was the last one, at most so long before a time. Another person may have the same digest.
    fileprivate func wasSeen(by userID: String, within milliseconds: UInt64, of now: UnixMilliseconds) -> Bool {
        guard ByteKey(self.userID) == ByteKey(userID), let last = UInt64(String(decoding: data, as: UTF8.self)) else { return false }
        let at = UnixMilliseconds(rawValue: last)
        return at <= now && now.elapsed(since: at) < milliseconds
    }
}
