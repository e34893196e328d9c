internal import JSON
package import Time

/// A silent push that asks a device to remove the notifications of comments that its user has read elsewhere, independent of a provider's
/// format.
package struct PushWithdrawal: Sendable, Equatable {
    /// The delay after a read receipt, in milliseconds. A user who reads message by message causes a withdrawal for each one, and each
    /// withdrawal replaces the pending ones, because phones accept few silent pushes.
    package static let delayMilliseconds: UInt64 = 5000
    /// The maximum lifetime in milliseconds. A late withdrawal does no harm, because it names only messages that were read.
    package static let lifetimeMilliseconds: UInt64 = 3_600_000

    /// The `PushNotification.thread` to remove; nil for all.
    package let thread: String?
    /// Identical for all withdrawals of one conversation, because only the last one matters: 1 to 64 visible ASCII characters.
    package let collapseID: String
    /// Time after which the withdrawal is not sent.
    package let expiresAt: UnixMilliseconds
    /// The data for the app. All values are strings, as in `PushNotification.data`.
    package let data: [(key: String, value: String)]

    /// Parses an event of the kind `conversation.seen`; nil for another kind, and when the data is missing or malformed.
    package init?(_ event: Event) {
        guard event.kind == .conversationSeen, let data = try? JSONElement(parsing: event.data.span), let seenAt = data["seen_at"]?.string
        else { return nil }
        let channel = data["channel"].flatMap { HelpDeskID($0) }
        let ticketID = data["ticket_id"].flatMap { HelpDeskID($0) }
        let conversation = channel ?? ticketID
        thread = conversation.map { _ in PushNotification.thread(ticketID: ticketID, channel: channel) }
        collapseID = "seen" + (conversation.map { "-" + PushNotification.short($0) } ?? "")
        expiresAt = event.expiresAt
        self.data =
            [("type", event.kind.rawValue), ("app_id", event.identity.appID)] + (ticketID.map { [("ticket_id", $0.text)] } ?? [])
            + (channel.map { [("channel", $0.text)] } ?? []) + (thread.map { [("thread", $0)] } ?? [])
            + [("seen_at", seenAt), ("event_id", event.id.description)]
    }

    /// Returns the remaining lifetime in whole seconds, like `PushNotification.lifetimeSeconds`.
    package func lifetimeSeconds(now: UnixMilliseconds) -> UInt64 { PushNotification.lifetimeSeconds(until: expiresAt, now: now) }

    /// Compares only the content that is sent.
    package static func == (left: Self, right: Self) -> Bool {
        left.collapseID == right.collapseID && left.expiresAt == right.expiresAt && left.data.elementsEqual(right.data, by: ==)
    }
}

extension DeliveryPlan.Row {
    /// The time of the first attempt.
    package func dueAt(of event: Event) -> UnixMilliseconds {
        subscription.isForEachDevice ? event.receivedAt + PushWithdrawal.delayMilliseconds : event.receivedAt
    }

    package func expiresAt(of event: Event) -> UnixMilliseconds {
        subscription.isForEachDevice ? min(event.expiresAt, event.receivedAt + PushWithdrawal.lifetimeMilliseconds) : event.expiresAt
    }
}
