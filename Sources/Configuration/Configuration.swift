package import Core
package import Crypto
package import HTTPServer
internal import JSON
package import Observability
internal import POSIX
package import Time

/// A complete and valid configuration with all settings of the service, including secrets.
package struct Configuration: Sendable {
    package struct Listener: Sendable, Equatable {
        package var address: ListenAddress
        package var settings: ServerSettings
    }

    package struct Admin: Sendable {
        package var listener: Listener
        /// The tokens, with `admin.token` first. If empty, routes that require a token are not served.
        package var tokens: [AdminToken]
        /// Whether `/metrics` also requires a token if only this machine can reach it.
        package var metricsNeedToken: Bool

        /// Whether only this machine can reach the listener.
        package var isLocal: Bool {
            switch listener.address {
            case .unix: true
            case .tcp(let host, _): LoopbackHost.contains(host.lowercased())
            }
        }
    }

    package struct App: Sendable {
        package struct Key: Sendable {
            /// The key's id, unique within the app.
            package var id: UInt32
            /// The secret, 32 bytes.
            package var secret: SecretBytes
            package var state = Application.Key.State.active
            /// The last second in which the key verifies anything; nil for unlimited.
            package var notAfter: UnixSeconds?
        }

        package var id: String
        /// The help desk that provides the app's chat.
        package var helpDesk = HelpDeskKind.default
        /// The keys in the order of the file.
        package var keys: [Key]
        /// The lifetime of security keys, if it differs from the default for all apps.
        package var keyLifetime = KeyLifetime()
        /// The settings of the app's backend; nil when the security key alone decides.
        package var verify: Verify?
        /// The authentication of webhooks for help desks without a separate mechanism; nil when the app accepts no such webhooks.
        package var webhook: Webhook?
        package var anonymous = AnonymousRule.reject
        /// The settings of Sendbird; nil when the app belongs to another help desk.
        package var sendbird: Sendbird?
        /// The names of the notifiers that receive its events.
        package var notifiers: [String]
        package var routes = Routes()
        /// The end of shadow mode, in which authorizations that would be denied are answered 200; nil without shadow mode.
        package var shadowUntil: UnixSeconds?

        /// Whether the app's help desk may send webhooks.
        package var takesWebhooks: Bool { webhook != nil || sendbird != nil }
    }

    package struct Log: Sendable, Equatable {
        package var level: LogLevel
        package var format: LogFormat
    }

    package var listen: Listener
    package var callers = Callers()
    package var admin: Admin
    /// The apps; never empty.
    package var apps: [App]
    package var notifiers: [Notifier]
    package var store: Store
    package var deliveries: Deliveries
    package var pushTokens: PushTokens
    package var keyPolicy: KeyPolicy
    /// The default lifetime of a minted key in seconds, when neither the caller nor the app sets one; 0 for unlimited.
    package var defaultLifetimeSeconds: UInt64
    package var operators = Operators()
    package var bots: [BotDefinition] = []
    package var traces: TraceExport?
    package var log: Log
    /// The seconds for which running requests may continue when the service stops.
    package var drainSeconds: Int
    /// Whether a change of a configuration file triggers a reload.
    package var reloadsOnChange: Bool
    package internal(set) var sources = ConfigurationSources()
    /// The configuration file without secrets, for operators.
    package internal(set) var shown = ShownConfiguration()
    /// All active keys, in the order of reading.
    package internal(set) var settings: [ConfigurationSetting] = []
    /// The SHA-256 of the configuration file in hexadecimal, as printed by `sha256sum`. Empty when the file itself contains secrets,
    /// because these could be guessed from the digest.
    package internal(set) var fileDigest = ""

    /// The values of keys that only a restart can change.
    var fixed: [FixedValue] = []
    /// The positions of these keys in the file. For a missing key, the position of its enclosing object.
    var fixedPlaces: [String: JSONPlace] = [:]

    /// Returns the paths of the keys that differ and that only a restart can change, in alphabetical order. If an object was added or
    /// removed, its path stands for its keys.
    package func fixedKeys(differingFrom other: Configuration) -> [String] {
        let differing = Set(Set(fixed).symmetricDifference(other.fixed).map(\.path))
        return differing.filter { differing.isDisjoint(with: ConfigurationSettings.containers(of: $0)) }.sorted()
    }

    /// Returns the problem that a reload reports for a changed key that only a restart can change.
    package func refusal(ofFixedKey path: String) -> ConfigurationProblem {
        ConfigurationProblem(path: path, message: "cannot change while serving; restart", place: fixedPlaces[path])
    }

    /// Creates the authorizer with the apps and their keys.
    /// - Throws: when OpenSSL fails.
    package func makeAuthorizer() throws(CryptoError) -> Authorizer {
        var applications: [Application] = []
        for app in apps {
            var keys: [Application.Key] = []
            for key in app.keys {
                let secret = try key.secret.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
                keys.append(Application.Key(id: key.id, secret: secret, state: key.state, notAfter: key.notAfter))
            }
            let signing = keys.isEmpty ? try app.verify?.signingSecrets().first : nil
            applications.append(
                Application(
                    id: app.id, keys: keys, life: app.keyLifetime, shadowUntil: app.shadowUntil, verification: app.verify?.mode ?? .key,
                    signingSecret: signing))
        }
        return try Authorizer(applications, policy: keyPolicy)
    }
}

extension Configuration {
    /// Reads a configuration file, and the files that it refers to.
    /// - Parameters:
    ///   - path: the file; relative paths in the file are relative to its directory.
    ///   - environment: looks up environment variables.
    ///   - now: the current time, for the check of dates that are too far in the future.
    /// - Throws: an error with all mistakes.
    package init(
        contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) },
        now: UnixSeconds = SystemClock.unixSeconds()
    ) throws(ConfigurationError) {
        self = try ConfigurationReader.read(path, environment: environment, now: now)
    }
}

extension Configuration.Listener {
    /// Reads the public listener from a file, even if other parts have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the listener is missing or has a mistake, or the file is unreadable, unsafe, or not valid JSON up to the end of
    ///   this part.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let listen = ConfigurationReader.part("listen", of: path, environment: environment, \.listen) else { return nil }
        self = listen
    }
}

extension Configuration.Admin {
    /// Reads the admin listener from a file, even if other parts have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the listener is missing or has a mistake, or the file is unreadable, unsafe, or not valid JSON up to the end of
    ///   this part.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let admin = ConfigurationReader.part("admin", of: path, environment: environment, \.admin) else { return nil }
        self = admin
    }

    /// Whether a file contains only this part, so that it is intended for commands and not for a service.
    package static func isAlone(in path: String) -> Bool { ConfigurationReader.holds(only: "admin", at: path) }
}

extension Configuration.Store {
    /// Reads the settings of the store from a file, even if other parts have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the part is missing or has a mistake, or the file is unreadable, unsafe, or not valid JSON up to the end of this
    ///   part.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let store = ConfigurationReader.part("store", of: path, environment: environment, \.store) else { return nil }
        self = store
    }

    /// Returns the reason why the store of a file with mistakes is unknown, if the part `store` is missing; nil when the file contains it.
    package static func omission(in path: String) -> String? {
        guard ConfigurationReader.lacks("store", at: path) else { return nil }
        return "$.store is not in the file, and among mistakes its default is not taken"
    }
}
