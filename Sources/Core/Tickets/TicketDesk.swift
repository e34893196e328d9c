/// The tickets of one app at its help desk. Every call waits for the help desk, so no call may come from a thread that serves connections.
package protocol TicketDesk: Sendable {
    /// Makes a ticket, and the customer if the help desk does not have the person yet.
    /// - Returns: the ticket as the help desk has it, which may lack unregistered fields.
    func create(_ draft: TicketDraft) throws(TicketFailure) -> NewTicket
    /// Brings a person to support: writes the draft's message, in the person's name, into the open ticket that changed last, or into a new
    /// one.
    func handOff(_ draft: TicketDraft) throws(HandOffFailure) -> HandOff
    func ticket(_ place: TicketLocator) throws(TicketFailure) -> Ticket
    /// Lists tickets, those that changed last first.
    func list(_ question: TicketQuestion) throws(TicketFailure) -> TicketPage
    /// Counts tickets by state: those of one person, or all.
    func count(of userID: String?) throws(TicketFailure) -> [TicketState: Int64]
    /// Closes a ticket that is active or idle.
    /// - Parameter owner: its required owner; nil for any.
    func close(_ id: Int64, comment: String?, owner: String?) throws(TicketFailure) -> Ticket
    func reopen(_ id: Int64, owner: String?) throws(TicketFailure) -> Ticket
    func prioritize(_ id: Int64, _ priority: TicketPriority) throws(TicketFailure) -> Ticket
    /// Sets the channels that a ticket is about, of which its customer must have joined each; none clears them.
    /// - Parameter owner: its required owner; nil for any.
    func relate(_ id: Int64, to channels: [String], owner: String?) throws(TicketFailure) -> Ticket
    /// Sets fields of a ticket; other fields stay.
    /// - Parameter owner: its required owner; nil for any.
    /// - Returns: all its fields as the help desk has them afterwards.
    func setFields(_ fields: [TicketField], ofTicket id: Int64, owner: String?) throws(TicketFailure) -> [TicketField]
    /// Sets fields of a customer; other fields stay.
    /// - Returns: all of them as the help desk has them afterwards.
    func setFields(_ fields: [TicketField], ofCustomer userID: String) throws(TicketFailure) -> [TicketField]
}

package struct NewTicket: Sendable, Equatable {
    package enum Message: Sendable, Equatable {
        case none
        /// It was sent, so that support sees the ticket.
        case sent
        /// It was not sent, or that is unknown; the ticket exists all the same.
        case failed(TicketFailure)

        /// The reason why it was not sent; nil when it was, or none was requested.
        package var failure: TicketFailure? { if case .failed(let failure) = self { failure } else { nil } }

        /// The outcome of a message, as a word for programs.
        package enum Word: String, Sendable, CaseIterable {
            case sent, failed
        }

        /// The word for programs; nil when none was wanted.
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
    case channel(String)
}

package struct TicketQuestion: Sendable, Equatable {
    package static let pageLength = 10
    package static let longestPage = 100

    /// Whether open tickets are listed or closed ones.
    package enum Selection: String, Sendable, CaseIterable {
        case open, closed

        /// The words, for a message that asks for one.
        package static let alternatives = allCases.map(\.rawValue).joined(separator: " or ")
    }

    package let selection: Selection
    /// nil for all users.
    package let userID: String?
    /// The fields that they must have, all of them.
    package let fields: [TicketField]
    package let after: TicketCursor
    /// The maximum number.
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

    /// The states that are asked for, each with a list of its own at the help desk.
    package var states: [TicketState] { selection == .closed ? [.closed] : TicketState.open }
}

package struct TicketPage: Sendable, Equatable {
    package let tickets: [Ticket]
    /// The start of the next page; nil at the end. A page may have few tickets, or none, and yet not be the last one.
    package let next: TicketCursor?

    package init(tickets: [Ticket], next: TicketCursor?) {
        self.tickets = tickets
        self.next = next
    }
}

/// A place in a list that is merged from the lists of several states: how many of each have been passed.
///
/// The help desk counts from the list's start, so a ticket that changes between two pages may be missed or seen twice.
package struct TicketCursor: Sendable, Equatable {
    private static let maximumPassed: Int64 = 1_000_000_000

    /// The number of tickets of each state that were passed; a missing state has none.
    package private(set) var passed: [TicketState: Int64] = [:]

    package init() {}

    /// Reads what `text` has written; nil for any other text.
    package init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == TicketState.allCases.count, text.utf8.count < 80 else { return nil }
        for (state, part) in zip(TicketState.allCases, numbers) {
            guard let number = Int64(part), "\(number)" == part, (0...Self.maximumPassed).contains(number) else { return nil }
            if number > 0 { passed[state] = number }
        }
    }

    package var text: String { TicketState.allCases.map { "\(passed[$0] ?? 0)" }.joined(separator: ".") }

    package subscript(state: TicketState) -> Int64 { passed[state] ?? 0 }

    package mutating func pass(_ state: TicketState) { passed[state, default: 0] += 1 }
}
