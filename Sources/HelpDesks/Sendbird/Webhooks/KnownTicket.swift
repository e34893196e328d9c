internal import Core
internal import HelpDesk
internal import JSON
internal import Time

/// A ticket in a webhook of Desk; every field may be missing.
struct ReportedTicket: Sendable, Equatable {
    let id: HelpDeskID
    let channel: HelpDeskID?
    let channelType: String?
    let userID: String?
    let status: String?
    let closeStatus: String?
    let priority: String?
    let group: HelpDeskID?
    let agent: HelpDeskID?

    /// Reads `data` of a webhook.
    /// - Throws: when it has no `id`.
    init(_ data: WebhookFields) throws(WebhookError) {
        id = try data.requiredID("id", "the ticket's number")
        channel = data.id("channelUrl")
        channelType = Ticket.channelType(data.string("channelType"))
        userID = data.object("customer")?.plainText("sendbirdId", longest: FieldGrammar.longestUserID)
        status = data.string("status2")
        closeStatus = data.string("closeStatus")
        priority = data.string("priority")
        group = data.object("group").flatMap { $0.id("key") ?? $0.id("id") }
        agent = data.object("recentAssignment")?.object("agent")?.id("id")
    }

    init(
        id: HelpDeskID, channel: HelpDeskID? = nil, userID: String? = nil, status: String? = nil, closeStatus: String? = nil,
        priority: String? = nil, group: HelpDeskID? = nil, agent: HelpDeskID? = nil
    ) {
        channelType = nil
        (self.id, self.channel, self.userID, self.status, self.closeStatus) = (id, channel, userID, status, closeStatus)
        (self.priority, self.group, self.agent) = (priority, group, agent)
    }

    /// Nil when the webhook does not contain it.
    fileprivate var isClosed: Bool? {
        if let closeStatus { return closeStatus != "NOT_CLOSED" }
        return status.map { $0 == "CLOSED" }
    }
}

/// The stored state of a ticket: a pure function of Desk's webhooks, and its form in a topic.
struct KnownTicket: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        /// The events, in the order in which they are sent.
        var kinds: [Event.Kind] = []
        /// The changed fields with their former values; nil for an unknown former value.
        var changes: [Change] = []
        var remark: DurableWebhookResult?
    }

    struct Change: Sendable, Equatable {
        let field: StaticString
        let from: String?

        static func == (left: Self, right: Self) -> Bool { "\(left.field)" == "\(right.field)" && left.from == right.from }
    }

    private(set) var status: String?
    private(set) var closeStatus: String?
    private(set) var priority: String?
    private(set) var group: String?
    private(set) var agent: String?
    private(set) var isClosed = false
    private(set) var reportedAt: UnixMilliseconds?
    private var isKnown = false
    /// Whether `ticket.created` was sent. Webhooks may arrive out of order.
    private var isCreationReported = false

    private static let creation = "TICKET.CREATED"

    init() {}

    /// - Parameters:
    ///   - type: the webhook's `eventType`.
    ///   - reportedAt: the webhook's `createdAt`; without it the webhook is treated as the newest.
    mutating func take(_ ticket: ReportedTicket, type: String, reportedAt time: UnixMilliseconds?) -> Step {
        var step = Step()
        if type == Self.creation, isKnown, !isCreationReported {
            // A later webhook has overtaken this one: the known state is newer.
            isCreationReported = true
            step.kinds = [.ticketCreated]
            return step
        }
        if let time, let reportedAt, time < reportedAt {
            step.remark = .stale
            return step
        }
        reportedAt = time ?? reportedAt
        let wasKnown = isKnown
        isKnown = true
        let wasClosed = isClosed
        isClosed = ticket.isClosed ?? isClosed
        let former = (agent: agent, status: status, group: group)
        Self.change(&status, new: ticket.status, field: "status", step: &step)
        Self.change(&closeStatus, new: ticket.closeStatus, field: "close_status", step: &step)
        Self.change(&priority, new: ticket.priority, field: "priority", step: &step)
        Self.change(&group, new: ticket.group?.text, field: "group", step: &step)
        Self.change(&agent, new: ticket.agent?.text, field: "agent", step: &step)
        if type == Self.creation, !wasKnown {
            isCreationReported = true
            step.kinds.append(.ticketCreated)
        }
        if isClosed, !wasClosed, wasKnown || type != Self.creation { step.kinds.append(.ticketClosed) }
        guard wasKnown else {
            // The first known webhook about a ticket does not show whether anything changed.
            step.changes = []
            return step
        }
        if wasClosed, !isClosed { step.kinds.append(.ticketReopened) }
        if former.group != nil, former.group != group { step.kinds.append(.ticketTransferred) }
        let isTaken = agent != nil && agent != former.agent
        if isTaken || (former.agent == nil && agent == nil && status == "ACTIVE" && former.status == "PENDING") {
            step.kinds.append(.ticketAssigned)
        }
        if step.kinds.isEmpty, !step.changes.isEmpty { step.kinds = [.ticketUpdated] }
        return step
    }

    private static func change(_ value: inout String?, new: String?, field: StaticString, step: inout Step) {
        guard let new, new != value else { return }
        step.changes.append(Change(field: field, from: value))
        value = new
    }
}

extension KnownTicket {
    /// Reads the form written by `data`. Anything unreadable is treated as unknown.
    init(_ conversation: ConversationState?) {
        guard let conversation, let root = try? JSONElement(parsing: conversation.data.span), root.isObject else { return }
        isKnown = true
        status = root["status"]?.string
        closeStatus = root["close_status"]?.string
        priority = root["priority"]?.string
        group = root["group"]?.string
        agent = root["agent"]?.string
        isClosed = root["is_closed"]?.integer == 1
        isCreationReported = root["is_creation_told"]?.integer == 1
        reportedAt = root["told_at"]?.integer.flatMap { UInt64(exactly: $0) }.map { UnixMilliseconds(rawValue: $0) }
    }

    var data: [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.beginObject()
        writer.add("status", status)
        writer.add("close_status", closeStatus)
        writer.add("priority", priority)
        writer.add("group", group)
        writer.add("agent", agent)
        writer.add("is_closed", isClosed ? 1 : 0)
        writer.add("is_creation_told", isCreationReported ? 1 : 0)
        writer.add("told_at", reportedAt.map { Int64(clamping: $0.rawValue) })
        writer.endObject()
        return writer.bytes
    }
}
