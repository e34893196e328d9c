extension Configuration {
    /// One notifier: what events are delivered to.
    package struct Notifier: Sendable {
        /// What it does with an event.
        package enum Kind: Sendable {
            /// Writes it to the log.
            case log
            /// Posts it, signed.
            case http(HTTPDestination)
        }

        /// Its name: 1 to 64 ASCII letters, digits, `-`, `_` and `.`; no other notifier has it.
        package var name: String
        /// What it does.
        package var kind: Kind
        /// Whether it is told of comments only for people who have a device that can be notified.
        package var requiresDevice = true

        /// Whether both say the same.
        func isConfigured(like other: Notifier) -> Bool {
            guard name.utf8.elementsEqual(other.name.utf8), requiresDevice == other.requiresDevice else { return false }
            return switch (kind, other.kind) {
            case (.log, .log): true
            case (.http(let destination), .http(let other)): destination.isConfigured(like: other)
            case (.log, .http), (.http, .log): false
            }
        }
    }
}
