internal import Core
internal import HTTPClient
internal import JSON

/// The requests to the Desk Platform API, and those to Chat that tickets need.
///
/// Sources: Sendbird, Desk Platform API v1, "Ticket" and "Customer"; Chat Platform API v3, "Message".
enum DeskRequests {
    static let names = [
        "list_tickets", "view_ticket", "create_ticket", "update_ticket", "ticket_fields", "close_ticket", "reopen_ticket", "find_customer",
        "create_customer", "customer_fields",
    ]
    static let chatNames = ["send_message", "view_message", "answer_message", "view_member", "update_user"]

    private static let answerLimit = 1 << 20

    static func list(_ state: TicketState, of userID: String?, offset: Int64, limit: Int) -> PlatformRequest {
        PlatformRequest(
            "list_tickets", method: .get, path: ["tickets"],
            query: [("status2", state.rawValue), ("offset", "\(offset)"), ("limit", "\(limit)")]
                + (userID.map { [("sendbird_id", $0)] } ?? []), answerLimit: answerLimit)
    }

    static func list(ofChannel channel: String) -> PlatformRequest {
        PlatformRequest(
            "list_tickets", method: .get, path: ["tickets"], query: [("channel_url", channel), ("limit", "2")], answerLimit: answerLimit)
    }

    static func view(_ id: Int64) -> PlatformRequest { PlatformRequest("view_ticket", method: .get, path: ["tickets", "\(id)"]) }

    /// Creates a ticket that support does not see until the customer's first message.
    static func create(_ draft: TicketDraft, customer: Int64) -> PlatformRequest {
        var body: JSONObject = ["channelName": .string(draft.title), "customerId": .integer(customer)]
        if let groupKey = draft.groupKey { body.append(.string(groupKey), forKey: "groupKey") }
        if let priority = draft.priority { body.append(.string(priority.rawValue), forKey: "priority") }
        if !draft.fields.isEmpty { body.append(text(draft.fields), forKey: "customFields") }
        if !draft.relatedChannels.isEmpty {
            body.append(.string(draft.relatedChannels.joined(separator: ",")), forKey: "relatedChannelUrls")
        }
        return PlatformRequest("create_ticket", method: .post, path: ["tickets"], body: .object(body))
    }

    static func prioritize(_ id: Int64, _ priority: TicketPriority) -> PlatformRequest {
        PlatformRequest("update_ticket", method: .patch, path: ["tickets", "\(id)"], body: ["priority": .string(priority.rawValue)])
    }

    /// An empty list clears them; this is inferred.
    static func relate(_ id: Int64, to channels: [String]) -> PlatformRequest {
        PlatformRequest(
            "update_ticket", method: .patch, path: ["tickets", "\(id)"],
            body: ["relatedChannelUrls": .string(channels.joined(separator: ","))])
    }

    static func setFields(_ fields: [TicketField], ofTicket id: Int64) -> PlatformRequest {
        PlatformRequest("ticket_fields", method: .patch, path: ["tickets", "\(id)", "custom_fields"], body: ["customFields": text(fields)])
    }

    static func setFields(_ fields: [TicketField], ofCustomer id: Int64) -> PlatformRequest {
        PlatformRequest(
            "customer_fields", method: .patch, path: ["customers", "\(id)", "custom_fields"], body: ["customFields": text(fields)])
    }

    static func close(_ id: Int64, comment: String?) -> PlatformRequest {
        let body: JSONObject = comment.map { ["closeComment": .string($0)] } ?? [:]
        return PlatformRequest("close_ticket", method: .patch, path: ["tickets", "\(id)", "close"], body: .object(body))
    }

    static func reopen(_ id: Int64) -> PlatformRequest {
        PlatformRequest("reopen_ticket", method: .patch, path: ["tickets", "\(id)", "reopen"], body: [:])
    }

    static func findCustomer(_ userID: String) -> PlatformRequest {
        PlatformRequest("find_customer", method: .get, path: ["customers"], query: [("sendbird_id", userID)])
    }

    static func createCustomer(_ userID: String) -> PlatformRequest {
        PlatformRequest("create_customer", method: .post, path: ["customers"], body: ["sendbirdId": .string(userID)])
    }

    /// To Chat: sets the user's name, which Desk shows to support as the customer's; nil when the user id is impossible.
    ///
    /// Source: Sendbird, Chat Platform API v3, "Update a user". It is inferred that Desk shows it.
    static func name(_ userID: String, _ name: String) -> PlatformRequest? {
        guard PlatformRequest.isAddressable(userID) else { return nil }
        return PlatformRequest("update_user", method: .put, path: ["users", userID], body: ["nickname": .string(name)])
    }

    /// To Chat: sends a message of the customer.
    static func send(_ message: String, from userID: String, to channel: String) -> PlatformRequest {
        PlatformRequest(
            "send_message", method: .post, path: ["group_channels", channel, "messages"],
            body: ["message_type": "MESG", "user_id": .string(userID), "message": .string(message)])
    }

    /// To Chat: reads whether a user is a member of a channel; nil when the channel or user id is impossible.
    ///
    /// Source: Sendbird, Chat Platform API v3, "Check if member".
    static func member(_ userID: String, of channel: String) -> PlatformRequest? {
        guard PlatformRequest.isAddressable(userID), PlatformRequest.isAddressable(channel) else { return nil }
        return PlatformRequest("view_member", method: .get, path: ["group_channels", channel, "members", userID])
    }

    /// To Chat: reads one message.
    static func message(_ id: Int64, in channel: String) -> PlatformRequest {
        PlatformRequest("view_message", method: .get, path: ["group_channels", channel, "messages", "\(id)"])
    }

    /// To Chat: replaces the message's `data`.
    static func answer(_ message: JSONValue, id: Int64, in channel: String, data: String) -> PlatformRequest {
        PlatformRequest(
            "answer_message", method: .put, path: ["group_channels", channel, "messages", "\(id)"],
            body: [
                "message_type": "MESG", "message": .string(message["message"]?.text ?? ""),
                "custom_type": .string(RichMessage.customType), "data": .string(data),
            ])
    }

    /// Fields are sent as the text of a JSON object.
    private static func text(_ fields: [TicketField]) -> JSONValue {
        .string(String(decoding: fields.json.serialized(), as: UTF8.self))
    }
}
