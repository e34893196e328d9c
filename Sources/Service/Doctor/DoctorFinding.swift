/// What one of the doctor's checks has found.
package struct DoctorFinding: Sendable, Equatable {
    package enum State: String, Sendable {
        case ok
        case warning
        /// Something must be done.
        case problem
    }

    /// What is checked, in the order of the report.
    package enum Subject: String, Sendable, CaseIterable {
        case configuration, clock, limits, unit, ports, service, store, dns, providers
    }

    package let subject: Subject
    package let state: State
    /// What was found; after a semicolon the remedy.
    package let message: String

    init(_ subject: Subject, state: State, message: String) {
        self.subject = subject
        self.state = state
        self.message = message
    }
}
