package import Time

/// Something that notifiers report. The store keeps an event from its acceptance until its last delivery is deleted.
package struct Event: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Support has replied in a chat.
        case commentCreated = "comment.created"
        case pushTokenRegistered = "push_token.registered"
        /// The push token must no longer be used.
        case pushTokenRemoved = "push_token.removed"
        case ticketCreated = "ticket.created"
        /// An agent has taken a ticket, or was given it.
        case ticketAssigned = "ticket.assigned"
        case ticketTransferred = "ticket.transferred"
        case ticketClosed = "ticket.closed"
        case ticketReopened = "ticket.reopened"
        case ticketUpdated = "ticket.updated"
        /// Support asks the customer whether the ticket may be closed.
        case closureRequested = "ticket.closure_requested"
        case closureConfirmed = "ticket.closure_confirmed"
        case closureDeclined = "ticket.closure_declined"
        case ratingRequested = "ticket.rating_requested"
        case ticketRated = "ticket.rated"
        /// A person has read a conversation, on any device.
        case conversationSeen = "conversation.seen"
        /// A message whose customer is not known yet (`HeldMessage`). No configured notifier receives it.
        case messageHeld = "message.held"
        /// A person was forgotten, and receivers must forget the person too.
        case userForgotten = "user.forgotten"
        /// A person's keys were revoked, so the help desk sessions that they led to must end. Only relays of such help desks receive it.
        case userSignedOut = "user.signed_out"
        case operatorTest = "operator.test"
        case notifierPaused = "operator.notifier_paused"
        case notifierRecovered = "operator.notifier_recovered"
        /// Deliveries wait too long, or no longer do.
        case queueLate = "operator.queue_late"
        /// A certificate or an app's last key expires soon, or was replaced.
        case credentialExpires = "operator.credential_expires"
        /// A file system has little free space, or enough again.
        case diskLow = "operator.disk_low"
        /// Far more authorizations than usual are denied, or no longer are.
        case denialsJump = "operator.denials_jump"
        /// Something does not work, or works again.
        case problem = "operator.problem"

        /// Whether it is for the service's operators. It then concerns no person.
        package var isForOperators: Bool {
            switch self {
            case .operatorTest, .notifierPaused, .notifierRecovered, .queueLate, .credentialExpires, .diskLow, .denialsJump, .problem: true
            default: false
            }
        }

        /// Whether the person's devices show it, because support says or asks something. The payload is a `Comment`.
        package var isForDevices: Bool {
            switch self {
            case .commentCreated, .closureRequested, .ratingRequested: true
            default: false
            }
        }

        /// Whether a help desk reports it. The help desk repeats a report that could not be stored.
        package var isReported: Bool {
            switch self {
            case .commentCreated, .ticketCreated, .ticketAssigned, .ticketTransferred, .ticketClosed, .ticketReopened, .ticketUpdated,
                .closureRequested, .closureConfirmed, .closureDeclined, .ratingRequested, .ticketRated, .messageHeld:
                true
            default: false
            }
        }
    }

    /// The subject of an event. Webhooks with the same identity report one event: the help desk may repeat one, and send one per device.
    package struct Identity: Sendable, Hashable {
        /// The id as received.
        package let appID: String
        /// The ticket or channel (`Comment.conversation`); nil: none.
        package let ticketID: HelpDeskID?
        /// nil: not about a comment.
        package let commentID: HelpDeskID?
        /// Empty: no device was named.
        package let deviceID: String

        package init(appID: String, ticketID: HelpDeskID?, commentID: HelpDeskID?, deviceID: String) {
            self.appID = appID
            self.ticketID = ticketID
            self.commentID = commentID
            self.deviceID = deviceID
        }

        /// Compares bytes, because Swift's strings are equal when they are canonically equivalent.
        package static func == (left: Self, right: Self) -> Bool {
            left.ticketID == right.ticketID && left.commentID == right.commentID && ByteKey(left.appID) == ByteKey(right.appID)
                && ByteKey(left.deviceID) == ByteKey(right.deviceID)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ticketID)
            hasher.combine(commentID)
            hasher.combine(ByteKey(appID))
            hasher.combine(ByteKey(deviceID))
        }
    }

    /// The key by which deliveries stay in order, within a notifier and an app.
    package enum OrderKey: Sendable, Hashable {
        case ticket(HelpDeskID)
        case person(ByteKey)
    }

    package let id: UUIDv7
    package let kind: Kind
    package let identity: Identity
    package let userID: String
    /// The type of the named device in the app's own words; nil: not reported.
    package let deviceType: String?
    /// The time by the help desk's clock if a help desk reported the event; otherwise the same as `receivedAt`, by the store's clock if it
    /// has one. Receivers get it whichever process delivers, so it is never converted.
    package let occurredAt: UnixMilliseconds
    package private(set) var receivedAt: UnixMilliseconds
    /// The latest end of its deliveries.
    package private(set) var expiresAt: UnixMilliseconds
    /// The payload, such as `Comment`, as the text of a JSON object; `emptyData` once no delivery needs it any more.
    package let data: [UInt8]

    /// The span of the request that caused the event, and the parent of its attempts' spans; nil: no request caused it.
    package let trace: TraceContext?

    /// The data of an event whose texts and tokens were erased.
    package static let emptyData = Array("{}".utf8)

    /// For notifiers that keep an order.
    package var orderKey: OrderKey { identity.ticketID.map { .ticket($0) } ?? .person(ByteKey(userID)) }

    package var hasData: Bool { data != Self.emptyData }

    package init(
        id: UUIDv7, kind: Kind, identity: Identity, userID: String, deviceType: String? = nil, occurredAt: UnixMilliseconds,
        receivedAt: UnixMilliseconds,
        expiresAt: UnixMilliseconds, data: [UInt8], trace: TraceContext? = nil
    ) {
        self.id = id
        self.kind = kind
        self.identity = identity
        self.userID = userID
        self.deviceType = deviceType
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.expiresAt = expiresAt
        self.data = data
        self.trace = trace
    }
}

extension Event: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        receivedAt.convertTimes(convert)
        expiresAt.convertTimes(convert)
    }
}
