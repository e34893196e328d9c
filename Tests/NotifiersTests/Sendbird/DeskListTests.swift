import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// Lists that merge several states, page by page.
@Suite struct DeskListTests {
    private func open(_ user: String? = nil, fields: [TicketField] = [], after: TicketCursor = TicketCursor(), limit: Int = 10)
        -> TicketQuery
    {
        TicketQuery(.open, userID: user, fields: fields, after: after, limit: limit)
    }

    private func numbers(_ desk: DeskFixture, _ question: TicketQuery) throws -> (pages: [[Int64]], all: [Int64]) {
        var (pages, after): ([[Int64]], TicketCursor?) = ([], question.after)
        while let place = after, pages.count < 100 {
            let page = try desk.tickets.list(
                TicketQuery(
                    question.selection, userID: question.userID, fields: question.fields, after: place, limit: question.limit))
            pages.append(page.tickets.map(\.id))
            after = page.next
        }
        return (pages, pages.flatMap { $0 })
    }

    /// Creates tickets in all states, oldest first. Every seventh stays in its initial state, which no list contains.
    private func fill(_ desk: DeskFixture, _ count: Int, user: String = "user-1") throws -> [Int64] {
        let states: [TicketState] = [.pending, .active, .idle, .workInProgress, .closed, .active]
        var made: [Int64] = []
        for number in 0..<count {
            let fields = number % 5 == 0 ? [TicketField(key: "order", value: "7")] : []
            let id = try desk.create(user, title: "T\(number)", fields: fields).id
            guard number % 7 != 6 else { continue }
            desk.desk.perform(.set(state: states[number % 6].rawValue), onTicket: id)
            if states[number % 6] != .closed { made.append(id) }
        }
        return made
    }

    @Test func `merges the open states by their last change`() throws {
        try DeskFixture.with { desk throws in
            let made = try fill(desk, 43)
            _ = try fill(desk, 9, user: "user-2")
            let (pages, all) = try numbers(desk, open("user-1"))
            #expect(all == made.reversed())
            #expect(pages.dropLast().allSatisfy { $0.count == 10 })
            #expect((pages.last?.count ?? 0) <= 10)
            #expect(try numbers(desk, open(limit: 100)).all.count == made.count + 7)
        }
    }

    @Test func `lists closed ones`() throws {
        try DeskFixture.with { desk throws in
            let ids = try (0..<12).map { try desk.activeTicket(title: "T\($0)").id }
            for id in ids { _ = try desk.tickets.close(id, comment: nil, owner: nil) }
            let question = TicketQuery(.closed, userID: nil)
            #expect(try numbers(desk, question).pages == [Array(ids.reversed().prefix(10)), Array(ids.prefix(2).reversed())])
            #expect(try numbers(desk, open()).all.isEmpty)
        }
    }

    @Test func `finds tickets by a field`() throws {
        try DeskFixture.with { desk throws in
            let made = try fill(desk, 43)
            let wanted = TicketField(key: "order", value: "7")
            let expected = try made.filter { try desk.tickets.ticket(.id($0)).has(wanted) }
            #expect(expected.count > 4)
            #expect(try numbers(desk, open(fields: [wanted], limit: 3)).all == expected.reversed())
            #expect(try numbers(desk, open(fields: [TicketField(key: "order", value: "8")])).all.isEmpty)
            // All of several fields must match.
            let both = [wanted, TicketField(key: "language", value: "ru")]
            #expect(try numbers(desk, open(fields: both)).all.isEmpty)
            _ = try desk.tickets.setFields([both[1]], ofTicket: expected[1], owner: nil)
            #expect(try numbers(desk, open(fields: both)).all == [expected[1]])
        }
    }

    @Test func `tickets are counted by state`() throws {
        try DeskFixture.with { desk throws in
            _ = try fill(desk, 43)
            let counts = try desk.tickets.count(of: "user-1")
            #expect(Set(counts.keys) == Set(TicketState.open + [.closed]))
            #expect(counts.open == Int64(try numbers(desk, open()).all.count))
            #expect(try desk.tickets.count(of: "user-2").open == 0)
        }
    }

    /// Each state is requested once per page, and all concurrently.
    @Test func `makes no more requests than necessary`() throws {
        try DeskFixture.with { desk throws in
            _ = try fill(desk, 43)
            for _ in 0..<5 { desk.faults.add(Fault(.delay, at: .sendbirdDesk, token: "list_tickets", delayMilliseconds: 1)) }
            _ = try desk.tickets.list(open())
            #expect(desk.faults.remaining == 1)
        }
    }

    @Test(arguments: ["", "1", "0.0.0.0.0", "0.0.0.0.0.0.0", "-1.0.0.0.0.0", "+1.0.0.0.0.0", "01.0.0.0.0.0", "0.0.0.0.0.9999999999"])
    func `rejects a malformed cursor`(_ text: String) {
        #expect(TicketCursor(text) == nil)
    }
}
