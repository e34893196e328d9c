internal import Core
internal import HelpDesk
internal import Time

struct DeskWebhook: Sendable {
    /// The type as Desk sends it.
    let type: String
    /// The sending time by Desk's clock; nil when unknown.
    let createdAt: UnixMilliseconds?
    let ticket: ReportedTicket

    /// Parses a webhook's body. An unknown event with a ticket is treated as a change of the ticket.
    /// - Returns: nil when the webhook is ignored: a message to a bot, or an event without a ticket.
    init?(_ root: WebhookFields) throws(WebhookError) {
        type = try root.requiredString("eventType", "a string such as TICKET.CREATED")
        createdAt = root.time("createdAt")
        let isOfTicket = ["TICKET.CREATED", "TICKET.STATUS.UPDATED", "TICKET.CLOSED"].contains(type)
        if isOfTicket {
            ticket = try ReportedTicket(try root.requiredObject("data"))
        } else {
            guard type != "MESSAGE.RECEIVED", let data = root.object("data"), let ticket = try? ReportedTicket(data) else { return nil }
            self.ticket = ticket
        }
    }
}

extension ReportBuilder {
    func report(_ webhook: DeskWebhook) -> Report {
        let ticket = webhook.ticket
        let name = ConversationState.Name("ticket", ticket.id.text)
        let channel = ticket.channel.map { Self.channelName($0) }
        return Report(
            appID: appID, identity: identity, id: id(0), receivedAt: receivedAt, conversations: [name] + (channel.map { [$0] } ?? []),
            userID: ticket.userID.flatMap { named($0) }
        ) { conversations in
            let known = conversations[name]
            if known?.isOfForgottenPerson == true { return .ignored(reason: nil) }
            let userID = ticket.userID ?? known.flatMap { $0.userID.isEmpty ? nil : $0.userID }
            var state = KnownTicket(known)
            let step = state.take(ticket, type: webhook.type, reportedAt: webhook.createdAt)
            var changed = [ConversationState(name, userID: userID ?? "", data: state.data)]
            if let userID, let channel = ticket.channel, conversations[Self.channelName(channel)]?.isOfForgottenPerson != true {
                changed.append(Self.conversation(channel, ChannelOwner(userID: userID, ticketID: ticket.id)))
            }
            let incomingEvents = step.kinds.enumerated().map { place, kind in
                event(kind, place: place, webhook: webhook, state: state, changes: step.changes, userID: userID ?? "")
            }
            let remark = step.remark ?? (userID == nil ? .noCustomer : incomingEvents.isEmpty && known != nil ? .duplicate : nil)
            return .decided(conversations: changed, incomingEvents: incomingEvents, remark: remark?.rawValue)
        }
    }

    private func event(
        _ kind: Event.Kind, place: Int, webhook: DeskWebhook, state: KnownTicket, changes: [KnownTicket.Change], userID: String
    ) -> IncomingEvent {
        let ticket = webhook.ticket
        let report = TicketPayload.Report(
            ticketID: ticket.id, channel: ticket.channel, channelType: ticket.channelType, status: state.status,
            closeStatus: state.closeStatus, priority: state.priority, group: state.group, agentID: state.agent,
            changedFrom: changes.map { ($0.field, $0.from) })
        return ticketEvent(
            kind, place, conversation: ticket.channel ?? ticket.id, userID: userID, occurredAt: webhook.createdAt, data: report.data)
    }
}
