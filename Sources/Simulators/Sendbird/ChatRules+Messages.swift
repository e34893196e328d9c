internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// The rules of the Chat Platform API for messages, and messages written by other means.
///
/// Sources: Sendbird, Chat Platform API v3, "Send a message", "View a message", "Update a message", "Check if member". It is inferred that
/// an update raises the same webhook as one by the vendor's SDK.
extension ChatRules {
    /// The prefix of support's user ids.
    static let supportPrefix = "sendbird_desk_agent_id_"

    private static let noChannel = refusal(Code.notFound, "Channel not found.")
    private static let noMessage = refusal(Code.notFound, "Message not found.")

    var messageRoutes: [SimulatedRoute] {
        [
            route(.post, path: "/v3/group_channels/:channel/messages", name: "send_message", answer: send),
            route(.get, path: "/v3/group_channels/:channel/messages/:message", name: "view_message", answer: view),
            route(.get, path: "/v3/group_channels/:channel/members/:user", name: "view_member", answer: viewMember),
            route(.put, path: "/v3/group_channels/:channel/messages/:message", name: "update_message", answer: update),
            // Not part of Sendbird's API: actions of support in the dashboard, and of the customer in the app.
            route(.post, path: "/simulated/channels/:channel/:act", name: "post") { [self] call in
                if call.parameters[1] == "read" { return read(in: call.parameter) ? .ok([:]) : Self.noChannel }
                guard let post = SimulatedChat.Post(call) else {
                    let names = (SimulatedChat.Post.names + ["read"]).joined(separator: ", ")
                    return Self.refusal(Code.invalidValue, "There is no such act: \(names).")
                }
                return self.post(post, in: call.parameter).map { .ok(["message_id": .integer($0)]) } ?? Self.noChannel
            },
        ]
    }

    /// Posts a message, by other means than the API.
    /// - Returns: the message's number; nil when no ticket has the channel.
    func post(_ post: SimulatedChat.Post, in channel: String) -> Int64? {
        guard let ticket = desk.ticket(ofChannel: channel) else { return nil }
        return add(to: channel, ticket) { id in post.message(id, ticket, at: settings.now()) }.id
    }

    /// Marks a channel as read by the ticket's customer.
    /// - Returns: false when no ticket has the channel.
    func read(in channel: String) -> Bool {
        guard let ticket = desk.ticket(ofChannel: channel) else { return false }
        let update: JSONValue = [
            "user_id": .string(ticket.customer), "read_ts": .integer(Int64(clamping: settings.now().rawValue)),
            "channel_unread_message_count": 0,
        ]
        observer(
            ChatCategory.read.rawValue,
            [
                "category": .string(ChatCategory.read.rawValue), "app_id": .string(settings.appID),
                "channel": ["channel_url": .string(channel), "custom_type": "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"], "read_updates": [update],
            ])
        return true
    }

    /// - Returns: the changed message; nil for an unknown one.
    func edit(_ id: Int64, in channel: String, _ change: (inout ChatRecords.Message) -> Void) -> ChatRecords.Message? {
        guard let ticket = desk.ticket(ofChannel: channel) else { return nil }
        let now = settings.now()
        let changed = records.withLock { records in
            records.change(id, in: channel) { message in
                change(&message)
                message.updatedAt = now
            }
        }
        if let changed { tell(.updated, message: changed, channel: channel, ticket: ticket) }
        return changed
    }

    private func send(_ call: SimulatedCall) -> SimulatorAnswer {
        guard call.text("message_type") == "MESG", let sender = call.text("user_id"), let text = call.text("message") else {
            return Self.refusal(Code.missing, "message_type (only MESG is simulated), user_id and message must be given.")
        }
        guard let ticket = desk.ticket(ofChannel: call.parameter) else { return Self.noChannel }
        guard let user = records.withLock({ $0.user(sender) }) else { return Self.noUser }
        guard ticket.customer.utf8.elementsEqual(sender.utf8) else {
            return Self.refusal(Code.notAllowed, "The user is not a member of the channel.")
        }
        let message = add(to: call.parameter, ticket) { id in
            var message = ChatRecords.Message(id: id, type: "MESG", sender: sender, text: text, createdAt: settings.now())
            message.nickname = user.nickname
            message.customType = call.text("custom_type") ?? ""
            message.data = call.text("data") ?? ""
            return message
        }
        return .ok(message.json(in: call.parameter))
    }

    private func view(_ call: SimulatedCall) -> SimulatorAnswer {
        let message = Int64(call.parameters[1]).flatMap { id in records.withLock { $0.message(id, in: call.parameter) } }
        return message.map { .ok($0.json(in: call.parameter)) } ?? Self.noMessage
    }

    private func viewMember(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let ticket = desk.ticket(ofChannel: call.parameter) else { return Self.noChannel }
        let isMember = Self.members(ticket).contains { $0.utf8.elementsEqual(call.parameters[1].utf8) }
        return .ok(["is_member": .bool(isMember), "state": isMember ? "joined" : "none"])
    }

    /// The customer, and one support user.
    private static func members(_ ticket: (id: Int64, customer: String)) -> [String] { [ticket.customer, supportPrefix + "1"] }

    private func update(_ call: SimulatedCall) -> SimulatorAnswer {
        guard call.text("message_type") == "MESG" else { return Self.refusal(Code.missing, "message_type must be MESG.") }
        let changed = Int64(call.parameters[1]).flatMap { id in
            edit(id, in: call.parameter) { message in
                message.text = call.text("message") ?? message.text
                message.customType = call.text("custom_type") ?? message.customType
                message.data = call.text("data") ?? message.data
            }
        }
        return changed.map { .ok($0.json(in: call.parameter)) } ?? Self.noMessage
    }

    private func add(
        to channel: String, _ ticket: (id: Int64, customer: String), _ make: (Int64) -> ChatRecords.Message
    ) -> ChatRecords.Message {
        let message = records.withLock { $0.add(to: channel, make) }
        tell(.sent, message: message, channel: channel, ticket: ticket)
        if let sender = message.sender { desk.notice(messageFrom: sender, in: channel) }
        return message
    }

    private func tell(_ category: ChatCategory, message: ChatRecords.Message, channel: String, ticket: (id: Int64, customer: String)) {
        var body: JSONObject = ["category": .string(category.rawValue), "app_id": .string(settings.appID), "type": .string(message.type)]
        if let sender = message.sender { body.append(ChatRecords.Message.sender(sender, message.nickname), forKey: "sender") }
        if settings.includesMembers {
            body.append(.array(Self.members(ticket).map { ["user_id": .string($0), "state": "joined"] }), forKey: "members")
        }
        body.append(.object(message.payload), forKey: "payload")
        body.append(
            ["channel_url": .string(channel), "name": "", "custom_type": "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"], forKey: "channel")
        body.append("API", forKey: "sdk")
        observer(category.rawValue, .object(body))
    }
}

enum ChatCategory: String, CaseIterable {
    case sent = "group_channel:message_send"
    case updated = "group_channel:message_update"
    case read = "group_channel:message_read"
}
