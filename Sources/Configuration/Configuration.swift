package import Core
package import Crypto
package import HTTPServer
internal import JSON
package import Observability
internal import POSIX
package import Time

/// A configuration that has been read whole and found right: everything that the service needs, secrets included.
package struct Configuration: Sendable {
    package struct Listener: Sendable, Equatable {
        package var address: ListenAddress
        package var settings: ServerSettings
    }

    package struct Admin: Sendable {
        package var listener: Listener
        /// `admin.token` first. Without any, no route that needs one is served.
        package var tokens: [AdminToken]
        /// Whether `/metrics` needs a token as well, although only this machine reaches it.
        package var metricsNeedToken: Bool

        /// Whether only this machine reaches the listener.
        package var isLocal: Bool {
            switch listener.address {
            case .unix: true
            case .tcp(let host, _): LoopbackHost.contains(host.lowercased())
            }
        }
    }

    package struct App: Sendable {
        package struct Key: Sendable {
            /// Unique within the app.
            package var id: UInt32
            /// The secret, 32 bytes.
            package var secret: SecretBytes
            package var state = Application.Key.State.active
            /// The last second in which it verifies anything; nil for no end.
            package var notAfter: UnixSeconds?
        }

        package var id: String
        /// The help desk whose chat it is.
        package var helpDesk = HelpDeskKind.default
        /// In the order of the file.
        package var keys: [Key]
        /// The life of its users' keys, where it differs from other apps.
        package var keyLifetime = KeyLifetime()
        /// nil when the security key alone decides.
        package var verify: Verify?
        /// The proof of origin of webhooks without a help desk's own proof; nil when the app accepts none of them.
        package var webhook: Webhook?
        package var anonymous = AnonymousRule.reject
        /// nil when the app belongs to another help desk.
        package var sendbird: Sendbird?
        /// The names of the notifiers that receive its events.
        package var notifiers: [String]
        package var routes = Routes()
        /// Until then its authorizations are answered 200 where they would be denied; nil denies.
        package var shadowUntil: UnixSeconds?

        /// Whether its help desk may send us webhooks.
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
    /// The default life of a minted key in seconds, where neither the caller nor the app sets one; 0 for ever.
    package var defaultLifetimeSeconds: UInt64
    package var operators = Operators()
    package var bots: [BotDefinition] = []
    package var traces: TraceExport?
    package var log: Log
    /// Seconds for which requests under way may continue when the service stops.
    package var drainSeconds: Int
    /// Whether a change of one of its files is taken over by itself.
    package var reloadsOnChange: Bool
    package internal(set) var sources = ConfigurationSources()
    /// The file without secrets, for operators.
    package internal(set) var shown = ShownConfiguration()
    /// Every key that is in force with it, in the order of reading.
    package internal(set) var settings: [ConfigurationSetting] = []
    /// The SHA-256 of its file in hexadecimal, as `sha256sum` prints it; empty when the file itself holds secrets, because the digest would
    /// allow guesses.
    package internal(set) var fileDigest = ""

    /// The values of the keys that only a restart takes over.
    var fixed: [FixedValue] = []
    /// Positions of those keys in the file, or of the enclosing object where the key is missing.
    var fixedPlaces: [String: JSONPlace] = [:]

    /// Returns the paths of the keys that differ and that only a restart can change, in alphabetical order. An object that is added or
    /// removed represents the keys within it.
    package func fixedKeys(differingFrom other: Configuration) -> [String] {
        let differing = Set(Set(fixed).symmetricDifference(other.fixed).map(\.path))
        return differing.filter { differing.isDisjoint(with: ConfigurationSettings.containers(of: $0)) }.sorted()
    }

    /// The mistake that a reload names which would change a key that only a restart can change.
    package func refusal(ofFixedKey path: String) -> ConfigurationProblem {
        ConfigurationProblem(path: path, message: "cannot change while serving; restart", place: fixedPlaces[path])
    }

    /// The apps and keys as the authorizer wants them.
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
    /// Reads a configuration file with everything that it names.
    /// - Parameters:
    ///   - path: the file; relative paths in it start from its directory.
    ///   - environment: looks up environment variables.
    ///   - now: decides which dates are too far ahead.
    /// - Throws: every mistake at once.
    package init(
        contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) },
        now: UnixSeconds = SystemClock.unixSeconds()
    ) throws(ConfigurationError) {
        self = try ConfigurationReader.read(path, environment: environment, now: now)
    }
}

extension Configuration.Listener {
    /// Reads the listener that the help desk calls from a file whose other parts may have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the listener is missing or has a mistake, or the file is not JSON up to its end, unreadable or unsafe.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let listen = ConfigurationReader.part("listen", of: path, environment: environment, \.listen) else { return nil }
        self = listen
    }
}

extension Configuration.Admin {
    /// Reads the operators' listener from a file whose other parts may have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the listener is missing or has a mistake, or the file is not JSON up to its end, unreadable or unsafe.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let admin = ConfigurationReader.part("admin", of: path, environment: environment, \.admin) else { return nil }
        self = admin
    }

    /// Whether a file holds this part and nothing else, so that it is for commands and not for a service.
    package static func isAlone(in path: String) -> Bool { ConfigurationReader.holds(only: "admin", at: path) }
}

extension Configuration.Store {
    /// Reads where events are kept from a file whose other parts may have mistakes.
    /// - Parameter environment: looks up environment variables.
    /// - Returns: nil when the store is missing or has a mistake, or the file is not JSON up to its end, unreadable or unsafe.
    package init?(contentsOf path: String, environment: @escaping (String) -> String? = { Process.environment($0) }) {
        guard let store = ConfigurationReader.part("store", of: path, environment: environment, \.store) else { return nil }
        self = store
    }

    /// Says why the store of a file with mistakes is not known although none of them is in `store`; nil when the file has that part.
    package static func omission(in path: String) -> String? {
        guard ConfigurationReader.lacks("store", at: path) else { return nil }
        return "$.store is not in the file, and among mistakes its default is not taken"
    }
}
