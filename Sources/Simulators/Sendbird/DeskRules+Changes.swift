internal import JSON
internal import Threading

extension DeskRules {
    /// Changes a ticket, and returns the resulting events, or a refusal; nil when the request only reads.
    typealias Change = @Sendable (inout DeskRecords.Ticket, SimulatedCall, SimulatedDeskSettings) -> Effect?

    enum Effect {
        case events([String])
        case refused(SimulatorAnswer)
    }

    func change(_ call: SimulatedCall, _ change: Change) -> SimulatorAnswer {
        guard let id = Int64(call.parameter) else { return Self.notFound }
        return apply(to: id, call, change)
    }

    private func apply(to id: Int64, _ call: SimulatedCall, _ change: Change) -> SimulatorAnswer {
        let (answer, events): (SimulatorAnswer, [String]) = records.withLock { records in
            guard let index = records.index(of: id) else { return (Self.notFound, []) }
            var ticket = records.tickets[index]
            switch change(&ticket, call, settings) {
            case .refused(let refusal): return (refusal, [])
            case nil: return (SimulatorAnswer(status: 200, json: records.json(ticket)), [])
            case .events(let events):
                ticket.updatedAt = settings.now()
                records.tickets[index] = ticket
                return (SimulatorAnswer(status: 200, json: records.json(ticket)), events)
            }
        }
        if let json = JSONValue(parsing: answer.body) { for event in events { observer(event, json) } }
        return answer
    }

    /// Performs an action of support, outside the API.
    /// - Returns: false for an unknown ticket.
    func act(on id: Int64, _ change: @Sendable (inout DeskRecords.Ticket) -> [String]) -> Bool {
        let call = SimulatedCall(parameters: [], query: [:], token: "", body: nil)
        return apply(to: id, call) { ticket, _, _ in .events(change(&ticket)) }.status == 200
    }

    func ticket(ofChannel channel: String) -> Int64? {
        records.withLock { records in records.tickets.first { $0.channelURL.utf8.elementsEqual(channel.utf8) }?.id }
    }

    func customer(of id: Int64) -> String? {
        records.withLock { records in records.index(of: id).flatMap { records.customer(records.tickets[$0].customer)?.sendbirdID } }
    }

    var update: Change {
        { ticket, call, _ in
            if let priority = call.text("priority"), Self.priorities.contains(priority) { ticket.priority = priority }
            if let related = call.text("relatedChannelUrls") {
                let channels = related.split(separator: ",").map(String.init)
                guard channels.count <= 3 else {
                    return .refused(Self.refusal(400, code: "desk400123", detail: "At most 3 related channels."))
                }
                ticket.relatedChannels = channels
            }
            return .events([])
        }
    }

    var setFields: Change {
        { ticket, call, settings in
            guard let fields = Self.fields(call) else {
                return .refused(Self.noFields)
            }
            Self.set(fields, registered: settings.ticketKeys, in: &ticket.fields)
            return .events([])
        }
    }

    var close: Change {
        { ticket, call, _ in
            guard ticket.state != "CLOSED" else { return .refused(Self.refusal(400, code: "desk400130", detail: "The ticket is closed.")) }
            ticket.state = "CLOSED"
            ticket.closeState = "CLOSED_BY_PLATFORM_API"
            ticket.closeComment = call.text("closeComment") ?? ""
            return .events(["TICKET.STATUS.UPDATED", "TICKET.CLOSED"])
        }
    }

    var cancel: Change {
        { ticket, _, _ in
            guard ticket.hasAgent else { return .refused(Self.refusal(400, code: "desk400131", detail: "The ticket is not assigned.")) }
            ticket.hasAgent = false
            ticket.state = "PENDING"
            return .events(["TICKET.STATUS.UPDATED"])
        }
    }

    var reopen: Change {
        { ticket, _, settings in
            if let status = settings.reopenRefusal {
                return .refused(Self.refusal(status, code: "desk\(status)100", detail: "Not allowed."))
            }
            guard ticket.state == "CLOSED" else {
                return .refused(Self.refusal(400, code: "desk400132", detail: "The ticket is not closed."))
            }
            ticket.state = ticket.hasAgent ? "ACTIVE" : "PENDING"
            ticket.closeState = "NOT_CLOSED"
            return .events(["TICKET.STATUS.UPDATED"])
        }
    }

    /// Returns the fields of a request, which are a JSON object as a string; nil when missing or of another form.
    static func fields(_ call: SimulatedCall) -> [(key: String, value: String)]? {
        guard let text = call.text("customFields"), case .object(let object)? = JSONValue(parsing: Array(text.utf8)) else { return nil }
        return object.members.compactMap { member in member.value.text.map { (member.key, $0) } }
    }

    /// Unregistered keys are ignored silently.
    static func set(
        _ fields: [(key: String, value: String)], registered: Set<String>, in own: inout [(key: String, value: String)]
    ) {
        for field in fields where registered.contains(field.key) && field.key.utf16.count <= 20 && field.value.utf16.count <= 190 {
            own.removeAll { $0.key == field.key }
            if !field.value.isEmpty { own.append(field) }
        }
    }
}
