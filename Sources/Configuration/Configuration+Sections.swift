package import Core
package import Crypto
package import Postgres

extension Configuration {
    package struct Store: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// A SQLite database in this file; only one process may use it.
            case sqlite(path: String)
            /// A PostgreSQL database, which any number of processes share.
            case postgres(ConnectionSettings)
            /// A store in memory; its contents are lost at a restart.
            case memory
        }

        package var kind: Kind
        /// The database of the other kind, if it is also configured. Only `store copy` uses it, as source or target.
        package var other: Kind?
        /// Whether the configuration has a `url` without a `type`, so that the `url` is ignored.
        package var hasURLWithoutType = false
        /// The maximum number of pending deliveries. When it is reached, webhooks are rejected with 503.
        package var maximumPending: Int
        /// The maximum number of pending deliveries of one notifier. When it is reached, further deliveries to the notifier end
        /// immediately.
        package var maximumPendingPerNotifier = 250_000
        /// The minimum free disk space, in units of 1,000,000 bytes. Below it, webhooks are rejected with 503.
        package var minimumFreeMegabytes: Int
        /// The file with the copy of the revocations; nil for none.
        package var revocationsPath: String?
        /// The maximum age, in seconds, of that copy when the service starts without the store.
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
        /// The time, in seconds after its arrival, after which an event expires.
        package var expireAfterSeconds: Int
        /// Days for which ended deliveries are stored.
        package var keepDeliveredDays: Int
        /// Days for which dead deliveries are stored.
        package var keepDeadDays: Int
    }

    package struct PushTokens: Sendable, Equatable {
        package var limits: [LimitRule]
        /// The maximum number of devices of one person. When it is exceeded, the device with the oldest activity is removed.
        package var devicesPerUser: Int
        /// Days after which a device without activity is removed.
        package var forgetAfterDays: Int
    }

    /// Settings for operators, apart from the admin listener.
    package struct Operators: Sendable, Equatable {
        /// Whether the admin listener serves the operators' page.
        package var servesPage = true
        /// The notifiers of operator events, without duplicates; of type `log` or `http`.
        package var notifiers: [String] = []
        /// The thresholds of reports to operators.
        package var thresholds = OperatorThresholds()
    }

    /// The checks of a webhook's origin: at least one is configured, and a webhook must pass every configured check.
    package struct Webhook: Sendable {
        /// Values for the last part of the webhook's path: 16 to 128 URL-safe characters each; more than one during a rotation.
        package var secrets: [SecretBytes]
        /// The keys of the signature in the header; more than one during a rotation.
        package var signatureSecrets: [SecretBytes]

        /// Whether the webhook's path has no secret.
        var needsNoPathSecret: Bool { secrets.isEmpty }
    }

    /// Maps types of device to notifiers of an app's comments.
    package struct Routes: Sendable, Equatable {
        /// The routes by device type, in the order of the file, without duplicate types.
        package var byType: [Route] = []
        /// The notifier for devices of all other types; nil when these devices are not notified.
        package var others: String?

        package struct Route: Sendable, Equatable {
            /// The device type, as the app registers it.
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
