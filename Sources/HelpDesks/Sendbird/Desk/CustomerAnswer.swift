internal import Core
internal import JSON

/// A customer's answer to a question of support.
///
/// Sources: the vendor's SDKs, which answer by changing the message's `data` through an interface reserved for them. It is inferred that
/// the same change by Chat's Platform API is an answer.
enum CustomerAnswer: Equatable {
    case closure(isConfirmed: Bool)
    case rating(score: Int64, comment: String?)

    var type: String {
        switch self {
        case .closure: RichMessage.closure
        case .rating: RichMessage.satisfaction
        }
    }

    fileprivate var state: InquiryState { self == .closure(isConfirmed: false) ? .declined : .confirmed }
}

struct InquiryMessage {
    enum Effect: Equatable {
        case change(data: String)
        /// The message was already answered in the same way.
        case nothing
    }

    private let type: String
    private let state: String?
    private let body: JSONObject

    /// Parses a message from Chat's Platform API; nil when it is not a question about this ticket, or is not from support. Customers can
    /// write messages that look like questions.
    /// - Parameter owner: the customer, who is never support, even with support's user id prefix.
    init?(_ message: JSONValue, ticket: Int64, owner: String) {
        guard let sender = message["user"]?["user_id"]?.text, SupportAccount.isSupport(sender), !sender.utf8.elementsEqual(owner.utf8),
            message["custom_type"]?.text == RichMessage.customType, let data = message["data"]?.text.flatMap({ MessageData($0) }),
            let body = data.body
        else { return nil }
        if let id = body["ticketId"], DeskTicket.number(id) != ticket { return nil }
        type = data.type
        state = data.stateWord
        self.body = body
    }

    /// Returns the effect of an answer; nil when the message does not ask for it, or was already answered differently.
    func effect(of answer: CustomerAnswer) -> Effect? {
        guard type == answer.type, let state else { return nil }
        if state != InquiryState.waiting.rawValue { return isAnswered(answer, state) ? .nothing : nil }
        var changed = JSONObject()
        let replaced = ["state", "status", "customerSatisfactionScore", "customerSatisfactionComment"]
        changed.append(.string(answer.state.rawValue), forKey: "state")
        for member in body.members where !replaced.contains(member.key) { changed.append(member.value, forKey: member.key) }
        if case .rating(let score, let comment) = answer {
            changed.append(.integer(score), forKey: "customerSatisfactionScore")
            // The SDK writes an empty string if there is no comment.
            changed.append(.string(comment ?? ""), forKey: "customerSatisfactionComment")
        }
        let data: JSONValue = ["type": .string(type), "body": .object(changed)]
        return .change(data: String(decoding: data.serialized(), as: UTF8.self))
    }

    private func isAnswered(_ answer: CustomerAnswer, _ state: String) -> Bool {
        guard state == answer.state.rawValue else { return false }
        guard case .rating(let score, let comment) = answer else { return true }
        let known = body["customerSatisfactionComment"]?.text ?? ""
        return body["customerSatisfactionScore"]?.integer == score && known.utf8.elementsEqual((comment ?? "").utf8)
    }
}
