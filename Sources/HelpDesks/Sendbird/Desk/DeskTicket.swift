internal import Core
internal import Crypto
internal import JSON
internal import Time

/// Parses tickets and customers of the Desk Platform API. Members that are missing or of an unexpected type are omitted; only the id, a
/// 64-bit number, is required.
///
/// Sources: Sendbird, Desk Platform API v1, "Ticket resource", "Customer resource"; the vendor's JavaScript SDK, which also accepts
/// `relatedChannels` and `customFields` as JSON text.
enum DeskTicket {
    /// Returns nil when the answer is not a ticket.
    static func read(_ json: JSONValue) -> Ticket? {
        guard let id = json["id"].flatMap(number) else { return nil }
        var ticket = Ticket(id: id)
        ticket.title = json["channelName"]?.text
        ticket.channel = json["channelUrl"]?.text
        ticket.state = state(json)
        ticket.priority = json["priority"]?.text.flatMap { TicketPriority(rawValue: $0) }
        ticket.userID = json["customer"]?["sendbirdId"]?.text
        ticket.customerID = json["customer"].flatMap { $0["id"].flatMap(number) ?? number($0) }
        ticket.channelType = Ticket.channelType(json["channelType"]?.text)
        ticket.groupKey = json["group"]?["key"]?.text
        let agent = json["recentAssignment"]?["agent"] ?? json["agent"]
        ticket.agentName = agent?["displayName"]?.text ?? agent?["name"]?.text
        ticket.fields = fields(json["customFields"])
        ticket.relatedChannels = channels(json["relatedChannels"])
        ticket.score = json["customerSatisfactionScore"].flatMap(number).flatMap { (1...5).contains($0) ? $0 : nil }
        ticket.ratingComment = json["customerSatisfactionComment"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        ticket.createdAt = json["createdAt"]?.text.flatMap { RFC3339.unixMilliseconds($0) }
        ticket.updatedAt = json["updatedAt"]?.text.flatMap { RFC3339.unixMilliseconds($0) }
        return ticket
    }

    /// Parses the fields of a ticket or a customer: a list of `{"key", "value"}`, or its JSON text.
    static func fields(_ json: JSONValue?) -> [TicketField] {
        unwrapped(json)?.elements.compactMap { field in
            guard let key = field["key"]?.text, let value = field["value"] else { return nil }
            // A value is a string; older ones may be numbers.
            guard let text = value.text ?? value.integer.map(String.init) else { return nil }
            return TicketField(key: key, value: text)
        } ?? []
    }

    /// Parses an integer, also from a string: a number beyond 2^53 is exact only if it is never parsed as floating point.
    static func number(_ json: JSONValue) -> Int64? {
        json.integer ?? json.text.flatMap { text in Int64(text).flatMap { "\($0)" == text ? $0 : nil } }
    }

    private static func state(_ json: JSONValue) -> TicketState? {
        if let text = json["status2"]?.text { return TicketState(rawValue: text) }
        return json["status"]?.text.flatMap { TicketState(rawValue: $0) }
    }

    /// Parses a list of channel URLs, or of objects with them, or its JSON text.
    private static func channels(_ json: JSONValue?) -> [RelatedChannel] {
        unwrapped(json)?.elements.compactMap { element in
            guard let channel = element.text ?? element["channel_url"]?.text ?? element["channelUrl"]?.text else { return nil }
            return RelatedChannel(channel, name: element["name"]?.text.flatMap { $0.isEmpty ? nil : $0 })
        } ?? []
    }

    private static func unwrapped(_ json: JSONValue?) -> JSONValue? {
        guard let text = json?.text else { return json }
        return JSONValue(parsing: Array(text.utf8))
    }
}

/// A list from the Desk Platform API.
///
/// `next` is a URL that is never called: it would send Deskgate's token to any server that an answer names.
struct DeskList {
    let tickets: [Ticket]
    /// The number of elements, including unreadable ones; at most the requested number.
    let count: Int
    /// The total number; nil when the answer does not contain it.
    let total: Int64?
    let hasMore: Bool

    /// - Parameter limit: the requested number of elements.
    init?(_ json: JSONValue, limit: Int) {
        guard case .array(let all)? = json["results"] else { return nil }
        let elements = all.prefix(limit)
        tickets = elements.compactMap { DeskTicket.read($0) }
        count = elements.count
        total = json["count"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
        hasMore = all.count > limit || json["next"]?.text != nil
    }

    /// Returns the ticket of a conversation. The ticket must name the channel, whatever else the answer contains.
    func ticket(ofChannel channel: String) -> Ticket? {
        tickets.first { $0.channel?.utf8.elementsEqual(channel.utf8) ?? false }
    }
}
