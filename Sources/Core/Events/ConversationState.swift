package import Time

/// State needed to interpret later webhooks of a help desk: a ticket, a conversation, a question to a customer.
package struct ConversationState: Sendable, Equatable {
    /// Identifies one state, a *topic*, among those of an app.
    package struct Name: Sendable, Hashable, Comparable {
        /// The kind of topic, by the help desk's name for it.
        package let kind: ByteKey
        package let text: ByteKey

        /// - Parameter text: at most some hundred bytes, because it is part of the store's key.
        package init(_ kind: String, _ text: String) {
            (self.kind, self.text) = (ByteKey(kind), ByteKey(text))
        }

        /// The order of the bytes, in which stores lock topics.
        package static func < (left: Name, right: Name) -> Bool { (left.kind, left.text) < (right.kind, right.text) }
    }

    /// The data of a topic whose person was forgotten. No event may be made of later reports about it.
    package static let forgottenPersonData = Array("former".utf8)

    package let name: Name
    /// Empty: unknown.
    package let userID: String
    /// In the help desk's own form; some hundred bytes.
    package let data: [UInt8]

    package init(_ name: Name, userID: String, data: [UInt8]) {
        (self.name, self.userID, self.data) = (name, userID, data)
    }

    package var isOfForgottenPerson: Bool { data == Self.forgottenPersonData }
}

/// A report of a help desk. It leads to one event, several or none, depending on earlier reports.
package struct Report: Sendable {
    package enum Decision: Sendable {
        /// Not decidable yet. Nothing is stored, and the caller may submit the report again with more data.
        case undecided
        /// Nothing of it may be stored.
        /// - Parameter reason: a stable word for the log; nil: not logged.
        case ignored(reason: String?)
        /// New states, and events that are stored in the same transaction, in order.
        /// - Parameters:
        ///   - remark: a stable word for an anomaly, for metrics.
        ///   - rating: the score that its events report, for metrics.
        ///   - receipt: pending pushes that it covers end in the same transaction.
        case decided(
            conversations: [ConversationState], incomingEvents: [IncomingEvent], remark: String?, rating: Int64? = nil,
            receipt: ReadReceipt? = nil)
    }

    package let appID: String
    /// Deduplicates the report: the identity of its event, or a digest of its body. Not deduplicated without a `commentID`.
    package let identity: Event.Identity
    /// Further identities that deduplicate the report, for those of its events that report a comment.
    package let events: [Event.Identity]
    /// Identifies the report when no event of it is stored.
    package let id: UUIDv7
    package let receivedAt: UnixMilliseconds
    /// The topics whose states `decide` receives. It may change only these.
    package let conversations: [ConversationState.Name]
    /// The person, if the report itself names one. Stores read this person's devices ahead.
    package let userID: String?
    /// Decides, given the known states. It must be pure: the store may call it several times, on its own thread. The store itself rejects a
    /// decision that names a forgotten person (`Admission`).
    package let decide: @Sendable ([ConversationState.Name: ConversationState]) -> Decision

    package init(
        appID: String, identity: Event.Identity, events: [Event.Identity] = [], id: UUIDv7, receivedAt: UnixMilliseconds,
        conversations: [ConversationState.Name], userID: String?,
        decide: @escaping @Sendable ([ConversationState.Name: ConversationState]) -> Decision
    ) {
        precondition(identity.commentID == nil || identity.ticketID != nil, "what is recognised belongs to a ticket")
        (self.appID, self.identity, self.events, self.id, self.receivedAt) = (appID, identity, events, id, receivedAt)
        (self.conversations, self.userID, self.decide) = (conversations.sorted(), userID, decide)
    }

    /// Returns the identity of a report that is deduplicated by its body.
    /// - Parameter digest: of the body, in visible ASCII characters.
    package static func identity(appID: String, digest: String) -> Event.Identity? {
        HelpDeskID(digest).map { Event.Identity(appID: appID, ticketID: "webhook", commentID: $0, deviceID: "") }
    }
}

package enum ReportOutcome: Sendable, Equatable {
    /// The report is durable.
    /// - Parameters:
    ///   - events: ids of the stored events.
    ///   - superseded: the number of pending deliveries that its receipt ended.
    case accepted(events: [UUIDv7], remark: String?, rating: Int64? = nil, superseded: Int = 0)
    /// The report, or its event, was stored before under this one id.
    // In a list: Swift 6.3.1 misaligns the 128 bits of an id within a `Result` of this enum when it is passed to a closure, which traps.
    case duplicate(of: [UUIDv7])
    case undecided
    case ignored(reason: String?)
}
