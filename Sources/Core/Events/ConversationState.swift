package import Time

/// Something of a help desk's that is remembered because what comes next means something only beside what came before: a ticket, a
/// conversation, a question to a customer.
package struct ConversationState: Sendable, Equatable {
    package struct Name: Sendable, Hashable, Comparable {
        /// The kind of topic, in the help desk's words.
        package let kind: ByteKey
        package let text: ByteKey

        /// Names a topic.
        /// - Parameter text: at most some hundred bytes, because it is a part of the store's key.
        package init(_ kind: String, _ text: String) {
            (self.kind, self.text) = (ByteKey(kind), ByteKey(text))
        }

        /// The order of the bytes, in which stores lock topics.
        package static func < (left: Name, right: Name) -> Bool { (left.kind, left.text) < (right.kind, right.text) }
    }

    /// The data of a topic whose person was forgotten: nothing may be made of what comes about it.
    package static let formerData = Array("former".utf8)

    package let name: Name
    /// Empty for an unknown person.
    package let userID: String
    /// The state in a form of the help desk; some hundred bytes.
    package let data: [UInt8]

    package init(_ name: Name, userID: String, data: [UInt8]) {
        (self.name, self.userID, self.data) = (name, userID, data)
    }

    package var isOfFormer: Bool { data == Self.formerData }
}

package struct Report: Sendable {
    package enum Decision: Sendable {
        /// It cannot be decided yet; nothing is stored, and it may be given to the store again with more in it.
        case undecided
        /// Nothing may be stored of it.
        /// - Parameter reason: a stable word for the log; nil for no line.
        case ignored(reason: String?)
        /// The new state, and the events that are stored in the same transaction, in order.
        /// - Parameters:
        ///   - remark: a stable word for an irregularity, for metrics; nil for none.
        ///   - rating: the score in its events, for metrics; nil for none.
        ///   - mark: the read receipt whose pending pushes end in the same transaction; nil for none.
        case decided(
            conversations: [ConversationState], incomingEvents: [IncomingEvent], remark: String?, rating: Int64? = nil,
            receipt: ReadReceipt? = nil)
    }

    package let appID: String
    /// The identity that deduplicates repetitions, with `Event.Identity.commentID`: of its event, or a digest of its body. Without a
    /// comment it is not deduplicated.
    package let identity: Event.Identity
    /// Additional identities that deduplicate its events about comments.
    package let events: [Event.Identity]
    /// The id by which it is named when no event is stored of it.
    package let id: UUIDv7
    package let receivedAt: UnixMilliseconds
    /// The topics that `decide` is asked with; those that it changes are among them.
    package let conversations: [ConversationState.Name]
    /// The person that the report names itself; stores read this person's devices ahead.
    package let userID: String?
    /// Decides, given those of the topics that are known. It must be pure: it may be called several times, on the store's thread. The
    /// store itself refuses a decision that names a person who was forgotten (`Admission`).
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

    /// The identity of a report that is recognised by its body.
    /// - Parameter digest: of the body, in visible ASCII characters.
    package static func identity(appID: String, digest: String) -> Event.Identity? {
        HelpDeskID(digest).map { Event.Identity(appID: appID, ticketID: "webhook", commentID: $0, deviceID: "") }
    }
}

package enum ReportOutcome: Sendable, Equatable {
    /// It is durable.
    /// - Parameters:
    ///   - events: the ids of the events that were stored.
    ///   - remark: that of the decision.
    ///   - rating: that of the decision.
    ///   - superseded: how many pending deliveries its mark has ended.
    case accepted(events: [UUIDv7], remark: String?, rating: Int64? = nil, superseded: Int = 0)
    /// It, or its event, was stored before, under this one id.
    // In a list: Swift 6.3.1 misaligns the 128 bits of an id within a `Result` of this enum when it is passed to a closure, which traps.
    case duplicate(of: [UUIDv7])
    /// `Report.Decision.undecided`.
    case undecided
    /// `Report.Decision.ignored`.
    /// - Parameter reason: that of the decision.
    case ignored(reason: String?)
}
