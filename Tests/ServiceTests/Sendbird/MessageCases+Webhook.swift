import Core
import JSON

@testable import HelpDesk
@testable import Sendbird

extension MessageCases {
    /// Parses a body; nil if it is about no message of a ticket.
    static func webhook(_ body: String, bots: [String]? = nil) throws -> ChatWebhook? {
        let bots = bots.map { Set($0.map { ByteKey($0) }) }
        return try ChatWebhook(WebhookFields(parsing: Array(body.utf8).span), appID: "APP", bots: bots)
    }
}

extension MessageCases.Form {
    func webhook(from sender: MessageCases.Sender) throws -> ChatWebhook? {
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).serialized(), as: UTF8.self) }
        let top = customTypes.1.isEmpty ? "" : #""custom_type":\#(quoted(customTypes.1)),"#
        let body = SendbirdBody.message(
            sender: sender.id, type: type, customType: customTypes.0, data: data, category: isUpdate ? "message_update" : "message_send",
            extra: top)
        return try MessageCases.webhook(body, bots: sender.bots)
    }
}

extension MessageDecision {
    var word: String {
        switch self {
        case .undecided: return "Desk is asked"
        case .ignored: return "nothing"
        case .comment(let isPushed): return isPushed ? "told, pushed" : "told"
        case .malformed: return "`malformed`"
        case .inquiry(_, let step, let isPushed):
            if let remark = step.remark { return "`\(remark.rawValue)`" }
            let words = (step.isAsked ? ["asked"] : []) + (step.answer == nil ? [] : ["answered"]) + (isPushed ? ["pushed"] : [])
            return words.joined(separator: ", ")
        }
    }
}
