internal import Configuration
internal import Core
internal import Crypto
internal import HelpDesk
internal import JSON
internal import Time

struct ChannelOwner: Sendable, Equatable {
    let userID: String
    /// The ticket; nil when only the customer is known.
    let ticketID: HelpDeskID?
}

/// Creates the reports of one webhook: the query to the store, and the decision on the result, which is a pure function.
struct ReportBuilder: Sendable {
    let appID: String
    let subscriptions: Subscriptions
    let receivedAt: UnixMilliseconds
    /// The time from `receivedAt` until the events expire.
    let lifetimeMilliseconds: UInt64
    let trace: TraceContext?
    /// The identity for the deduplication of the webhook.
    let identity: Event.Identity
    /// Whether this process has a record that a user was forgotten; nil on an error. Decisions do not use it.
    private let isForgotten: @Sendable (_ userID: String) -> Bool?
    private let id: UUIDv7

    struct Subscriptions: Sendable {
        let comments, quietComments, tickets, seen: [Subscription]
        let push: [String]
        let lifetimeMilliseconds: UInt64

        init(of appID: String, _ all: AppSubscriptions) {
            (comments, quietComments, tickets) = (all.comments(appID), all.quietComments(appID), all.tickets(appID))
            seen = all.seen(appID)
            push = all.pushNotifiers(appID)
            lifetimeMilliseconds = all.registry.lifetimeMilliseconds
        }
    }

    /// - Throws: when OpenSSL fails.
    init(
        appID: String, _ subscriptions: Subscriptions, receivedAt: UnixMilliseconds, lifetimeMilliseconds: UInt64, trace: TraceContext?,
        identity: Event.Identity, random: RandomPool, isForgotten: @escaping @Sendable (_ userID: String) -> Bool?
    ) throws(CryptoError) {
        (self.appID, self.subscriptions, self.receivedAt, self.lifetimeMilliseconds) = (
            appID, subscriptions, receivedAt, lifetimeMilliseconds
        )
        (self.trace, self.identity, self.isForgotten) = (trace, identity, isForgotten)
        id = try UUIDv7(milliseconds: receivedAt, from: random).event
    }

    /// - Parameter place: the index of the event in this webhook.
    func id(_ place: Int) -> UUIDv7 { id.event(place) }

    /// Creates an event about a ticket, which is not pushed.
    func ticketEvent(
        _ kind: Event.Kind, _ place: Int, conversation: HelpDeskID, userID: String, occurredAt: UnixMilliseconds?,
        data: [UInt8]
    ) -> IncomingEvent {
        IncomingEvent(
            Event(
                id: id(place), kind: kind,
                identity: Event.Identity(appID: appID, ticketID: conversation, commentID: nil, deviceID: ""), userID: userID,
                occurredAt: occurredAt ?? receivedAt, receivedAt: receivedAt, expiresAt: receivedAt + lifetimeMilliseconds,
                data: data, trace: trace), to: subscriptions.tickets)
    }

    /// Returns the user id if it may be stored; nil for a user who was, or may have been, forgotten.
    func named(_ userID: String) -> String? { isForgotten(userID) == false ? userID : nil }

    static func channelName(_ channel: HelpDeskID) -> ConversationState.Name { ConversationState.Name("channel", channel.text) }

    static func conversation(_ channel: HelpDeskID, _ owner: ChannelOwner) -> ConversationState {
        var writer = JSONWriter(capacity: 32)
        writer.beginObject()
        writer.add("ticket_id", id: owner.ticketID)
        writer.endObject()
        return ConversationState(channelName(channel), userID: owner.userID, data: writer.bytes)
    }

    /// Returns the owner of a topic; nil when the topic has no owner.
    static func owner(_ conversation: ConversationState?) -> ChannelOwner? {
        guard let conversation, !conversation.userID.isEmpty else { return nil }
        let ticket = (try? JSONElement(parsing: conversation.data.span))?["ticket_id"].flatMap { HelpDeskID($0) }
        return ChannelOwner(userID: conversation.userID, ticketID: ticket)
    }
}
