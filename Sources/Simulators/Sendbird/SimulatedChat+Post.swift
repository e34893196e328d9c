internal import JSON
internal import Time

extension SimulatedChat {
    /// A message in the channel of a ticket, written by other means than the API.
    package enum Post: Sendable, Equatable {
        /// A message from support.
        case agent(text: String)
        /// A file from support.
        /// - Parameter size: in bytes.
        case file(name: String, size: Int64)
        case customer(text: String)
        case closureInquiry(text: String)
        case satisfactionRequest(text: String)
        /// Sendbird notifies the customer.
        /// - Parameter type: begins with `NOTIFICATION_`.
        case notification(type: String, text: String)
        /// Sendbird notifies support; customers must not see it.
        /// - Parameter type: begins with `SYSTEM_MESSAGE_`.
        case system(type: String, text: String)
    }
}

extension SimulatedChat.Post {
    static let names = ["agent", "file", "customer", "closure", "satisfaction", "notification", "system"]

    /// Parses a request to `/simulated/channels/CHANNEL/ACT`; nil for an unknown action.
    init?(_ call: SimulatedCall) {
        let text = call.text("text")
        switch call.parameters[1] {
        case "agent": self = .agent(text: text ?? "Hello")
        case "file": self = .file(name: call.text("name") ?? "file.pdf", size: call.body?["size"]?.integer ?? 1024)
        case "customer": self = .customer(text: text ?? "Hello")
        case "closure": self = .closureInquiry(text: text ?? "May we close this ticket?")
        case "satisfaction": self = .satisfactionRequest(text: text ?? "How content are you?")
        case "notification":
            self = .notification(type: call.text("type") ?? "NOTIFICATION_ASSIGNMENT_DELAY", text: text ?? "All are busy.")
        case "system": self = .system(type: call.text("type") ?? "SYSTEM_MESSAGE_TICKET_ASSIGNED", text: text ?? "Assigned to Anna.")
        default: return nil
        }
    }

    func message(_ id: Int64, _ ticket: (id: Int64, customer: String), at now: UnixMilliseconds) -> ChatRecords.Message {
        var message = ChatRecords.Message(id: id, type: type, createdAt: now)
        switch self {
        case .agent(let text): message.text = text
        case .file(let name, let size): message.file = (name, size)
        case .customer(let text):
            message.text = text
            message.sender = ticket.customer
            return message
        case .closureInquiry(let text):
            message.ask(text, type: "SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE", ticket: ticket.id)
        case .satisfactionRequest(let text):
            message.ask(text, type: "SENDBIRD_DESK_CUSTOMER_SATISFACTION", ticket: ticket.id)
        case .notification(let type, let text):
            message.tell(text, type)
            return message
        case .system(let type, let text):
            message.tell(text, type)
            message.customType = "SENDBIRD_DESK_ADMIN_MESSAGE_CUSTOM_TYPE"
            return message
        }
        message.sender = ChatRules.supportPrefix + "1"
        message.nickname = "Anna"
        return message
    }

    private var type: String {
        switch self {
        case .file: "FILE"
        case .notification, .system: "ADMM"
        case .agent, .customer, .closureInquiry, .satisfactionRequest: "MESG"
        }
    }
}

extension ChatRecords.Message {
    fileprivate mutating func ask(_ text: String, type: String, ticket: Int64) {
        self.text = text
        customType = "SENDBIRD_DESK_RICH_MESSAGE"
        set(["type": .string(type), "body": ["state": "WAITING", "ticketId": .integer(ticket)]])
    }

    fileprivate mutating func tell(_ text: String, _ type: String) {
        self.text = text
        set(["type": .string(type)])
    }

    /// `data` is compact, because the vendor's sample for iOS searches it for a string.
    private mutating func set(_ json: JSONValue) { data = String(decoding: json.serialized(), as: UTF8.self) }
}
