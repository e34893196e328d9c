package import Time

/// An occurrence that notifiers report. The store keeps an event from its acceptance until its last delivery is deleted.
package struct Event: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Support has replied in a chat.
        case commentCreated = "comment.created"
        case pushTokenRegistered = "push_token.registered"
        /// A push token is no longer valid.
        case pushTokenRemoved = "push_token.removed"
        case ticketCreated = "ticket.created"
        /// A ticket was assigned to an agent.
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
        /// A person's keys were revoked, so the help desk sessions obtained with these keys must end. Only relays of such help desks
        /// receive this event.
        case userSignedOut = "user.signed_out"
        case operatorTest = "operator.test"
        case notifierPaused = "operator.notifier_paused"
        case notifierRecovered = "operator.notifier_recovered"
        /// Deliveries wait too long, or this condition has ended.
        case queueLate = "operator.queue_late"
        /// A certificate or an app's last key expires soon, or was replaced.
        case credentialExpires = "operator.credential_expires"
        /// A file system has little free space, or this condition has ended.
        case diskLow = "operator.disk_low"
        /// Unusually many authorizations are denied, or this condition has ended.
        case denialsJump = "operator.denials_jump"
        /// A severe problem has occurred, or was resolved.
        case problem = "operator.problem"

        /// Whether the event is for the service's operators. Such an event concerns no person.
        package var isForOperators: Bool {
            switch self {
            case .operatorTest, .notifierPaused, .notifierRecovered, .queueLate, .credentialExpires, .diskLow, .denialsJump, .problem: true
            default: false
            }
        }

        /// Whether the person's devices show the event, because it is a message or a question of support. The payload is a `Comment`.
        package var isForDevices: Bool {
            switch self {
            case .commentCreated, .closureRequested, .ratingRequested: true
            default: false
            }
        }

        /// Whether a help desk reports the event. The help desk repeats a report that could not be stored.
        package var isReported: Bool {
            switch self {
            case .commentCreated, .ticketCreated, .ticketAssigned, .ticketTransferred, .ticketClosed, .ticketReopened, .ticketUpdated,
                .closureRequested, .closureConfirmed, .closureDeclined, .ratingRequested, .ticketRated, .messageHeld:
                true
            default: false
            }
        }
    }

    /// The subject of an event. Webhooks with the same identity report the same event: the help desk may repeat a webhook, or send one for
    /// each device.
    package struct Identity: Sendable, Hashable {
        /// The app_id as received.
        package let appID: String
        /// The ticket or channel (`Comment.conversation`); nil if there is none.
        package let ticketID: HelpDeskID?
        /// The comment; nil if the event is not about a comment.
        package let commentID: HelpDeskID?
        /// The device in the report; empty if there is none.
        package let deviceID: String

        package init(appID: String, ticketID: HelpDeskID?, commentID: HelpDeskID?, deviceID: String) {
            self.appID = appID
            self.ticketID = ticketID
            self.commentID = commentID
            self.deviceID = deviceID
        }

        /// Compares bytes. Swift's `==` would treat canonically equivalent strings as equal.
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

    /// The key within which the deliveries of a notifier and an app are made in order.
    package enum OrderKey: Sendable, Hashable {
        case ticket(HelpDeskID)
        case person(ByteKey)
    }

    package let id: UUIDv7
    package let kind: Kind
    package let identity: Identity
    package let userID: String
    /// The type of the device in the report, as registered by the app; nil if not reported.
    package let deviceType: String?
    /// The time by the help desk's clock if a help desk reported the event. Otherwise it equals `receivedAt`, by the store's clock if the
    /// store has one. All processes send the same value to receivers, so it is never converted.
    package let occurredAt: UnixMilliseconds
    package private(set) var receivedAt: UnixMilliseconds
    /// The time when the event's deliveries expire.
    package private(set) var expiresAt: UnixMilliseconds
    /// The payload, such as `Comment`, as the text of a JSON object; `emptyData` when no delivery needs it.
    package let data: [UInt8]

    /// The span of the request that caused the event, which is the parent of the attempts' spans; nil if no request caused the event.
    package let trace: TraceContext?

    /// The data of an event whose texts and tokens were erased.
    package static let emptyData = Array("{}".utf8)

    /// The key for notifiers that make deliveries in order.
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
