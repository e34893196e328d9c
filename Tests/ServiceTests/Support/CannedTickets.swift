import Core
import Threading

/// The tickets of an app whose help desk has one ticket and supports every change.
struct CannedTickets: TicketDesk {
    /// The failure of every call; nil for success.
    var failure: TicketFailure?

    private func ticket() throws(TicketFailure) -> Ticket {
        if let failure { throw failure }
        var ticket = Ticket(id: 101)
        ticket.state = .active
        ticket.userID = "user-1"
        return ticket
    }

    func create(_ draft: TicketDraft) throws(TicketFailure) -> NewTicket { NewTicket(ticket: try ticket(), message: .none) }
    func handOff(_ draft: TicketDraft) throws(HandOffFailure) -> HandOff {
        do throws(TicketFailure) {
            return HandOff(ticket: try ticket(), isNew: false)
        } catch {
            throw HandOffFailure(error, mayBeDone: error.mayHaveChanged)
        }
    }
    func ticket(_ place: TicketLocator) throws(TicketFailure) -> Ticket { try ticket() }
    func list(_ question: TicketQuery) throws(TicketFailure) -> TicketPage { TicketPage(tickets: [try ticket()], next: nil) }
    func count(of userID: String?) throws(TicketFailure) -> [TicketState: Int64] {
        _ = try ticket()
        return [.active: 1]
    }
    func close(_ id: Int64, comment: String?, owner: String?) throws(TicketFailure) -> Ticket { try ticket() }
    func reopen(_ id: Int64, owner: String?) throws(TicketFailure) -> Ticket { try ticket() }
    func prioritize(_ id: Int64, _ priority: TicketPriority) throws(TicketFailure) -> Ticket { try ticket() }
    func relate(_ id: Int64, to channels: [String], owner: String?) throws(TicketFailure) -> Ticket { try ticket() }
    func setFields(_ fields: [TicketField], ofTicket id: Int64, owner: String?) throws(TicketFailure) -> [TicketField] {
        _ = try ticket()
        return fields
    }
    func setFields(_ fields: [TicketField], ofCustomer userID: String) throws(TicketFailure) -> [TicketField] {
        _ = try ticket()
        return fields
    }
}
