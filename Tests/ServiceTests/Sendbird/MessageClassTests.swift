import Crypto
import Testing

@testable import Sendbird

/// The table of message classes and their visibility, row by row, with data in Sendbird's form.
@Suite struct MessageClassTests {
    private static let rich = "SENDBIRD_DESK_RICH_MESSAGE"

    static let rows: [(type: String, customType: String, data: String?, expected: MessageClass)] = [
        ("MESG", "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE", #"{"type":"SYSTEM_MESSAGE_TICKET_ASSIGNED_BY_SYSTEM"}"#, .agentsOnly),
        ("ADMM", "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE", nil, .agentsOnly),
        ("MESG", "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE", "{", .agentsOnly),
        ("ADMM", "", #"{"type":"SYSTEM_MESSAGE_TICKET_CLOSED_BY_AGENT"}"#, .agentsOnly),
        ("ADMM", "", #"{"type":"ASSIGN"}"#, .agentsOnly), ("ADMM", "", #"{"type":"TRANSFER"}"#, .agentsOnly),
        ("ADMM", "", #"{"type":"CLOSE"}"#, .agentsOnly), ("ADMM", "", #"{"type":"TICKET_ASSIGN"}"#, .agentsOnly),
        ("ADMM", "", #"{"type":"TICKET_TRANSFER"}"#, .agentsOnly), ("ADMM", "", #"{"type":"TICKET_CLOSE"}"#, .agentsOnly),
        ("ADMM", "", #"{"type":"NOTIFICATION_MANUAL_CLOSED"}"#, .comment(isPushed: false)),
        ("ADMM", "", #"{"type":"NOTIFICATION_ASSIGNMENT_DELAY"}"#, .comment(isPushed: true)),
        ("ADMM", "", #"{"type":"NOTIFICATION_AUTO_PROACTIVE_CHAT"}"#, .comment(isPushed: true)),
        ("ADMM", "", #"{"type":"FUTURE_THING","future":[1]}"#, .comment(isPushed: false)), ("ADMM", "", "", .comment(isPushed: false)),
        ("MESG", rich, inquiry(#""state":"WAITING""#), .closure(InquiryAnswer(.waiting))),
        ("MESG", rich, inquiry(#""state":"CONFIRMED""#), .closure(InquiryAnswer(.confirmed))),
        ("MESG", rich, inquiry(#""status":"DECLINED""#), .closure(InquiryAnswer(.declined))),
        ("MESG", rich, inquiry(#""state":"WAITING","status":"CONFIRMED""#), .closure(InquiryAnswer(.waiting))),
        ("MESG", rich, inquiry(#""state":"waiting""#), .closure(nil)), ("MESG", rich, inquiry(""), .closure(nil)),
        ("MESG", rich, rating(#""state":"WAITING","customerSatisfactionScore":null"#), .satisfaction(InquiryAnswer(.waiting))),
        (
            "MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":4,"customerSatisfactionComment":"Fast""#),
            .satisfaction(InquiryAnswer(.confirmed, score: 4, comment: "Fast"))
        ),
        (
            "MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":5,"customerSatisfactionComment":"""#),
            .satisfaction(InquiryAnswer(.confirmed, score: 5))
        ),
        (
            "MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":1,"customerSatisfactionComment":null"#),
            .satisfaction(InquiryAnswer(.confirmed, score: 1))
        ),
        ("MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":0"#), .satisfaction(nil)),
        ("MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":6"#), .satisfaction(nil)),
        ("MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":4.5"#), .satisfaction(nil)),
        ("MESG", rich, rating(#""state":"CONFIRMED","customerSatisfactionScore":"4""#), .satisfaction(nil)),
        ("MESG", rich, rating(#""state":"CONFIRMED""#), .satisfaction(nil)),
        ("MESG", rich, #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"https://example.com/"}}"#, .preview),
        ("MESG", rich, #"{"type":"SENDBIRD_DESK_FUTURE"}"#, .comment(isPushed: true)),
        ("MESG", rich, "{", .comment(isPushed: true)), ("MESG", rich, "[1,2]", .comment(isPushed: true)),
        ("MESG", rich, nil, .comment(isPushed: true)),
        ("MESG", "SENDBIRD_DESK_BOT_MESSAGE", #"{"type":"SENDBIRD_DESK_BOT_FAQ_ANSWERS"}"#, .comment(isPushed: true)),
        ("MESG", "SENDBIRD:AUTO_EVENT_MESSAGE", #"{"type":"any"}"#, .comment(isPushed: false)),
        ("MESG", "", "", .comment(isPushed: true)), ("FILE", "", nil, .comment(isPushed: true)),
        ("MESG", "app's own", "not JSON", .comment(isPushed: true)),
        // The constant in the vendor's samples hides nothing, because it does not occur.
        ("MESG", "ADMIN_MESSAGE_CUSTOM_TYPE", nil, .comment(isPushed: true)),
    ]

    private static func inquiry(_ body: String) -> String { #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{\#(body)}}"# }
    private static func rating(_ body: String) -> String { #"{"type":"SENDBIRD_DESK_CUSTOMER_SATISFACTION","body":{\#(body)}}"# }

    @Test(arguments: rows.indices) func `matches the table`(_ row: Int) {
        let (type, customType, data, expected) = Self.rows[row]
        #expect(MessageClass(type: type, customType: customType, data: data) == expected, "\(row)")
        guard let data else { return }
        let encoded = Base64.encode(data.utf8.span)
        #expect(MessageClass(type: type, customType: customType, data: encoded) == expected, "base64 of \(row)")
    }

    @Test func `an unknown class is no error`() {
        let json = Self.inquiry(#""state":"WAITING""#)
        let twice = Base64.encode(Base64.encode(json.utf8.span).utf8.span)
        let cut = String(json.dropLast(2))
        let large = String(repeating: "[", count: 1 << 20)
        for data in [twice, cut, large, String(repeating: "A", count: 1 << 20), "\u{0}", "null", "7", "\"text\""] {
            #expect(MessageClass(type: "MESG", customType: Self.rich, data: data) == .comment(isPushed: true))
        }
    }
}
