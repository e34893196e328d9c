package import Core
internal import JSON

extension DeskTickets {
    private static let examinedTickets = 10

    package func handOff(_ draft: TicketDraft) throws(HandOffFailure) -> HandOff {
        let (found, message, channel) = try place(of: draft)
        do throws(PlatformError) {
            _ = try client.askChat(DeskRequests.send(message, from: draft.userID, to: channel))
        } catch {
            let mayBeDone = if case .unavailable(_, let mayHaveArrived) = error { mayHaveArrived } else { false }
            throw HandOffFailure(TicketFailure(error), mayBeDone: mayBeDone)
        }
        return found
    }

    private func place(of draft: TicketDraft) throws(HandOffFailure) -> (HandOff, message: String, channel: String) {
        do throws(TicketFailure) {
            // Rejects an agent's user id, because a message in an agent's name would be a message of support.
            guard !SupportAccount.resemblesSupport(draft.userID) else { throw .unknownPerson }
            guard let message = draft.message else { throw .refused }
            let former = try ticket(forHandOff: draft)
            let ticket = if let former { former } else { try made(draft) }
            guard let channel = ticket.channel else { throw .unavailable(reason: Self.malformed) }
            return (HandOff(ticket: ticket, isNew: former.map { $0.state == .initialized } ?? true), message, channel)
        } catch {
            throw HandOffFailure(error, mayBeDone: false)
        }
    }

    /// Returns the user's open ticket that changed last. If there is none, returns a ticket that an earlier hand-off created without
    /// sending its message, so that a retry does not create a second ticket.
    private func ticket(forHandOff draft: TicketDraft) throws(TicketFailure) -> Ticket? {
        let answers: [JSONValue]
        do throws(PlatformError) {
            answers = try client.ask(
                all: (TicketState.open + [.initialized]).map {
                    DeskRequests.list($0, of: draft.userID, offset: 0, limit: Self.examinedTickets)
                })
        } catch {
            throw TicketFailure(error)
        }
        var found: [Ticket] = []
        for answer in answers {
            guard let list = DeskList(answer, limit: Self.examinedTickets) else { throw .unavailable(reason: Self.malformed) }
            // Ensures that the message is not sent to another user's ticket, even if Sendbird's answer is wrong.
            found += list.tickets.filter { $0.belongs(to: draft.userID) && $0.channel != nil }
        }
        let newest = { (isWanted: (Ticket) -> Bool) in found.filter(isWanted).min { $0.precedes($1) } }
        return newest { ticket in ticket.state.map(TicketState.open.contains) ?? false }
            ?? newest { $0.state == .initialized && $0.title?.utf8.elementsEqual(draft.title.utf8) == true }
    }
}
