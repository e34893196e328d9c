internal import Core
internal import Crypto
internal import JSON

/// The kind and audience of a message in a ticket's channel: a pure function of three of its fields.
enum MessageClass: Sendable, Equatable {
    /// Support alone sees it: nothing is made of it.
    case agentsOnly
    /// The customer sees it.
    /// - Parameter isPushed: whether phones show it.
    case comment(isPushed: Bool)
    /// The preview of an address, added to a message that was delivered before.
    case preview
    /// Support asks whether the ticket may be closed, or the customer has answered.
    case closure(InquiryAnswer?)
    /// Support asks for a rating, or the customer has rated.
    case satisfaction(InquiryAnswer?)

    /// The `custom_type` of messages that support alone sees.
    static let agentsOnlyType = "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"
    /// The `custom_type` of messages of Desk's bots.
    static let botType = "SENDBIRD_DESK_BOT_MESSAGE"
    /// The `custom_type` of messages that Sendbird writes after acts of members, such as joining.
    static let autoEventType = "SENDBIRD:AUTO_EVENT_MESSAGE"
    private static let systemTypes: Set<String> = [
        "ASSIGN", "TRANSFER", "CLOSE", "TICKET_ASSIGN", "TICKET_TRANSFER", "TICKET_CLOSE",
    ]

    /// Classifies a message; the first rule that matches counts.
    /// - Parameters:
    ///   - type: `MESG`, `FILE` or `ADMM`.
    ///   - customType: empty when it has none.
    ///   - data: the text that came with it.
    init(type: String, customType: String, data: String?) {
        if customType == Self.agentsOnlyType {
            self = .agentsOnly
            return
        }
        let data = data.flatMap { MessageData($0) }
        let dataType = data?.type ?? ""
        if type == "ADMM" {
            let isSystem = dataType.hasPrefix("SYSTEM_MESSAGE_") || Self.systemTypes.contains(dataType)
            self = isSystem ? .agentsOnly : .comment(isPushed: Self.isUrgent(dataType))
            return
        }
        switch (customType, dataType) {
        case (RichMessage.customType, RichMessage.closure): self = .closure(data?.closure)
        case (RichMessage.customType, RichMessage.satisfaction): self = .satisfaction(data?.satisfaction)
        case (RichMessage.customType, "SENDBIRD_DESK_URL_PREVIEW"): self = .preview
        case (Self.autoEventType, _): self = .comment(isPushed: false)
        default: self = .comment(isPushed: true)
        }
    }

    private static func isUrgent(_ type: String) -> Bool {
        type.hasPrefix("NOTIFICATION_") && (type.hasSuffix("_ASSIGNMENT_DELAY") || type.hasSuffix("_PROACTIVE_CHAT"))
    }
}

/// The words of messages in which support asks the customer for something.
enum RichMessage {
    /// The `custom_type`.
    static let customType = "SENDBIRD_DESK_RICH_MESSAGE"
    /// The `type` in `data`: may the ticket be closed?
    static let closure = "SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE"
    /// The `type` in `data`: how content is the customer?
    static let satisfaction = "SENDBIRD_DESK_CUSTOMER_SATISFACTION"
}

/// The `data` of a message: the text of a JSON object, or base64 of one.
struct MessageData {
    private static let mostValues = 4096
    private let bytes: [UInt8]
    private let root: JSONElement

    /// Nil for anything else, which is no error: an app may put there what it likes.
    init?(_ text: String) {
        // The form of most messages.
        guard !text.isEmpty else { return nil }
        let plain = Array(text.utf8)
        if let root = Self.object(plain) {
            (self.root, bytes) = (root, plain)
        } else if let decoded = Base64.decode(text), let root = Self.object(decoded) {
            (self.root, bytes) = (root, decoded)
        } else {
            return nil
        }
    }

    private static func object(_ bytes: [UInt8]) -> JSONElement? {
        guard let root = try? JSONElement(parsing: bytes.span, mostValues: mostValues), root.isObject else { return nil }
        return root
    }

    /// Empty when it has none.
    var type: String { root["type"]?.string ?? "" }

    /// The state of the question whether a ticket may be closed; nil when it is unknown.
    var closure: InquiryAnswer? { state.map { InquiryAnswer($0) } }

    /// The state of a request for a rating; nil when it is unknown, also when the score is not 1 to 5.
    var satisfaction: InquiryAnswer? {
        guard let state, state != .declined else { return nil }
        if state == .waiting { return InquiryAnswer(.waiting) }
        guard let score = root["body"]?["customerSatisfactionScore"]?.integer, (1...5).contains(score) else { return nil }
        let comment = root["body"]?["customerSatisfactionComment"]?.string
        return InquiryAnswer(.confirmed, score: score, comment: comment.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// A copy of its `body`; nil when that is no object.
    var body: JSONObject? {
        guard case .object(let body)? = JSONValue(parsing: bytes)?["body"] else { return nil }
        return body
    }

    /// The word of a question's state: `state`, or `status` where there is none.
    var stateWord: String? { root["body"]?["state"]?.string ?? root["body"]?["status"]?.string }

    private var state: InquiryState? { stateWord.flatMap { InquiryState(rawValue: $0) } }
}
