extension Configuration {
    /// Where events and deliveries are kept.
    package struct Store: Sendable, Equatable {
        /// What keeps them.
        package enum Kind: Sendable, Equatable {
            /// A SQLite database in this file.
            case sqlite(path: String)
            /// Memory, which a restart empties.
            case memory
        }

        /// What keeps them.
        package var kind: Kind
        /// The most deliveries that may wait; over it webhooks are answered 503.
        package var maximumPending: Int
        /// The most deliveries that may wait for one notifier; what comes on top for it ends.
        package var maximumPendingPerNotifier = 250_000
        /// The disk space that must stay free, in units of 1,000,000 bytes; below it webhooks are answered 503.
        package var minimumFreeMegabytes: Int
    }
}
