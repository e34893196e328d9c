internal import Core
internal import Crypto
internal import JSON

/// The class of a message in a ticket's channel, which determines who sees it: a pure function of three of the message's fields.
enum MessageClass: Sendable, Equatable {
    /// Only support sees it. It is ignored.
    case agentsOnly
    /// The customer sees it.
    /// - Parameter isPushed: whether phones show a notification.
    case comment(isPushed: Bool)
    /// The customer sees the preview of a URL, which is added to an earlier message.
    case preview
    /// Support asks whether the ticket may be closed, or the customer has answered.
    case closure(InquiryAnswer?)
    /// Support asks for a rating, or the customer has rated.
    case satisfaction(InquiryAnswer?)

    static let agentsOnlyType = "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"
    static let botType = "SENDBIRD_DESK_BOT_MESSAGE"
    /// The `custom_type` of messages that Sendbird writes after members' actions, such as joining.
    static let autoEventType = "SENDBIRD:AUTO_EVENT_MESSAGE"
    private static let systemTypes: Set<String> = [
        "ASSIGN", "TRANSFER", "CLOSE", "TICKET_ASSIGN", "TICKET_TRANSFER", "TICKET_CLOSE",
    ]

    /// Classifies a message; the first matching rule applies.
    /// - Parameters:
    ///   - type: `MESG`, `FILE` or `ADMM`.
    ///   - customType: empty when the message has none.
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

enum RichMessage {
    static let customType = "SENDBIRD_DESK_RICH_MESSAGE"
    /// The `type` in `data` of the question whether the ticket may be closed.
    static let closure = "SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE"
    /// The `type` in `data` of a request for a rating.
    static let satisfaction = "SENDBIRD_DESK_CUSTOMER_SATISFACTION"
}

/// The `data` of a message: a JSON object as text, or the same in base64.
struct MessageData {
    private static let maximumValues = 4096
    private let bytes: [UInt8]
    private let root: JSONElement

    /// Nil for anything else. That is not an error, because apps choose the contents.
    init?(_ text: String) {
        // Most messages have this form.
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
        guard let root = try? JSONElement(parsing: bytes.span, maximumValues: maximumValues), root.isObject else { return nil }
        return root
    }

    var type: String { root["type"]?.string ?? "" }

    /// The state of the question whether a ticket may be closed; nil when unreadable.
    var closure: InquiryAnswer? { state.map { InquiryAnswer($0) } }

    /// The state of a request for a rating; nil when unreadable, also when the score is not 1 to 5.
    var satisfaction: InquiryAnswer? {
        guard let state, state != .declined else { return nil }
        if state == .waiting { return InquiryAnswer(.waiting) }
        guard let score = root["body"]?["customerSatisfactionScore"]?.integer, (1...5).contains(score) else { return nil }
        let comment = root["body"]?["customerSatisfactionComment"]?.string
        return InquiryAnswer(.confirmed, score: score, comment: comment.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// A copy of `body`; nil when it is not an object.
    var body: JSONObject? {
        guard case .object(let body)? = JSONValue(parsing: bytes)?["body"] else { return nil }
        return body
    }

    /// `state`; `status` when `state` is missing.
    var stateWord: String? { root["body"]?["state"]?.string ?? root["body"]?["status"]?.string }

    private var state: InquiryState? { stateWord.flatMap { InquiryState(rawValue: $0) } }
}
