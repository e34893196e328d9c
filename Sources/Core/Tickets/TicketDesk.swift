/// The tickets of one app at its help desk. Every call waits for the help desk, so do not call it on a thread that serves connections. An
/// `owner` is the user to whom the ticket must belong; nil allows any user.
package protocol TicketDesk: Sendable {
    /// Creates a ticket, and the customer if the help desk does not know the user yet.
    /// - Returns: the ticket as stored by the help desk, possibly without fields that were not registered there.
    func create(_ draft: TicketDraft) throws(TicketFailure) -> NewTicket
    /// Hands a user over to support: writes the draft's message in the user's name, into the open ticket with the latest change or into a
    /// new one.
    func handOff(_ draft: TicketDraft) throws(HandOffFailure) -> HandOff
    func ticket(_ place: TicketLocator) throws(TicketFailure) -> Ticket
    /// Lists tickets, latest change first.
    func list(_ question: TicketQuery) throws(TicketFailure) -> TicketPage
    /// Counts tickets by state; nil counts those of all users.
    func count(of userID: String?) throws(TicketFailure) -> [TicketState: Int64]
    /// Closes a ticket that is active or idle.
    func close(_ id: Int64, comment: String?, owner: String?) throws(TicketFailure) -> Ticket
    func reopen(_ id: Int64, owner: String?) throws(TicketFailure) -> Ticket
    func prioritize(_ id: Int64, _ priority: TicketPriority) throws(TicketFailure) -> Ticket
    /// Sets the channels that a ticket refers to; the customer must have joined each. An empty list clears them.
    func relate(_ id: Int64, to channels: [String], owner: String?) throws(TicketFailure) -> Ticket
    /// Sets fields of a ticket; the other fields do not change.
    /// - Returns: all fields as stored by the help desk.
    func setFields(_ fields: [TicketField], ofTicket id: Int64, owner: String?) throws(TicketFailure) -> [TicketField]
    /// Sets fields of a customer; the other fields do not change.
    /// - Returns: all fields as stored by the help desk.
    func setFields(_ fields: [TicketField], ofCustomer userID: String) throws(TicketFailure) -> [TicketField]
}

package struct NewTicket: Sendable, Equatable {
    /// The result of sending the customer's first message.
    package enum Message: Sendable, Equatable {
        /// The draft had no message.
        case none
        /// Sent, so support sees the ticket.
        case sent
        /// Not sent, or the result is unknown; the ticket exists all the same.
        case failed(TicketFailure)

        package var failure: TicketFailure? { if case .failed(let failure) = self { failure } else { nil } }

        package enum Word: String, Sendable, CaseIterable {
            case sent, failed
        }

        /// Nil when the draft had no message.
        package var word: Word? {
            switch self {
            case .none: nil
            case .sent: .sent
            case .failed: .failed
            }
        }
    }

    package let ticket: Ticket
    package let message: Message

    package init(ticket: Ticket, message: Message) {
        self.ticket = ticket
        self.message = message
    }
}

package enum TicketLocator: Sendable, Equatable {
    case id(Int64)
    /// The channel of the ticket's conversation.
    case channel(String)
}

/// The criteria of a list of tickets.
package struct TicketQuery: Sendable, Equatable {
    /// The default length of a page.
    package static let pageLength = 10
    /// The maximum length of a page.
    package static let longestPage = 100

    package enum Selection: String, Sendable, CaseIterable {
        case open, closed

        /// The values for an error message.
        package static let alternatives = allCases.map(\.rawValue).joined(separator: " or ")
    }

    package let selection: Selection
    /// Nil for the tickets of all users.
    package let userID: String?
    /// Only tickets with all of these fields.
    package let fields: [TicketField]
    package let after: TicketCursor
    package let limit: Int

    package init(
        _ selection: Selection, userID: String?, fields: [TicketField] = [], after: TicketCursor = TicketCursor(), limit: Int = pageLength
    ) {
        self.selection = selection
        self.userID = userID
        self.fields = fields
        self.after = after
        self.limit = limit
    }

    /// The states to query; the help desk has a separate list for each.
    package var states: [TicketState] { selection == .closed ? [.closed] : TicketState.open }
}

package struct TicketPage: Sendable, Equatable {
    package let tickets: [Ticket]
    /// Nil at the end of the list. A page may be short or empty without being the last one.
    package let next: TicketCursor?

    package init(tickets: [Ticket], next: TicketCursor?) {
        self.tickets = tickets
        self.next = next
    }
}

/// A position in a list merged from the lists of several states. The help desk counts from the start of a list, so a ticket that changes
/// between two pages may be missed or repeated.
package struct TicketCursor: Sendable, Equatable {
    private static let maximumPassed: Int64 = 1_000_000_000

    /// The number of tickets before the position, by state; absent means 0.
    package private(set) var passed: [TicketState: Int64] = [:]

    package init() {}

    /// Parses `text`; nil for another text.
    package init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == TicketState.allCases.count, text.utf8.count < 80 else { return nil }
        for (state, part) in zip(TicketState.allCases, numbers) {
            guard let number = Int64(part), "\(number)" == part, (0...Self.maximumPassed).contains(number) else { return nil }
            if number > 0 { passed[state] = number }
        }
    }

    /// Opaque to callers.
    package var text: String { TicketState.allCases.map { "\(passed[$0] ?? 0)" }.joined(separator: ".") }

    package subscript(state: TicketState) -> Int64 { passed[state] ?? 0 }

    package mutating func pass(_ state: TicketState) { passed[state, default: 0] += 1 }
}
