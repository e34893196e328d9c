internal import Core
internal import Time

extension ReportBuilder {
    /// Creates the report of a message.
    /// - Parameters:
    ///   - found: the channel's owner, as just returned by Desk; nil when Desk was not queried or does not have the channel.
    ///   - isFinal: whether to decide even if the owner is unknown.
    func report(_ webhook: ChatWebhook, found: ChannelOwner?, isFinal: Bool) -> Report {
        let isComment = webhook.isComment
        let inquiry = ConversationState.Name(
            webhook.content.isClosure ? "closure" : "satisfaction", "\(webhook.channel)/\(webhook.messageID)")
        let channel = Self.channelName(webhook.channel)
        let hint = found ?? webhook.customerID.map { ChannelOwner(userID: $0, ticketID: nil) }
        return Report(
            appID: appID, identity: identity, events: isComment ? [] : [webhook.messageIdentity(appID)], id: id(0),
            receivedAt: receivedAt, conversations: isComment ? [channel] : [channel, inquiry], userID: hint.flatMap { named($0.userID) }
        ) { conversations in
            if conversations[channel]?.isOfForgottenPerson == true || conversations[inquiry]?.isOfForgottenPerson == true {
                return .ignored(reason: nil)
            }
            let known = Self.owner(conversations[channel])
            // The answer of Desk takes precedence over the members of the message.
            let owner = known?.ticketID != nil ? known : found ?? known ?? hint
            let memory = StoredChatFacts(owner: owner, isDeskAsked: isFinal, inquiry: Inquiry(conversations[inquiry]))
            let question = ConversationState(inquiry, userID: owner?.userID ?? conversations[inquiry]?.userID ?? "", data: [])
            let decision = reported(webhook.decision(memory), on: webhook, of: owner, question)
            guard let owner, owner != known, case .decided(let changed, let incomingEvents, let remark, let rating, _) = decision else {
                return decision
            }
            return .decided(
                conversations: changed + [Self.conversation(webhook.channel, owner)], incomingEvents: incomingEvents, remark: remark,
                rating: rating)
        }
    }

    /// - Parameter question: the topic of the question that the message may ask or answer, without its data.
    private func reported(
        _ decision: MessageDecision, on webhook: ChatWebhook, of owner: ChannelOwner?, _ question: ConversationState
    ) -> Report.Decision {
        let remark: DurableWebhookResult? = owner == nil ? .noCustomer : nil
        switch decision {
        case .undecided: return .undecided
        case .ignored(let reason): return .ignored(reason: reason?.rawValue)
        case .comment(let isPushed):
            let incoming = comment(webhook, kind: .commentCreated, owner: owner, isPushed: isPushed)
            return .decided(conversations: [], incomingEvents: [incoming], remark: remark?.rawValue)
        case .malformed: return .decided(conversations: [], incomingEvents: [], remark: DurableWebhookResult.malformed.rawValue)
        case .inquiry(let inquiry, let step, let isPushed):
            let request: Event.Kind = webhook.content.isClosure ? .closureRequested : .ratingRequested
            var incomingEvents: [IncomingEvent] = []
            if step.isAsked { incomingEvents.append(comment(webhook, kind: request, owner: owner, isPushed: isPushed)) }
            if let answer = step.answer { incomingEvents.append(answered(answer, request: request, webhook: webhook, owner: owner)) }
            return .decided(
                conversations: [ConversationState(question.name, userID: question.userID, data: inquiry.data)],
                incomingEvents: incomingEvents,
                remark: (step.remark ?? remark)?.rawValue, rating: step.answer?.score)
        }
    }

    private func comment(_ webhook: ChatWebhook, kind: Event.Kind, owner: ChannelOwner?, isPushed: Bool) -> IncomingEvent {
        let comment = Comment(
            appID: appID, userID: owner?.userID ?? "", ticketID: owner?.ticketID, channel: webhook.channel, commentID: webhook.messageID,
            deviceID: "", deviceType: nil, body: webhook.text,
            author: webhook.senderName.map { Comment.Author(name: $0, avatarURL: webhook.senderAvatar) }, createdAt: webhook.occurredAt,
            attachments: webhook.file.map { [$0] } ?? [])
        return IncomingEvent(
            Event(
                comment, id: id(0), kind: kind, receivedAt: receivedAt, lifetimeMilliseconds: lifetimeMilliseconds, trace: trace),
            to: isPushed ? subscriptions.comments : subscriptions.quietComments)
    }

    private func answered(
        _ answer: InquiryAnswer, request: Event.Kind, webhook: ChatWebhook, owner: ChannelOwner?
    ) -> IncomingEvent {
        let kind: Event.Kind =
            request == .ratingRequested ? .ticketRated : answer.state == .confirmed ? .closureConfirmed : .closureDeclined
        let payload = TicketPayload.Answer(
            ticketID: owner?.ticketID, channel: webhook.channel, commentID: webhook.messageID,
            rating: kind == .ticketRated ? TicketPayload.Answer.Rating(score: answer.score, comment: answer.comment) : nil)
        return ticketEvent(
            kind, 1, conversation: webhook.channel, userID: owner?.userID ?? "", occurredAt: webhook.occurredAt, data: payload.data)
    }
}

extension MessageClass {
    fileprivate var isClosure: Bool {
        if case .closure = self { true } else { false }
    }
}
