internal import Core

/// Stored facts on which the decision about a message depends.
struct StoredChatFacts: Sendable, Equatable {
    /// The owner of the channel; nil when unknown.
    var owner: ChannelOwner?
    /// Whether Desk has answered about the owner.
    var isDeskAsked = false
    var inquiry = Inquiry()
}

/// The decision about a message. docs/SENDBIRD.md has the table of cases, "Allowed senders".
enum MessageDecision: Sendable, Equatable {
    /// The decision depends on the channel's customer, and only Desk knows.
    case undecided
    /// The message is ignored.
    /// - Parameter reason: nil for an expected message, such as one by the customer.
    case ignored(IgnoreReason?)
    /// The customer is notified.
    /// - Parameter isPushed: whether phones show a notification.
    case comment(isPushed: Bool)
    /// A question was asked or answered, or the message contradicts the question's state.
    /// - Parameters:
    ///   - inquiry: the question after the message.
    ///   - step: the change.
    ///   - isPushed: whether phones show a notification of the question.
    case inquiry(Inquiry, Inquiry.Step, isPushed: Bool)
    case malformed
}

/// The reason why a possibly unexpected message is ignored, as in the log.
enum IgnoreReason: String, Sendable {
    /// The sender of a question is not support.
    case questionNotOfSupport = "question_not_of_support"
    /// A bot wrote in a channel for which Desk knows no ticket.
    case unknownTicket = "unknown_ticket"
    /// The app names its bots, and a user who is not one of them wrote with a bot's custom type.
    case notABot = "not_a_bot"
}

extension ChatWebhook {
    /// Decides about the message: a pure function of the message and of the stored facts.
    ///
    /// Without an owner it returns `ignored` only if it would do so for every owner; such a message is never passed to a store.
    func decision(_ memory: StoredChatFacts) -> MessageDecision {
        switch (content, category) {
        case (.agentsOnly, _), (.comment, .updated), (.preview, .updated): .ignored(nil)
        case (.comment(let isPushed), .sent): comment(isPushed: isPushed, memory)
        case (.preview, .sent): comment(isPushed: true, memory)
        case (.closure(let answer), .sent), (.satisfaction(let answer), .sent):
            writer == .support ? inquiry(answer, memory) : .ignored(.questionNotOfSupport)
        // The message's number shows that support asked. Sendbird does not document whom it names as the sender of an update.
        case (.closure(let answer), .updated), (.satisfaction(let answer), .updated): inquiry(answer, memory)
        }
    }

    private func comment(isPushed: Bool, _ memory: StoredChatFacts) -> MessageDecision {
        if writer == .other { return .ignored(nil) }
        if writer == .unnamedBot { return .ignored(.notABot) }
        // A customer can create a channel that looks like a ticket's, and then leave it to others. Only Desk knows the tickets.
        let needsTicket = writer.mayBeBot
        let isKnown = needsTicket ? memory.owner?.ticketID != nil : memory.owner != nil
        guard isKnown || memory.isDeskAsked else { return .undecided }
        if needsTicket, !isKnown { return .ignored(.unknownTicket) }
        if isWritten(by: memory.owner) { return .ignored(nil) }
        return .comment(isPushed: isPushed && memory.owner != nil)
    }

    private func inquiry(_ answer: InquiryAnswer?, _ memory: StoredChatFacts) -> MessageDecision {
        guard let answer else { return .malformed }
        guard memory.owner != nil || memory.isDeskAsked else { return .undecided }
        switch category {
        case .sent: if isWritten(by: memory.owner) { return .ignored(nil) }
        // A customer can change the data of support's messages through Desk's own interface, so an update is never a question.
        case .updated: if answer.state == .waiting, memory.inquiry.state == nil { return .ignored(nil) }
        }
        var inquiry = memory.inquiry
        let step = inquiry.take(answer)
        return .inquiry(inquiry, step, isPushed: step.isAsked && step.answer == nil && memory.owner != nil)
    }

    private func isWritten(by owner: ChannelOwner?) -> Bool {
        guard let owner, let senderID else { return false }
        return owner.userID.utf8.elementsEqual(senderID.utf8)
    }
}
