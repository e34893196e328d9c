import Core

@testable import Sendbird

/// The cases of "Allowed senders" in docs/SENDBIRD.md.
enum MessageCases {
    /// Forms of messages with the same results.
    struct Case: Sendable {
        let message: String
        let forms: [Form]
        /// Earlier messages about the question with this number.
        var known: [InquiryAnswer] = []
        /// The results by writer, in the order of `Writer.allCases`.
        let results: [String]

        var row: String { "| \(message) | \(results.joined(separator: " | ")) |" }
    }

    /// The fields of a message that Deskgate evaluates.
    struct Form: Sendable {
        var type = "MESG"
        /// The custom type in `payload`, and at the top level.
        var customTypes = ("", "")
        var data = ""
        var isUpdate = false

        /// Whether it marks its sender as a bot when the app does not name its bots.
        var isAutomatic: Bool {
            let customType = customTypes.0.isEmpty ? customTypes.1 : customTypes.0
            return [MessageCases.bot, MessageCases.autoEvent].contains(customType)
        }
    }

    /// A sender, and the bots that the app names.
    struct Sender: Sendable {
        /// The user id; nil for a message without a sender.
        let id: String?
        /// Nil when the app does not name its bots.
        let bots: [String]?
    }

    enum Writer: CaseIterable, Sendable {
        case support, bot, another, customer, nobody

        /// A bot, a member whom the customer has invited, another user, and ids that resemble others.
        private static let others = [
            "other-bot", "user-2", "stranger", "USER-1", "user-1 ", "us\u{0435}r-1", "sendbird_desk_agent_i", "SENDBIRD_DESK_AGENT_ID_1",
            " sendbird_desk_agent_id_1", "sendbird_desk_bot_id_1",
        ]

        func senders(_ form: Form) -> [Sender] {
            func senders(_ ids: [String?], _ bots: [String]?...) -> [Sender] {
                bots.flatMap { bots in ids.map { Sender(id: $0, bots: bots) } }
            }
            switch self {
            case .support:
                return senders(
                    ["sendbird_desk_agent_id_1", "sendbird_desk_agent_id_7e6a1f0c-4837-4758-93a1-e50c5b957033"], nil, [], ["bot"])
            case .bot: return senders(["bot"], ["bot"]) + (form.isAutomatic ? senders(Self.others, nil) : [])
            case .another: return senders(Self.others, [], ["bot"]) + (form.isAutomatic ? [] : senders(Self.others, nil))
            case .customer: return senders([MessageCases.customer], nil, [], ["bot"], [MessageCases.customer])
            case .nobody: return senders([nil, ""], nil, [], ["bot"])
            }
        }
    }

    static let customer = "user-1"
    /// The customer according to Desk and according to the members of a message.
    static let ticketOwner = ChannelOwner(userID: customer, ticketID: 101)
    static let memberOwner = ChannelOwner(userID: customer, ticketID: nil)

    private static let agentsOnly = "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"
    private static let rich = "SENDBIRD_DESK_RICH_MESSAGE"
    fileprivate static let bot = "SENDBIRD_DESK_BOT_MESSAGE"
    fileprivate static let autoEvent = "SENDBIRD:AUTO_EVENT_MESSAGE"
    private static let waiting = InquiryAnswer(.waiting)
    private static let confirmed = InquiryAnswer(.confirmed)
    private static let four = InquiryAnswer(.confirmed, score: 4)

    private static func types(_ names: String...) -> [String] { names.map { #"{"type":"\#($0)"}"# } }
    private static func closure(_ state: String) -> String {
        #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"\#(state)","ticketId":101}}"#
    }
    private static func rating(_ state: String, _ score: String = "null") -> String {
        #"{"type":"SENDBIRD_DESK_CUSTOMER_SATISFACTION","body":{"state":"\#(state)","customerSatisfactionScore":\#(score)}}"#
    }
    /// A custom type in `payload`, at the top level, and in both places.
    private static func places(_ customType: String, type: String = "MESG", data: String = "") -> [Form] {
        [(customType, ""), ("", customType), (customType, customType)].map { Form(type: type, customTypes: $0, data: data) }
    }
    private static func update(_ data: String...) -> [Form] { data.map { Form(customTypes: (rich, ""), data: $0, isUpdate: true) } }

    private static let hidden: [Form] =
        [
            (agentsOnly, ""), ("", agentsOnly), (agentsOnly, "own"), ("own", agentsOnly), (bot, agentsOnly), (rich, agentsOnly),
            (autoEvent, agentsOnly), (agentsOnly, bot),
        ].flatMap { customTypes in
            ["MESG", "FILE", "ADMM"].map { Form(type: $0, customTypes: customTypes, data: closure("WAITING")) }
        }
    private static let system: [Form] = types(
        "SYSTEM_MESSAGE_TICKET_CLOSED_BY_AGENT", "ASSIGN", "TRANSFER", "CLOSE", "TICKET_ASSIGN", "TICKET_TRANSFER", "TICKET_CLOSE"
    ).map { Form(type: "ADMM", data: $0) }
    private static let plain: [Form] = [
        Form(), Form(type: "FILE"), Form(data: "own"), Form(data: closure("WAITING")), Form(data: rating("CONFIRMED", "5")),
        Form(customTypes: ("own", "")), Form(customTypes: ("own", bot)), Form(customTypes: ("ADMIN_MESSAGE_CUSTOM_TYPE", "")),
        Form(customTypes: ("sendbird_desk_bot_message", "")), Form(data: types("SYSTEM_MESSAGE_TICKET_CLOSED")[0]),
        Form(data: types("NOTIFICATION_ASSIGNMENT_DELAY")[0]), Form(type: "BRDM"),
        Form(customTypes: (rich, ""), data: "{"), Form(customTypes: (rich, "")),
        Form(customTypes: (rich, ""), data: #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"https://example.com/"}}"#),
        Form(customTypes: (rich, ""), data: types("SENDBIRD_DESK_FUTURE")[0]),
    ]

    static let all: [Case] = [
        Case(
            message: "the custom type for agents only, in either place; a system message of an administrator", forms: hidden + system,
            results: ["nothing", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "a text, a file, a URL preview; any custom type without a row here", forms: plain,
            results: ["told, pushed", "told, pushed", "nothing", "nothing", "nothing"]),
        Case(
            message: "`SENDBIRD_DESK_BOT_MESSAGE`", forms: places(bot) + places(bot, type: "FILE"),
            results: ["told, pushed", "told, pushed", "nothing", "nothing", "nothing"]),
        Case(
            message: "`SENDBIRD:AUTO_EVENT_MESSAGE`", forms: places(autoEvent), results: ["told", "told", "nothing", "nothing", "nothing"]),
        Case(
            message: "the same, of an administrator", forms: places(autoEvent, type: "ADMM", data: types("USER_JOIN")[0]),
            results: ["told", "told", "told", "nothing", "told"]),
        Case(
            message: "`…_ASSIGNMENT_DELAY` or `…_PROACTIVE_CHAT` of an administrator",
            forms: types("NOTIFICATION_ASSIGNMENT_DELAY", "NOTIFICATION_AUTO_PROACTIVE_CHAT").map { Form(type: "ADMM", data: $0) },
            results: ["told, pushed", "told, pushed", "told, pushed", "nothing", "told, pushed"]),
        Case(
            message: "any other message of an administrator",
            forms: [Form(type: "ADMM")] + types("NOTIFICATION_MANUAL_CLOSED", "FUTURE").map { Form(type: "ADMM", data: $0) }
                + places(bot, type: "ADMM") + [Form(type: "ADMM", customTypes: (rich, ""), data: closure("WAITING"))],
            results: ["told", "told", "told", "nothing", "told"]),
        Case(
            message: "a question", forms: places(rich, data: closure("WAITING")) + places(rich, data: rating("WAITING")),
            results: ["asked, pushed", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "a question after its answer", forms: places(rich, data: rating("WAITING")), known: [four],
            results: ["asked, answered", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "a question that is known", forms: places(rich, data: closure("WAITING")), known: [waiting],
            results: ["`duplicate`", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "a new message that looks like an answer",
            forms: places(rich, data: rating("CONFIRMED", "5")) + places(rich, data: closure("CONFIRMED"))
                + places(rich, data: closure("DECLINED")), results: ["`unasked`", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "a new question or answer that cannot be read",
            forms: places(rich, data: closure("LATER")) + places(rich, data: rating("CONFIRMED")),
            results: ["`malformed`", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "an update of a message that is no question",
            forms: (plain + hidden + system + places(bot) + places(autoEvent) + places(autoEvent, type: "ADMM")).map {
                Form(type: $0.type, customTypes: $0.customTypes, data: $0.data, isUpdate: true)
            }, results: ["nothing", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "an update that turns a message into a question", forms: update(closure("WAITING"), rating("WAITING")),
            results: ["nothing", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "the same update after an answer", forms: update(closure("WAITING"), rating("WAITING")), known: [confirmed],
            results: ["nothing", "nothing", "nothing", "nothing", "nothing"]),
        Case(
            message: "an answer to no question of support",
            forms: update(closure("CONFIRMED"), closure("DECLINED"), rating("CONFIRMED", "5")),
            results: ["`unasked`", "`unasked`", "`unasked`", "`unasked`", "`unasked`"]),
        Case(
            message: "the first answer to a question of support",
            forms: update(closure("CONFIRMED"), closure("DECLINED"), rating("CONFIRMED", "5")), known: [waiting],
            results: ["answered", "answered", "answered", "answered", "answered"]),
        Case(
            message: "the same answer again", forms: update(rating("CONFIRMED", "4")), known: [waiting, four],
            results: ["`duplicate`", "`duplicate`", "`duplicate`", "`duplicate`", "`duplicate`"]),
        Case(
            message: "another answer", forms: update(rating("CONFIRMED", "5"), rating("CONFIRMED", "1")), known: [waiting, four],
            results: ["`conflict`", "`conflict`", "`conflict`", "`conflict`", "`conflict`"]),
        Case(
            message: "an answered question that is open again", forms: update(rating("WAITING")), known: [waiting, four],
            results: ["`stale`", "`stale`", "`stale`", "`stale`", "`stale`"]),
        Case(
            message: "a question that is still open", forms: update(closure("WAITING"), rating("WAITING")), known: [waiting],
            results: ["`duplicate`", "`duplicate`", "`duplicate`", "`duplicate`", "`duplicate`"]),
        Case(
            message: "an answer that cannot be read", forms: update(rating("CONFIRMED", "6"), closure("LATER")), known: [waiting],
            results: ["`malformed`", "`malformed`", "`malformed`", "`malformed`", "`malformed`"]),
    ]
}
