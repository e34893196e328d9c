package import Core
package import Crypto
package import Postgres

extension Configuration {
    package struct Store: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// A SQLite database in this file, which one process uses.
            case sqlite(path: String)
            /// A PostgreSQL database, which any number of processes share.
            case postgres(ConnectionSettings)
            /// Memory, which a restart empties.
            case memory
        }

        package var kind: Kind
        /// The database of the other kind that is configured too: `store copy` reads it or fills it, and nothing else uses it.
        package var other: Kind?
        /// Whether there is a `url` without a `type`, so that it is not used, against what one may expect.
        package var hasURLWithoutType = false
        /// The most deliveries that may wait; over it webhooks are answered 503.
        package var maximumPending: Int
        /// The most deliveries that may wait for one notifier; what comes on top for it ends.
        package var maximumPendingPerNotifier = 250_000
        /// The disk space that must stay free, in units of 1,000,000 bytes; below it webhooks are answered 503.
        package var minimumFreeMegabytes: Int
        /// The file with the copy of the revocations; nil for none.
        package var revocationsPath: String?
        /// The maximum age of that copy at a start without the store, in seconds.
        package var revocationsMaximumAgeSeconds = 86_400

        /// The files that the service writes: a SQLite database, and the copy of the revocations.
        package var files: [String] {
            let database: String? = if case .sqlite(let path) = kind { path } else { nil }
            return [database, revocationsPath].compactMap(\.self)
        }

        /// Whether other processes may use the store at the same time.
        package var isShared: Bool { if case .postgres = kind { true } else { false } }
    }

    package struct Deliveries: Sendable, Equatable {
        /// The maximum age of an event that is delivered, in seconds since its arrival.
        package var expireAfterSeconds: Int
        /// Days for which ended deliveries are stored.
        package var keepDeliveredDays: Int
        /// Days for which dead deliveries are stored.
        package var keepDeadDays: Int
    }

    package struct PushTokens: Sendable, Equatable {
        package var limits: [LimitRule]
        /// The most devices of one person; with one more, the one not seen for longest leaves.
        package var devicesPerUser: Int
        /// Days after which a device without activity is removed.
        package var forgetAfterDays: Int
    }

    /// Settings for operators beside the requests of the admin listener.
    package struct Operators: Sendable, Equatable {
        /// Whether the admin listener serves the operators' page.
        package var servesPage = true
        /// The notifiers of operator events, each once; of the type `log` or `http`.
        package var notifiers: [String] = []
        /// The thresholds of reports.
        package var thresholds = OperatorThresholds()
    }

    /// The proofs of a webhook's origin: at least one is set, and a webhook must pass all that are set.
    package struct Webhook: Sendable {
        /// The last part of the webhook's path: 16 to 128 URL-safe characters each; several while one replaces another.
        package var secrets: [SecretBytes]
        /// The keys of the signature that comes in a header; several while one replaces another.
        package var signatureSecrets: [SecretBytes]

        /// Whether its webhooks come to the path without a secret.
        var needsNoPathSecret: Bool { secrets.isEmpty }
    }

    /// Maps types of device to notifiers of an app's comments.
    package struct Routes: Sendable, Equatable {
        /// The notifier's name by the device's type, in the order of the file; no type twice.
        package var byType: [Route] = []
        /// The notifier for devices of all other types; nil leaves them out.
        package var others: String?

        package struct Route: Sendable, Equatable {
            /// In the app's own words.
            package var type: String
            package var notifier: String
        }

        package var notifiers: [String] {
            var names: [String] = []
            for name in byType.map(\.notifier) + [others].compactMap(\.self) where !names.contains(name) { names.append(name) }
            return names
        }
    }
}
