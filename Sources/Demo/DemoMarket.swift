internal import JSON
internal import Simulators

/// The app of Sendbird Desk, `market`: the actions of its customers on their phones, and of support in Sendbird's dashboard.
struct DemoMarket: Sendable {
    private struct Conversation {
        let customer: DemoPhone
        let ticket: Int64
        let channel: String
    }

    private static let guests = 200

    private let caller: DemoCaller
    private let sendbird: SimulatedSendbird
    private var keys: [String: String] = [:]
    private var open: [Conversation] = []
    private var number: Int64 = 0

    init(_ caller: DemoCaller, _ sendbird: SimulatedSendbird) {
        (self.caller, self.sendbird) = (caller, sendbird)
    }

    mutating func play() throws(DemoFailure) {
        for phone in DemoPeople.customers + [DemoPeople.blockedCustomer] {
            keys[phone.user] = try caller.mint(.market, phone.user)
            try caller.requests.expect(200...200, answer: caller.register(phone, key(phone)), what: "POST /sendbird/push-token")
            // The second request returns the cached first token.
            for _ in 0..<2 {
                try caller.requests.expect(200...200, answer: caller.session(phone.user, key(phone)), what: "POST /sendbird/session-token")
            }
        }
        let blocked = DemoPeople.blockedCustomer
        try caller.operate(
            "/v1/users/block",
            ["app_id": .string(blocked.app.rawValue), "user_id": .string(blocked.user), "reason": "has paid by a stolen card"])
        try caller.requests.expect(403...403, answer: caller.session(blocked.user, key(blocked)), what: "POST /sendbird/session-token")
        for (customer, score) in zip(DemoPeople.customers, [5, 4, 2]) {
            try begin(customer)
            let ticket = open.removeLast()
            try end(ticket, score: Int64(score))
        }
        for customer in DemoPeople.customers { try begin(customer) }
        let ticket = open[0]
        try confirm(ticket, isClosed: false)
        _ = sendbird.chat.post(.notification(type: "NOTIFICATION_ASSIGNMENT_DELAY", text: "All are busy."), in: ticket.channel)
        try handOver(DemoPeople.customers[0])
        // Only support sees this message.
        _ = sendbird.chat.post(.system(type: "SYSTEM_MESSAGE_TICKET_ASSIGNED", text: "Assigned to Anna."), in: ticket.channel)
    }

    /// Whether the ratings and the conversations have arrived.
    func hasShown() throws(DemoFailure) -> Bool {
        for type in ["ticket.rated", "ticket.closure_declined"] {
            let found = try caller.look("/v1/deliveries?app_id=\(DemoApp.market.rawValue)&type=\(type)&limit=10")["deliveries"]?.elements
            if found?.isEmpty != false { return false }
        }
        return true
    }

    /// One step, a quarter of a second long. Responses are ignored, because an operator may change anything in the meantime.
    mutating func tick(_ ticks: Int) {
        if ticks % 20 == 0 { visit(ticks) }
        if ticks % 50 == 0, !open.isEmpty { say(open[ticks / 50 % open.count]) }
        if ticks % 720 == 0 { turn() }
    }

    /// The apps of a guest and of the blocked user request session tokens.
    private mutating func visit(_ ticks: Int) {
        let guest = "guest-\(ticks / 20 % Self.guests)"
        if keys[guest] == nil { keys[guest] = try? caller.mint(.market, guest) }
        for user in [guest, ticks % 100 == 0 ? DemoPeople.blockedCustomer.user : DemoPeople.customers[0].user] {
            _ = try? caller.session(user, keys[user] ?? "no key")
        }
    }

    /// The oldest ticket is closed, and its customer opens another one.
    private mutating func turn() {
        guard !open.isEmpty else { return }
        let ticket = open.removeFirst()
        try? end(ticket, score: 1 + number % 5)
        try? begin(ticket.customer)
    }

    /// A customer opens a ticket; an agent accepts and answers it.
    private mutating func begin(_ customer: DemoPhone) throws(DemoFailure) {
        number += 1
        let titles = ["Where is my order?", "Возврат", "The parcel was open", "Смена адреса доставки", "A question about the invoice"]
        let answer = try caller.ticket(
            "create", user: customer.user, key: key(customer),
            members: [
                "title": .string(titles[Int(number) % titles.count]), "group_key": number % 2 == 0 ? "billing" : "cs-team",
                "custom_fields": ["order": .string("\(1000 + number)")], "message": "Hello, can you help me?",
            ])
        try caller.requests.expect(201...201, answer: answer, what: "POST /sendbird/tickets/create")
        guard let ticket = answer.body["ticket"]?["ticket_id"]?.integer, let channel = answer.body["ticket"]?["channel"]?.text else {
            throw DemoFailure("the new ticket has no number")
        }
        open.append(Conversation(customer: customer, ticket: ticket, channel: channel))
        sendbird.desk.perform(.assign, onTicket: ticket)
        say(open[open.count - 1])
    }

    private func say(_ ticket: Conversation) {
        let text = DemoText.number(number + ticket.ticket)
        sendbird.chat.post(text.file.map { .file(name: $0, size: 48_213) } ?? .agent(text: text.body), in: ticket.channel)
    }

    /// A customer talks with the bot, asks for a person, and confirms the bot's summary.
    private func handOver(_ customer: DemoPhone) throws(DemoFailure) {
        let start = try caller.bot("start", user: customer.user, key: key(customer))
        try caller.requests.expect(200...200, answer: start, what: "POST /bots/\(DemoConfiguration.bot)/start")
        let ticket = start.body["ticket"] ?? .null
        let hours = try caller.call("get_opening_hours", [:], ticket: ticket)
        try caller.requests.expect(200...200, answer: hours, what: "get_opening_hours")
        let asked = try caller.call("connect_to_person", ["summary": "Wants to change the address of order 1004."], ticket: ticket)
        try caller.requests.expect(409...409, answer: asked, what: "connect_to_person")
        let confirmed = try caller.bot(
            "confirm", user: customer.user, key: key(customer), members: ["confirmation": asked.body["confirmation"] ?? .null])
        try caller.requests.expect(200...200, answer: confirmed, what: "POST /bots/\(DemoConfiguration.bot)/confirm")
    }

    /// Support asks whether the ticket may be closed, and then for a rating; the customer answers.
    private func end(_ ticket: Conversation, score: Int64) throws(DemoFailure) {
        try confirm(ticket, isClosed: true)
        let question = sendbird.chat.post(.satisfactionRequest(text: "How content are you?"), in: ticket.channel)
        try answer(
            "rate", ticket: ticket, question: question,
            members: ["score": .integer(score), "comment": .string(score > 3 ? "Thank you!" : "It took long.")])
    }

    private func confirm(_ ticket: Conversation, isClosed: Bool) throws(DemoFailure) {
        let question = sendbird.chat.post(.closureInquiry(text: "May we close this ticket?"), in: ticket.channel)
        try answer("confirm", ticket: ticket, question: question, members: ["confirmed": .bool(isClosed)])
    }

    /// - Parameter question: the message; nil when the ticket is unknown, which the service reports.
    private func answer(_ act: String, ticket: Conversation, question: Int64?, members: JSONObject) throws(DemoFailure) {
        var members = members
        members.append(.integer(ticket.ticket), forKey: "ticket_id")
        members.append(.integer(question ?? 0), forKey: "message_id")
        try caller.requests.expect(
            200...200, answer: caller.ticket(act, user: ticket.customer.user, key: key(ticket.customer), members: members),
            what: "POST /sendbird/tickets/\(act)")
    }

    private func key(_ phone: DemoPhone) -> String { keys[phone.user] ?? "no key" }
}
