package struct DoctorFinding: Sendable, Equatable {
    package enum State: String, Sendable {
        case ok
        case warning
        case problem
    }

    /// The checks, in the order of the report.
    package enum Subject: String, Sendable, CaseIterable {
        case configuration, clock, limits, unit, ports, service, store, dns, providers
    }

    package let subject: Subject
    package let state: State
    package let message: String

    init(_ subject: Subject, state: State, message: String) {
        self.subject = subject
        self.state = state
        self.message = message
    }
}
