package import JSON
package import Time

/// A ticket of the help desk. Every member that a later version of the help desk may omit is optional.
package struct Ticket: Sendable, Equatable {
    /// The help desk's number, exact to 64 bits.
    package let id: Int64
    package var title: String?
    /// The channel of the conversation.
    package var channel: String?
    /// Nil for a value that this version does not know.
    package var state: TicketState?
    /// Nil for a value that this version does not know.
    package var priority: TicketPriority?
    /// The customer's user id in the app.
    package var userID: String?
    /// The help desk's number of the customer.
    package var customerID: Int64?
    /// The kind of channel in which the ticket was created, as filtered by `channelType(_:)`.
    package var channelType: String?
    /// The support team that has the ticket.
    package var groupKey: String?
    /// The support agent's name for the customer.
    package var agentName: String?
    /// In the help desk's order.
    package var fields: [TicketField] = []
    package var relatedChannels: [RelatedChannel] = []
    /// The customer's rating, 1 to 5.
    package var score: Int64?
    package var ratingComment: String?
    package var createdAt: UnixMilliseconds?
    package var updatedAt: UnixMilliseconds?

    package init(id: Int64) {
        self.id = id
    }

    /// Compares bytes.
    package func belongs(to userID: String) -> Bool { self.userID?.utf8.elementsEqual(userID.utf8) ?? false }

    package func has(_ field: TicketField) -> Bool { fields.contains(field) }

    /// The order of lists: latest change first, then highest number.
    package func precedes(_ other: Ticket) -> Bool {
        let (own, others) = (updatedAt?.rawValue ?? 0, other.updatedAt?.rawValue ?? 0)
        return own == others ? id > other.id : own > others
    }
}

extension Ticket {
    /// The JSON members that a customer sees in a list, without support's and the company's notes.
    package static let customerMembers = [
        "ticket_id", "channel", "title", "state", "agent", "rating", "created_at", "updated_at",
    ]
    package static let shownMembers = customerMembers + ["related_channels"]
    /// The JSON members that the company sees.
    package static let members =
        customerMembers + ["user_id", "customer_id", "priority", "group_key", "channel_type", "custom_fields", "related_channels"]

    package var customerJSON: JSONObject {
        [
            "ticket_id": .integer(id), "channel": Self.text(channel), "title": Self.text(title), "state": Self.text(state?.rawValue),
            "agent": Self.text(agentName), "rating": rating, "created_at": Self.time(createdAt), "updated_at": Self.time(updatedAt),
        ]
    }

    /// - Parameter related: the related channels that the customer has joined; nil when unknown.
    package func customerJSON(related: [RelatedChannel]?) -> JSONObject {
        var object = customerJSON
        object.append(related?.json ?? .null, forKey: "related_channels")
        return object
    }

    package var json: JSONObject {
        var object = customerJSON
        object.append(Self.text(userID), forKey: "user_id")
        object.append(customerID.map { .integer($0) } ?? .null, forKey: "customer_id")
        object.append(Self.text(priority?.rawValue), forKey: "priority")
        object.append(Self.text(groupKey), forKey: "group_key")
        object.append(Self.text(channelType), forKey: "channel_type")
        object.append(fields.json, forKey: "custom_fields")
        object.append(relatedChannels.json, forKey: "related_channels")
        return object
    }

    private var rating: JSONValue {
        score.map { ["score": .integer($0), "comment": Self.text(ratingComment)] } ?? .null
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    private static func time(_ time: UnixMilliseconds?) -> JSONValue { time.map { .string(RFC3339.text($0)) } ?? .null }
}

extension [TicketField] {
    /// Encodes the fields as one object. If a key is repeated, its first field is used.
    package var json: JSONValue {
        var object = JSONObject()
        for field in self where object[field.key] == nil { object.append(.string(field.value), forKey: field.key) }
        return .object(object)
    }

    /// Compares keys as bytes.
    package func having(keys: [String]) -> [TicketField] {
        filter { field in keys.contains { $0.utf8.elementsEqual(field.key.utf8) } }
    }

    /// The keys of wanted fields that are missing or have another value, because the help desk silently ignores unregistered fields.
    package func missing(of wanted: [TicketField]) -> [String] {
        wanted.filter { field in
            // A cleared field may be missing in the answer.
            !contains(field) && !(field.value.isEmpty && !contains { $0.key.utf8.elementsEqual(field.key.utf8) })
        }.map(\.key)
    }
}

extension [TicketState: Int64] {
    /// The number of open tickets.
    package var open: Int64 { TicketState.open.reduce(0) { $0 + (self[$1] ?? 0) } }

    /// In the order in which a ticket passes through them.
    package var json: JSONValue {
        .object(JSONObject(TicketState.allCases.compactMap { state in self[state].map { (state.rawValue, .integer($0)) } }))
    }
}
