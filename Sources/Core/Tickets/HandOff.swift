/// The ticket in which support was informed of a person.
package struct HandOff: Sendable, Equatable {
    /// The ticket, as it was before the message.
    package let ticket: Ticket
    /// Whether support sees it for the first time.
    package let isNew: Bool

    package init(ticket: Ticket, isNew: Bool) {
        (self.ticket, self.isNew) = (ticket, isNew)
    }
}

/// The reason why a hand-off did not reach support.
package struct HandOffFailure: Error, Equatable {
    package let failure: TicketFailure
    /// Whether support may have the message all the same. A new ticket alone does not count, because support does not see it.
    package let mayBeDone: Bool

    package init(_ failure: TicketFailure, mayBeDone: Bool) {
        (self.failure, self.mayBeDone) = (failure, mayBeDone)
    }
}
