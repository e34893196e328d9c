package import JSON
package import Time

/// A ticket as the help desk has it. Every part that a later version of the help desk may leave out is optional.
package struct Ticket: Sendable, Equatable {
    /// The help desk's number, exact to 64 bits.
    package let id: Int64
    package var title: String?
    package var channel: String?
    /// nil for one that is unknown here.
    package var state: TicketState?
    /// nil for one that is unknown here.
    package var priority: TicketPriority?
    /// The customer it belongs to, as the app calls the person.
    package var userID: String?
    package var customerID: Int64?
    /// The kind of channel that it came from, as `channelType(_:)` says.
    package var channelType: String?
    package var groupKey: String?
    /// The name of the person of support who has it, as the customer may see it.
    package var agentName: String?
    /// In the help desk's order.
    package var fields: [TicketField] = []
    /// The channels of the customer's that it is about.
    package var relatedChannels: [RelatedChannel] = []
    /// The customer's rating, 1 to 5.
    package var score: Int64?
    package var ratingComment: String?
    package var createdAt: UnixMilliseconds?
    package var updatedAt: UnixMilliseconds?

    /// A ticket of which only the number is known.
    package init(id: Int64) {
        self.id = id
    }

    /// Whether it belongs to this person; compares bytes.
    package func belongs(to userID: String) -> Bool { self.userID?.utf8.elementsEqual(userID.utf8) ?? false }

    package func has(_ field: TicketField) -> Bool { fields.contains(field) }

    /// Whether it precedes another one in lists: latest change first, then newest first.
    package func precedes(_ other: Ticket) -> Bool {
        let (own, others) = (updatedAt?.rawValue ?? 0, other.updatedAt?.rawValue ?? 0)
        return own == others ? id > other.id : own > others
    }
}

extension Ticket {
    /// The members of what a customer sees of a ticket in a list: nothing that support or the company notes about it.
    package static let customerMembers = [
        "ticket_id", "channel", "title", "state", "agent", "rating", "created_at", "updated_at",
    ]
    /// The members of what a customer sees of one ticket.
    package static let shownMembers = customerMembers + ["related_channels"]
    package static let members =
        customerMembers + ["user_id", "customer_id", "priority", "group_key", "channel_type", "custom_fields", "related_channels"]

    /// The members that its customer may see in a list.
    package var customerJSON: JSONObject {
        [
            "ticket_id": .integer(id), "channel": Self.text(channel), "title": Self.text(title), "state": Self.text(state?.rawValue),
            "agent": Self.text(agentName), "rating": rating, "created_at": Self.time(createdAt), "updated_at": Self.time(updatedAt),
        ]
    }

    /// The members that its customer may see of this ticket alone.
    /// - Parameter related: the related channels that the customer has joined; nil when that is not known now.
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
    /// The fields as one object; of two with the same key, the first.
    package var json: JSONValue {
        var object = JSONObject()
        for field in self where object[field.key] == nil { object.append(.string(field.value), forKey: field.key) }
        return .object(object)
    }

    /// The fields that have one of these keys, compared as bytes.
    package func having(keys: [String]) -> [TicketField] {
        filter { field in keys.contains { $0.utf8.elementsEqual(field.key.utf8) } }
    }

    /// The keys of requested fields that are missing here or have another value: the help desk silently drops unregistered fields.
    package func missing(of wanted: [TicketField]) -> [String] {
        wanted.filter { field in
            // A cleared field may be left out of the answer.
            !contains(field) && !(field.value.isEmpty && !contains { $0.key.utf8.elementsEqual(field.key.utf8) })
        }.map(\.key)
    }
}

extension [TicketState: Int64] {
    package var open: Int64 { TicketState.open.reduce(0) { $0 + (self[$1] ?? 0) } }

    /// The counts as one object, in the order of a ticket's life.
    package var json: JSONValue {
        .object(JSONObject(TicketState.allCases.compactMap { state in self[state].map { (state.rawValue, .integer($0)) } }))
    }
}
