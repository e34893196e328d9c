/// The ticket in which support received a user's message.
package struct HandOff: Sendable, Equatable {
    /// The state before the message.
    package let ticket: Ticket
    /// Whether support sees the ticket for the first time.
    package let isNew: Bool

    package init(ticket: Ticket, isNew: Bool) {
        (self.ticket, self.isNew) = (ticket, isNew)
    }
}

package struct HandOffFailure: Error, Equatable {
    package let failure: TicketFailure
    /// Whether support may still have received the message. False if only a ticket was created, because support does not see it.
    package let mayBeDone: Bool

    package init(_ failure: TicketFailure, mayBeDone: Bool) {
        (self.failure, self.mayBeDone) = (failure, mayBeDone)
    }
}
