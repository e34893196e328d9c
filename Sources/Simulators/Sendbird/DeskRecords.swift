internal import JSON
internal import Time

/// The data of a simulated Sendbird Desk: customers and tickets, in the terms of its Platform API.
struct DeskRecords {
    struct Customer {
        let id: Int64
        let sendbirdID: String
        var fields: [(key: String, value: String)] = []
    }

    struct Ticket {
        let id: Int64
        let customer: Int64
        let channelURL: String
        var title: String
        var state = "INITIALIZED"
        var closeState = "NOT_CLOSED"
        var priority = "MEDIUM"
        var groupKey: String?
        var hasAgent = false
        var fields: [(key: String, value: String)] = []
        var relatedChannels: [String] = []
        var closeComment = ""
        let createdAt: UnixMilliseconds
        var updatedAt: UnixMilliseconds

        /// Assigns the ticket to support.
        /// - Returns: the events.
        mutating func assign() -> [String] {
            hasAgent = true
            state = "ACTIVE"
            return ["TICKET.STATUS.UPDATED"]
        }

        /// Receives a message of the customer.
        /// - Returns: the events.
        mutating func handle() -> [String] {
            guard state == "INITIALIZED" || state == "IDLE" else { return [] }
            state = hasAgent ? "ACTIVE" : "PENDING"
            return ["TICKET.STATUS.UPDATED"]
        }
    }

    /// The number of customers, and of tickets, that are stored; the oldest are evicted.
    private static let capacity = 10_000

    var customers: [Customer] = []
    var tickets: [Ticket] = []
    /// The next number; one series numbers customers and tickets.
    var nextID: Int64
    /// Returns the name of a user of Chat, as support sees it.
    let displayName: @Sendable (String) -> String

    func index(of id: Int64) -> Int? { tickets.firstIndex { $0.id == id } }

    func customer(_ id: Int64) -> Customer? { customers.first { $0.id == id } }

    mutating func add(_ customer: Customer) {
        if customers.count == Self.capacity { customers.removeFirst() }
        customers.append(customer)
    }

    mutating func add(_ ticket: Ticket) {
        if tickets.count == Self.capacity { tickets.removeFirst() }
        tickets.append(ticket)
    }

    mutating func takeID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    func json(_ customer: Customer) -> JSONValue {
        [
            "id": .integer(customer.id), "sendbirdId": .string(customer.sendbirdID), "channelType": "SENDBIRD",
            "displayName": .string(displayName(customer.sendbirdID)), "customFields": Self.fields(customer.fields),
        ]
    }

    func json(_ ticket: Ticket) -> JSONValue {
        let agent: JSONValue = ["agent": ["id": 5, "displayName": "Anna", "email": "anna@example.com"]]
        let related = JSONValue.array(ticket.relatedChannels.map { ["channel_url": .string($0), "name": .string(title(ofChannel: $0))] })
        return [
            "id": .integer(ticket.id), "channelName": .string(ticket.title), "channelUrl": .string(ticket.channelURL),
            "channelType": "SENDBIRD", "status": .string(ticket.hasAgent ? "ASSIGNED" : "UNASSIGNED"),
            "status2": .string(ticket.state), "closeStatus": .string(ticket.closeState), "priority": .string(ticket.priority),
            "customer": customer(ticket.customer).map(json) ?? .null,
            "group": ticket.groupKey.map { ["id": 3, "key": .string($0), "name": .string($0)] } ?? .null,
            "recentAssignment": ticket.hasAgent ? agent : .null, "customFields": Self.fields(ticket.fields),
            // A string, because the vendor's SDK expects one.
            "relatedChannels": .string(String(decoding: related.serialized(), as: UTF8.self)), "info": "{}",
            "closeComment": .string(ticket.closeComment), "customerSatisfactionScore": .null, "customerSatisfactionComment": .null,
            "createdAt": .string(RFC3339.text(ticket.createdAt)), "updatedAt": .string(RFC3339.text(ticket.updatedAt)),
        ]
    }

    private func title(ofChannel url: String) -> String {
        tickets.first { $0.channelURL.utf8.elementsEqual(url.utf8) }?.title ?? ""
    }

    private static func fields(_ fields: [(key: String, value: String)]) -> JSONValue {
        .array(fields.enumerated().map { ["id": .integer(Int64($0 + 1)), "key": .string($1.key), "value": .string($1.value)] })
    }
}
