package import Time

/// A change that notifiers report. The store keeps it from its acceptance until its last delivery is deleted.
package struct Event: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case commentCreated = "comment.created"
        case pushTokenRegistered = "push_token.registered"
        /// A device's push token is not to be used any more.
        case pushTokenRemoved = "push_token.removed"
        case ticketCreated = "ticket.created"
        /// Somebody of support has taken a ticket, or was given it.
        case ticketAssigned = "ticket.assigned"
        case ticketTransferred = "ticket.transferred"
        case ticketClosed = "ticket.closed"
        /// A closed ticket was reopened.
        case ticketReopened = "ticket.reopened"
        /// A ticket has another status or priority.
        case ticketUpdated = "ticket.updated"
        /// Support asks the customer whether the ticket may be closed.
        case closureRequested = "ticket.closure_requested"
        case closureConfirmed = "ticket.closure_confirmed"
        /// The customer has not.
        case closureDeclined = "ticket.closure_declined"
        case ratingRequested = "ticket.rating_requested"
        case ticketRated = "ticket.rated"
        /// A person has read a conversation, on whatever device.
        case conversationSeen = "conversation.seen"
        /// A message of a conversation whose customer is not known yet (`HeldMessage`); the configured notifiers do not get it.
        case messageHeld = "message.held"
        /// A person was forgotten, and is to be forgotten by others too.
        case userForgotten = "user.forgotten"
        /// A person's keys were revoked, so the sessions that they led to must end at the help desk; only relays of such help desks get it.
        case userSignedOut = "user.signed_out"
        case operatorTest = "operator.test"
        /// A notifier starts no attempts.
        case notifierPaused = "operator.notifier_paused"
        case notifierRecovered = "operator.notifier_recovered"
        /// Deliveries wait too long, or no longer do.
        case queueLate = "operator.queue_late"
        /// A certificate or an app's last key ends soon, or was replaced.
        case credentialExpires = "operator.credential_expires"
        /// A file system has little space left, or enough again.
        case diskLow = "operator.disk_low"
        /// Far more authorizations are denied than usual, or no longer are.
        case denialsJump = "operator.denials_jump"
        /// Something does not work, or works again.
        case problem = "operator.problem"

        /// Whether it is for the service's operators, and has no person.
        package var isForOperators: Bool {
            switch self {
            case .operatorTest, .notifierPaused, .notifierRecovered, .queueLate, .credentialExpires, .diskLow, .denialsJump, .problem: true
            default: false
            }
        }

        /// Whether the person's devices show it: support has said something, or asks something. Its payload is a `Comment`.
        package var isForDevices: Bool {
            switch self {
            case .commentCreated, .closureRequested, .ratingRequested: true
            default: false
            }
        }

        /// Whether a help desk reported it and will repeat an event that could not be stored.
        package var isReported: Bool {
            switch self {
            case .commentCreated, .ticketCreated, .ticketAssigned, .ticketTransferred, .ticketClosed, .ticketReopened, .ticketUpdated,
                .closureRequested, .closureConfirmed, .closureDeclined, .ratingRequested, .ticketRated, .messageHeld:
                true
            default: false
            }
        }
    }

    /// The subject of an event. Two webhooks with the same identity report one event: the help desk may send a webhook several times, and
    /// one for each device.
    package struct Identity: Sendable, Hashable {
        package let appID: String
        /// The ticket that the comment was added to; nil when it is about no comment.
        package let ticketID: HelpDeskID?
        /// The comment; nil when it is about none.
        package let commentID: HelpDeskID?
        /// The device; empty when none was named.
        package let deviceID: String

        package init(appID: String, ticketID: HelpDeskID?, commentID: HelpDeskID?, deviceID: String) {
            self.appID = appID
            self.ticketID = ticketID
            self.commentID = commentID
            self.deviceID = deviceID
        }

        /// Compared as bytes: Swift's strings are equal when Unicode calls them so.
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

    /// The unit of order of deliveries, within a notifier and an app.
    package enum OrderKey: Sendable, Hashable {
        case ticket(HelpDeskID)
        /// The person of an event without a ticket.
        case person(ByteKey)
    }

    package let id: UUIDv7
    package let kind: Kind
    package let identity: Identity
    package let userID: String
    /// The type of device that it names, in the app's own words; nil when it is unknown.
    package let deviceType: String?
    /// The time of the event: by the help desk's clock if a help desk reported it, otherwise `receivedAt`, by the store's clock if it has
    /// one. Receivers get it, whichever process delivers, so it is never converted.
    package let occurredAt: UnixMilliseconds
    package private(set) var receivedAt: UnixMilliseconds
    /// The latest end of its deliveries.
    package private(set) var expiresAt: UnixMilliseconds
    /// The payload, such as `Comment`, as the text of a JSON object; `noData` once no delivery needs it any more.
    package let data: [UInt8]

    /// The span of the request that it came with, the parent of its attempts' spans; nil when no request caused it.
    package let trace: TraceContext?

    /// The data of an event whose texts and tokens are gone.
    package static let noData = Array("{}".utf8)

    /// The unit of order of its deliveries, for notifiers that keep an order.
    package var orderKey: OrderKey { identity.ticketID.map { .ticket($0) } ?? .person(ByteKey(userID)) }

    /// Whether its texts and tokens are still there.
    package var hasData: Bool { data != Self.noData }

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
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        receivedAt.convertMoments(convert)
        expiresAt.convertMoments(convert)
    }
}
