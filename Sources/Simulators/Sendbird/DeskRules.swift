internal import Bytes
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// The rules of the Desk Platform API. Like the API, they silently ignore some invalid input.
///
/// Sources: Sendbird, Desk Platform API v1, "Ticket" and "Customer". The statuses of refusals are inferred.
final class DeskRules: Sendable {
    /// Receives the event's name and the ticket, in order.
    typealias Observer = @Sendable (_ event: String, _ ticket: JSONValue) -> Void

    static let priorities = ["LOW", "MEDIUM", "HIGH", "URGENT"]
    private static let states = ["INITIALIZED", "PENDING", "ACTIVE", "IDLE", "WORK_IN_PROGRESS", "CLOSED"]

    let settings: SimulatedDeskSettings
    private let url: @Sendable () -> String
    let records: Monitor<DeskRecords>
    let observer: Observer

    init(_ settings: SimulatedDeskSettings, url: @escaping @Sendable () -> String, observer: @escaping Observer) {
        self.settings = settings
        self.url = url
        self.observer = observer
        records = Monitor(DeskRecords(nextID: settings.firstID, displayName: settings.displayName))
    }

    var routes: [SimulatedRoute] {
        [
            route(.get, path: "/platform/v1/customers", name: "find_customer", answer: findCustomers),
            route(.post, path: "/platform/v1/customers", name: "create_customer", answer: createCustomer),
            route(.patch, path: "/platform/v1/customers/:id/custom_fields", name: "customer_fields", answer: setCustomerFields),
            route(.get, path: "/platform/v1/tickets", name: "list_tickets", answer: list),
            route(.post, path: "/platform/v1/tickets", name: "create_ticket", answer: create),
            route(.post, path: "/platform/v1/tickets/transfer_to_group", name: "transfer_tickets", answer: transfer),
            route(.get, path: "/platform/v1/tickets/:id", name: "view_ticket") { [self] call in change(call) { _, _, _ in nil } },
            route(.patch, path: "/platform/v1/tickets/:id", name: "update_ticket") { [self] call in change(call, update) },
            route(.patch, path: "/platform/v1/tickets/:id/custom_fields", name: "ticket_fields") { [self] call in change(call, setFields) },
            route(.patch, path: "/platform/v1/tickets/:id/close", name: "close_ticket") { [self] call in change(call, close) },
            route(.patch, path: "/platform/v1/tickets/:id/cancel", name: "cancel_ticket") { [self] call in change(call, cancel) },
            route(.patch, path: "/platform/v1/tickets/:id/reopen", name: "reopen_ticket") { [self] call in change(call, reopen) },
            // Not part of Sendbird's API: actions of support in the dashboard.
            route(.post, path: "/simulated/tickets/:id/assign", name: "assign") { [self] call in
                change(call) { ticket, _, _ in .events(ticket.assign()) }
            },
        ]
    }

    static func refusal(_ status: Int, code: String, detail: String) -> SimulatorAnswer {
        SimulatorAnswer(status: status, json: ["code": .string(code), "detail": .string(detail)])
    }

    static let noFields = refusal(400, code: "desk400107", detail: "customFields is not the text of an object.")
    static let notFound = refusal(404, code: "desk404100", detail: "Not found.")

    private func route(
        _ method: HTTPServer.Method, path: String, name: String, answer: @escaping @Sendable (SimulatedCall) -> SimulatorAnswer
    ) -> SimulatedRoute {
        SimulatedRoute(method, path: path, name: name) { [token = settings.token] call in
            guard call.token.utf8.elementsEqual(token.utf8) else {
                return Self.refusal(401, code: "desk401100", detail: "Invalid authentication credentials.")
            }
            return answer(call)
        }
    }

    // MARK: Customers

    private func findCustomers(_ call: SimulatedCall) -> SimulatorAnswer {
        let wanted = call.query["sendbird_id"]
        let found = records.withLock { records in records.customers.filter { Self.fits(wanted, $0.sendbirdID) }.map(records.json) }
        return page(found, call: call, name: "customers")
    }

    private func createCustomer(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let id = call.text("sendbirdId"), !id.isEmpty else {
            return Self.refusal(400, code: "desk400104", detail: "sendbirdId is required.")
        }
        guard settings.hasUser(id) else { return Self.refusal(400, code: "desk400105", detail: "There is no such user in Sendbird Chat.") }
        return records.withLock { records in
            guard !records.customers.contains(where: { $0.sendbirdID.utf8.elementsEqual(id.utf8) }) else {
                return Self.refusal(400, code: "desk400106", detail: "The customer exists.")
            }
            let customer = DeskRecords.Customer(id: records.takeID(), sendbirdID: id)
            records.add(customer)
            return SimulatorAnswer(status: 200, json: records.json(customer))
        }
    }

    private func setCustomerFields(_ call: SimulatedCall) -> SimulatorAnswer {
        records.withLock { records in
            let found = Int64(call.parameter).flatMap { id in records.customers.firstIndex { $0.id == id } }
            guard let index = found else { return Self.notFound }
            guard let fields = Self.fields(call) else { return Self.noFields }
            Self.set(fields, registered: settings.customerKeys, in: &records.customers[index].fields)
            return SimulatorAnswer(status: 200, json: records.json(records.customers[index]))
        }
    }

    // MARK: Tickets

    private func list(_ call: SimulatedCall) -> SimulatorAnswer {
        if let state = call.query["status2"], !Self.states.contains(state) {
            return Self.refusal(400, code: "desk400110", detail: "status2 is not a valid choice.")
        }
        let bounds = ["start_date", "end_date"].map { name in call.query[name].flatMap { RFC3339.unixMilliseconds($0) } }
        return records.withLock { records in
            let found = records.tickets.filter { ticket in
                let customer = records.customer(ticket.customer)?.sendbirdID ?? ""
                return Self.fits(call.query["status2"], ticket.state) && Self.fits(call.query["sendbird_id"], customer)
                    && Self.fits(call.query["channel_url"], ticket.channelURL)
                    && (call.query["q"].map { ticket.title.contains($0) } ?? true)
                    && (bounds[0].map { ticket.createdAt >= $0 } ?? true) && (bounds[1].map { ticket.createdAt <= $0 } ?? true)
            }
            let sorted = found.sorted { ($0.updatedAt, $0.id) > ($1.updatedAt, $1.id) }
            return page(sorted.map(records.json), call: call, name: "tickets")
        }
    }

    private static func fits(_ wanted: String?, _ value: String) -> Bool { wanted.map { $0.utf8.elementsEqual(value.utf8) } ?? true }

    private func page(_ all: [JSONValue], call: SimulatedCall, name: String) -> SimulatorAnswer {
        let limit = call.number("limit") ?? 50
        let offset = call.number("offset") ?? 0
        guard (1...500).contains(limit), offset >= 0 else {
            return Self.refusal(400, code: "desk400111", detail: "limit is 1 to 500, offset 0 or more.")
        }
        let next = offset + limit
        let address = "\(url())/platform/v1/\(name)?limit=\(limit)&offset=\(next)"
        return SimulatorAnswer(
            status: 200,
            json: [
                "count": .integer(Int64(all.count)), "next": next < all.count ? .string(address) : .null, "previous": .null,
                "results": .array(Array(all.dropFirst(offset).prefix(limit))),
            ])
    }

    private func create(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let title = call.text("channelName"), (1...100).contains(title.utf16.count) else {
            return Self.refusal(400, code: "desk400120", detail: "channelName has 1 to 100 characters.")
        }
        // A number in a string is rejected.
        guard let customerID = call.body?["customerId"]?.integer else {
            return Self.refusal(400, code: "desk400121", detail: "customerId is a number.")
        }
        let group = call.text("groupKey")
        guard group.map(settings.groupKeys.contains) ?? true else {
            return Self.refusal(400, code: "desk400122", detail: "There is no such group.")
        }
        let related = call.text("relatedChannelUrls")?.split(separator: ",").map(String.init) ?? []
        guard related.count <= 3 else { return Self.refusal(400, code: "desk400123", detail: "At most 3 related channels.") }
        let made: JSONValue? = records.withLock { records in
            guard records.customer(customerID) != nil else { return nil }
            let (id, now) = (records.takeID(), settings.now())
            var ticket = DeskRecords.Ticket(
                id: id, customer: customerID, channelURL: "sendbird_desk_\(id)", title: title, createdAt: now, updatedAt: now)
            ticket.groupKey = group
            // Values of the wrong type and unknown keys are silently ignored.
            if let priority = call.text("priority"), Self.priorities.contains(priority) { ticket.priority = priority }
            ticket.relatedChannels = related
            Self.set(Self.fields(call) ?? [], registered: settings.ticketKeys, in: &ticket.fields)
            records.add(ticket)
            return records.json(ticket)
        }
        guard let made else { return Self.refusal(400, code: "desk400124", detail: "There is no such customer.") }
        observer("TICKET.CREATED", made)
        return SimulatorAnswer(status: 200, json: made)
    }

    private func transfer(_ call: SimulatedCall) -> SimulatorAnswer {
        guard let key = call.text("groupKey"), settings.groupKeys.contains(key) else {
            return Self.refusal(400, code: "desk400122", detail: "There is no such group.")
        }
        let moved: [JSONValue] = records.withLock { records in
            var moved: [JSONValue] = []
            for id in call.body?["tickets"]?.elements.compactMap(\.integer) ?? [] {
                guard let index = records.index(of: id) else { continue }
                records.tickets[index].groupKey = key
                records.tickets[index].hasAgent = false
                records.tickets[index].state = call.text("status") ?? "PENDING"
                records.tickets[index].updatedAt = settings.now()
                moved.append(records.json(records.tickets[index]))
            }
            return moved
        }
        for ticket in moved { observer("TICKET.STATUS.UPDATED", ticket) }
        return SimulatorAnswer(status: 200, json: ["tickets": .array(moved)])
    }
}
