package import Core
internal import JSON

/// The tickets of one app at Sendbird Desk. Every call blocks until Sendbird answers.
package struct DeskTickets: TicketDesk {
    static let malformed = "malformed_response"

    let client: DeskClient

    package init(_ client: DeskClient) {
        self.client = client
    }

    package func ticket(_ place: TicketLocator) throws(TicketFailure) -> Ticket {
        switch place {
        case .id(let id): return try ticket(id, owner: nil)
        case .channel(let channel):
            let json = try ask(DeskRequests.list(ofChannel: channel))
            guard let list = DeskList(json, limit: 2) else { throw .unavailable(reason: Self.malformed) }
            guard let found = list.ticket(ofChannel: channel) else { throw .notFound }
            return found
        }
    }

    package func count(of userID: String?) throws(TicketFailure) -> [TicketState: Int64] {
        let states = TicketState.open + [.closed]
        let answers: [JSONValue]
        do throws(PlatformError) {
            answers = try client.ask(all: states.map { DeskRequests.list($0, of: userID, offset: 0, limit: 1) })
        } catch {
            throw TicketFailure(error)
        }
        var counts: [TicketState: Int64] = [:]
        for (state, answer) in zip(states, answers) {
            guard let total = DeskList(answer, limit: 1)?.total else { throw .unavailable(reason: Self.malformed) }
            counts[state] = total
        }
        return counts
    }

    package func close(_ id: Int64, comment: String?, owner: String?) throws(TicketFailure) -> Ticket {
        let before = try ticket(id, owner: owner)
        guard before.state?.isClosable ?? false else { throw .notClosable(before.state) }
        return try changed(id, ask(DeskRequests.close(id, comment: comment)))
    }

    package func reopen(_ id: Int64, owner: String?) throws(TicketFailure) -> Ticket {
        let before = try ticket(id, owner: owner)
        guard before.state == .closed else { throw .notClosed(before.state) }
        let answer: JSONValue
        do throws(PlatformError) {
            answer = try client.ask(DeskRequests.reopen(id))
        } catch .notFound {
            // The ticket exists, so Sendbird does not support the request.
            throw .unsupported
        } catch .invalid(let refusal) where refusal.status == 405 {
            throw .unsupported
        } catch {
            throw TicketFailure(error)
        }
        return try changed(id, answer)
    }

    package func prioritize(_ id: Int64, _ priority: TicketPriority) throws(TicketFailure) -> Ticket {
        let ticket = try changed(id, ask(DeskRequests.prioritize(id, priority)))
        // Sendbird answers 200 even if it has changed nothing.
        guard ticket.priority == priority else { throw .refused }
        return ticket
    }

    package func setFields(_ fields: [TicketField], ofTicket id: Int64, owner: String?) throws(TicketFailure) -> [TicketField] {
        if owner != nil { _ = try ticket(id, owner: owner) }
        return try changed(id, ask(DeskRequests.setFields(fields, ofTicket: id))).fields
    }

    package func setFields(_ fields: [TicketField], ofCustomer userID: String) throws(TicketFailure) -> [TicketField] {
        guard let customer = try customer(userID) else { throw .unknownPerson }
        return try setFields(fields, of: customer, userID)
    }

    /// Sets the user's own fields. Other fields are unchanged. Creates the customer if Desk does not have the user, like the vendor's SDK
    /// at sign-in.
    /// - Returns: all fields afterwards.
    func setOwnFields(_ fields: [TicketField], of userID: String) throws(TicketFailure) -> [TicketField] {
        guard !SupportAccount.resemblesSupport(userID) else { throw .unknownPerson }
        return try setFields(fields, of: findOrCreateCustomer(userID), userID)
    }

    private func setFields(_ fields: [TicketField], of customer: Int64, _ userID: String) throws(TicketFailure) -> [TicketField] {
        let json = try ask(DeskRequests.setFields(fields, ofCustomer: customer))
        if let fields = json["customFields"]?.nonNull { return DeskTicket.fields(fields) }
        let found = try ask(DeskRequests.findCustomer(userID))
        return DeskTicket.fields(found["results"]?.elements.first { Self.isCustomer($0, userID) }?["customFields"])
    }

    /// Answers a message in which support asks the customer a question.
    ///
    /// If the customer confirms that the ticket may be closed, this method also closes it, unless it is already closed: Desk acts on such
    /// an answer only when the SDK has sent it (inferred).
    func answer(_ answer: CustomerAnswer, messageID: Int64, ticket id: Int64, owner: String) throws(TicketFailure) -> Ticket {
        let ticket = try ticket(id, owner: owner)
        guard let channel = ticket.channel else { throw .notAsked }
        let message: JSONValue
        do throws(PlatformError) {
            message = try client.askChat(DeskRequests.message(messageID, in: channel))
            switch InquiryMessage(message, ticket: id, owner: owner)?.effect(of: answer) {
            case nil: throw PlatformError.notFound(PlatformRefusal(status: 404))
            case .nothing: break
            case .change(let data): _ = try client.askChat(DeskRequests.answer(message, id: messageID, in: channel, data: data))
            }
        } catch .notFound {
            throw .notAsked
        } catch {
            throw TicketFailure(error)
        }
        var now = try self.ticket(id, owner: owner)
        switch answer {
        case .closure(isConfirmed: true) where now.state?.isClosable ?? false:
            return try changed(id, ask(DeskRequests.close(id, comment: nil)))
        case .closure: return now
        case .rating(let score, let comment):
            // The message contains the rating. The documentation does not specify when Desk copies it to the ticket.
            (now.score, now.ratingComment) = (score, comment)
            return now
        }
    }
}

extension DeskTickets {
    /// - Parameter owner: the required owner, so that another user's ticket is `notFound`; nil for any user.
    func ticket(_ id: Int64, owner: String?) throws(TicketFailure) -> Ticket {
        guard let ticket = DeskTicket.read(try ask(DeskRequests.view(id))), ticket.id == id else {
            throw .unavailable(reason: Self.malformed)
        }
        if let owner, !ticket.belongs(to: owner) { throw .notFound }
        return ticket
    }

    /// Returns the ticket from the answer to a change. Reads the ticket again if the answer does not contain it.
    func changed(_ id: Int64, _ answer: JSONValue) throws(TicketFailure) -> Ticket {
        // A ticket without a state is incomplete.
        if let ticket = DeskTicket.read(answer), ticket.id == id, ticket.state != nil { return ticket }
        return try ticket(id, owner: nil)
    }

    func ask(_ request: PlatformRequest) throws(TicketFailure) -> JSONValue {
        do throws(PlatformError) {
            return try client.ask(request)
        } catch {
            throw TicketFailure(error)
        }
    }

    /// Returns the number of a customer; nil when Desk does not have the user.
    func customer(_ userID: String) throws(TicketFailure) -> Int64? {
        let json = try ask(DeskRequests.findCustomer(userID))
        guard case .array(let customers)? = json["results"] else { throw .unavailable(reason: Self.malformed) }
        return customers.first { Self.isCustomer($0, userID) }?["id"].flatMap(DeskTicket.number)
    }

    /// Compares the whole id, because Sendbird may return users with similar ids.
    static func isCustomer(_ json: JSONValue, _ userID: String) -> Bool {
        json["sendbirdId"]?.text?.utf8.elementsEqual(userID.utf8) ?? false
    }
}

extension TicketFailure {
    init(_ error: PlatformError) {
        self =
            switch error {
            case .unauthorized: .unauthorized
            case .notFound: .notFound
            case .invalid: .refused
            case .rateLimited(let milliseconds), .heldBack(let milliseconds): .limited(seconds: (milliseconds + 999) / 1000)
            case .unavailable(let reason, _): .unavailable(reason: reason)
            }
    }
}
