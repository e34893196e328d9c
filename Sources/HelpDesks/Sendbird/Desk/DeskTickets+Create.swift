package import Core
internal import JSON

extension DeskTickets {
    package func create(_ draft: TicketDraft) throws(TicketFailure) -> NewTicket {
        let ticket = try made(draft)
        guard let message = draft.message else { return NewTicket(ticket: ticket, message: .none) }
        // From here on the ticket exists, so the caller must receive its number even after a failure.
        guard let channel = ticket.channel else { return NewTicket(ticket: ticket, message: .failed(.unavailable(reason: Self.malformed))) }
        do throws(PlatformError) {
            _ = try client.askChat(DeskRequests.send(message, from: draft.userID, to: channel))
        } catch {
            return NewTicket(ticket: ticket, message: .failed(TicketFailure(error)))
        }
        return NewTicket(ticket: ticket, message: .sent)
    }

    func made(_ draft: TicketDraft) throws(TicketFailure) -> Ticket {
        // A message in the name of an agent would be a message of support.
        guard !SupportAccount.resemblesSupport(draft.userID) else { throw .unknownPerson }
        try checkMembership(of: draft.userID, in: draft.relatedChannels)
        // Before the ticket, so that a failure to set the name creates no ticket.
        if let name = draft.userName { try self.name(draft.userID, name) }
        let customer = try findOrCreateCustomer(draft.userID)
        guard let ticket = DeskTicket.read(try ask(DeskRequests.create(draft, customer: customer))) else {
            throw .unavailable(reason: Self.malformed)
        }
        return ticket
    }

    private func name(_ userID: String, _ name: String) throws(TicketFailure) {
        guard let request = DeskRequests.name(userID, name) else { throw .unknownPerson }
        do throws(PlatformError) {
            _ = try client.askChat(request)
        } catch .notFound {
            throw .unknownPerson
        } catch {
            throw TicketFailure(error)
        }
    }

    func findOrCreateCustomer(_ userID: String) throws(TicketFailure) -> Int64 {
        if let customer = try customer(userID) { return customer }
        do throws(PlatformError) {
            let json = try client.ask(DeskRequests.createCustomer(userID))
            guard let customer = json["id"].flatMap(DeskTicket.number) else {
                throw PlatformError.unavailable(reason: Self.malformed, mayHaveArrived: true)
            }
            return customer
        } catch .invalid, .notFound {
            // Another request may have created the customer meanwhile. If not, Chat does not know the person.
            guard let customer = try self.customer(userID) else { throw .unknownPerson }
            return customer
        } catch {
            throw TicketFailure(error)
        }
    }
}
