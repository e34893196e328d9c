internal import Core
internal import Crypto
internal import JSON
internal import Time

/// Reads tickets and customers as the Desk Platform API writes them. Whatever is missing, or of a kind that is not expected, is left out:
/// only a number of 64 bits makes a ticket.
///
/// Sources: Sendbird, Desk Platform API v1, "Ticket resource", "Customer resource"; the vendor's JavaScript SDK, which takes
/// `relatedChannels` and `customFields` as text of JSON too.
enum DeskTicket {
    /// The ticket of an answer; nil when it is none.
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

    /// The fields of a ticket or a customer: a list of `{"key", "value"}`, or that as text.
    static func fields(_ json: JSONValue?) -> [TicketField] {
        unwrapped(json)?.elements.compactMap { field in
            guard let key = field["key"]?.text, let value = field["value"] else { return nil }
            // A value is a text; older ones may be numbers.
            guard let text = value.text ?? value.integer.map(String.init) else { return nil }
            return TicketField(key: key, value: text)
        } ?? []
    }

    /// A whole number, also as text: numbers beyond 2^53 are exact only as long as no program reads them as a fraction.
    static func number(_ json: JSONValue) -> Int64? {
        json.integer ?? json.text.flatMap { text in Int64(text).flatMap { "\($0)" == text ? $0 : nil } }
    }

    private static func state(_ json: JSONValue) -> TicketState? {
        if let text = json["status2"]?.text { return TicketState(rawValue: text) }
        return json["status"]?.text.flatMap { TicketState(rawValue: $0) }
    }

    /// Addresses in a list, or in a list of objects, or that as text.
    private static func channels(_ json: JSONValue?) -> [RelatedChannel] {
        unwrapped(json)?.elements.compactMap { element in
            guard let channel = element.text ?? element["channel_url"]?.text ?? element["channelUrl"]?.text else { return nil }
            return RelatedChannel(channel, name: element["name"]?.text.flatMap { $0.isEmpty ? nil : $0 })
        } ?? []
    }

    /// The value itself, or what the text of JSON says.
    private static func unwrapped(_ json: JSONValue?) -> JSONValue? {
        guard let text = json?.text else { return json }
        return JSONValue(parsing: Array(text.utf8))
    }
}

/// A list as the Desk Platform API answers it.
///
/// `next` is an address, which is never called: it would take our token to wherever an answer says.
struct DeskList {
    let tickets: [Ticket]
    /// The number of elements in the list, including unreadable ones; at most as many as requested.
    let count: Int
    /// The total number; nil when the answer does not say.
    let total: Int64?
    /// Whether the answer says that there are more.
    let hasMore: Bool

    /// Reads an answer to a request for so many; nil when it is no list.
    init?(_ json: JSONValue, limit: Int) {
        guard case .array(let all)? = json["results"] else { return nil }
        let elements = all.prefix(limit)
        tickets = elements.compactMap { DeskTicket.read($0) }
        count = elements.count
        total = json["count"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
        hasMore = all.count > limit || json["next"]?.text != nil
    }

    /// The ticket of a conversation: only one that names the channel counts, whatever else the answer has.
    func ticket(ofChannel channel: String) -> Ticket? {
        tickets.first { $0.channel?.utf8.elementsEqual(channel.utf8) ?? false }
    }
}
