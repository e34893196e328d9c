/// What one of the doctor's checks has found.
package struct DoctorFinding: Sendable, Equatable {
    /// How bad it is.
    package enum State: String, Sendable {
        /// Nothing is wrong.
        case ok
        /// Something should be looked at.
        case warning
        /// Something must be done.
        case problem
    }

    /// What is checked, in the order of the report.
    package enum Subject: String, Sendable, CaseIterable {
        case configuration, clock, limits, unit, ports, service, store, dns, providers
    }

    /// What was checked.
    package let subject: Subject
    /// How bad it is.
    package let state: State
    /// What was found; after a semicolon the remedy.
    package let message: String

    init(_ subject: Subject, state: State, message: String) {
        self.subject = subject
        self.state = state
        self.message = message
    }
}
