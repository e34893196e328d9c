package import Core
internal import JSON

extension DeskTickets {
    /// The maximum number of rounds of requests for one page. A search for a rare field may end a page with few tickets, or none.
    private static let maximumRounds = 4
    private static let searchLength = 100

    package func list(_ question: TicketQuery) throws(TicketFailure) -> TicketPage {
        let length = question.fields.isEmpty ? question.limit : max(Self.searchLength, question.limit)
        var lanes = question.states.map { StateQueue(state: $0) }
        var (cursor, found) = (question.after, [Ticket]())
        for _ in 0..<Self.maximumRounds {
            try refill(&lanes, cursor: cursor, question: question, length: length)
            while found.count < question.limit, lanes.allSatisfy({ !$0.needsMore }), let next = Self.next(&lanes, &cursor) {
                if question.fields.allSatisfy(next.has) { found.append(next) }
            }
            if found.count == question.limit || lanes.allSatisfy(\.isOver) { break }
        }
        return TicketPage(tickets: found, next: lanes.allSatisfy(\.isOver) ? nil : cursor)
    }

    /// The tickets of one state that were fetched but not yet consumed.
    private struct StateQueue {
        let state: TicketState
        /// The waiting tickets. Nil is an unreadable ticket, which is skipped.
        var waiting: ArraySlice<Ticket?> = []
        var hasMore = true

        var needsMore: Bool { waiting.isEmpty && hasMore }
        var isOver: Bool { waiting.isEmpty && !hasMore }
    }

    private func refill(
        _ lanes: inout [StateQueue], cursor: TicketCursor, question: TicketQuery, length: Int
    ) throws(TicketFailure) {
        let starved = lanes.indices.filter { lanes[$0].needsMore }
        let answers: [JSONValue]
        do throws(PlatformError) {
            answers = try client.ask(
                all: starved.map {
                    DeskRequests.list(lanes[$0].state, of: question.userID, offset: cursor[lanes[$0].state], limit: length)
                })
        } catch {
            throw TicketFailure(error)
        }
        for (index, answer) in zip(starved, answers) {
            guard let list = DeskList(answer, limit: length) else { throw .unavailable(reason: Self.malformed) }
            let foreign = { (ticket: Ticket) in question.userID.map { !ticket.belongs(to: $0) } ?? false }
            let unreadable = [Ticket?](repeating: nil, count: list.count - list.tickets.count)
            // A customer's list must contain only the customer's tickets, even if Sendbird's answer contains others.
            lanes[index].waiting = (list.tickets.map { foreign($0) ? nil : $0 } + unreadable)[...]
            // An empty answer ends the list, even if it contains a next page.
            lanes[index].hasMore = list.hasMore && list.count > 0
        }
    }

    /// Removes the ticket that changed last among the first tickets of all lanes; nil when all lanes are empty.
    private static func next(_ lanes: inout [StateQueue], _ cursor: inout TicketCursor) -> Ticket? {
        for index in lanes.indices {
            while let first = lanes[index].waiting.first, first == nil {
                lanes[index].waiting.removeFirst()
                cursor.pass(lanes[index].state)
            }
        }
        let heads = lanes.indices.compactMap { index in (lanes[index].waiting.first ?? nil).map { (index, $0) } }
        guard let (latest, ticket) = heads.min(by: { $0.1.precedes($1.1) }) else { return nil }
        lanes[latest].waiting.removeFirst()
        cursor.pass(lanes[latest].state)
        return ticket
    }
}
