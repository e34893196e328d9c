package import Time

/// Stored state that is needed to interpret later webhooks of a help desk: about a ticket, a conversation, or a question to a customer.
package struct ConversationState: Sendable, Equatable {
    /// Identifies the subject of a state, a *topic*, among the topics of an app.
    package struct Name: Sendable, Hashable, Comparable {
        /// The kind of topic, as named by the code of the help desk.
        package let kind: ByteKey
        package let text: ByteKey

        /// - Parameter text: at most a few hundred bytes, because the text is part of the store's key.
        package init(_ kind: String, _ text: String) {
            (self.kind, self.text) = (ByteKey(kind), ByteKey(text))
        }

        /// Compares bytes. Stores lock topics in this order.
        package static func < (left: Name, right: Name) -> Bool { (left.kind, left.text) < (right.kind, right.text) }
    }

    /// The data of a topic whose person was forgotten. Later reports about this topic must not create events.
    package static let forgottenPersonData = Array("former".utf8)

    package let name: Name
    /// The person; empty if unknown.
    package let userID: String
    /// The state in the help desk's format; a few hundred bytes.
    package let data: [UInt8]

    package init(_ name: Name, userID: String, data: [UInt8]) {
        (self.name, self.userID, self.data) = (name, userID, data)
    }

    package var isOfForgottenPerson: Bool { data == Self.forgottenPersonData }
}

/// A report of a help desk. Depending on earlier reports, it creates no event, one event, or several.
package struct Report: Sendable {
    package enum Decision: Sendable {
        /// The report cannot be decided yet. Nothing is stored, and the caller may submit the report again with more data.
        case undecided
        /// The report must not be stored.
        /// - Parameter reason: a stable identifier for the log; nil if the report is not logged.
        case ignored(reason: String?)
        /// New states, and events that are stored in the same transaction, in order.
        /// - Parameters:
        ///   - remark: a stable identifier of an anomaly, for metrics.
        ///   - rating: the score in the events, for metrics.
        ///   - receipt: a receipt whose pending pushes end in the same transaction.
        case decided(
            conversations: [ConversationState], incomingEvents: [IncomingEvent], remark: String?, rating: Int64? = nil,
            receipt: ReadReceipt? = nil)
    }

    package let appID: String
    /// The identity for deduplication: the identity of the report's event, or a digest of its body. Without a `commentID`, the report is
    /// not deduplicated.
    package let identity: Event.Identity
    /// Further identities for deduplication, of events in the report that are about a comment.
    package let events: [Event.Identity]
    /// Identifies the report if none of its events is stored.
    package let id: UUIDv7
    package let receivedAt: UnixMilliseconds
    /// The topics whose states are passed to `decide`, which may change only these.
    package let conversations: [ConversationState.Name]
    /// The person, if the report itself contains one. Stores read this person's devices in advance.
    package let userID: String?
    /// Decides with the known states. The function must be pure, because the store may call it several times, on its own thread. The store
    /// itself rejects a decision about a forgotten person (`Admission`).
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
    /// - Parameter digest: the digest of the body, in visible ASCII characters.
    package static func identity(appID: String, digest: String) -> Event.Identity? {
        HelpDeskID(digest).map { Event.Identity(appID: appID, ticketID: "webhook", commentID: $0, deviceID: "") }
    }
}

package enum ReportOutcome: Sendable, Equatable {
    /// The report is durable.
    /// - Parameters:
    ///   - events: the ids of the stored events.
    ///   - superseded: the number of pending deliveries that the report's receipt ended.
    case accepted(events: [UUIDv7], remark: String?, rating: Int64? = nil, superseded: Int = 0)
    /// The report or its event was stored earlier, under this id.
    // A list, because Swift 6.3.1 misaligns a 128-bit id in a `Result` of this enum that is passed to a closure, which traps.
    case duplicate(of: [UUIDv7])
    case undecided
    case ignored(reason: String?)
}
