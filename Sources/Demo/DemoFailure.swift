package struct DemoFailure: Error, CustomStringConvertible {
    /// One line for a person: the cause and the remedy. Never a secret.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
