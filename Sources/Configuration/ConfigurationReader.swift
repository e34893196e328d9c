internal import Core
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Observability
internal import POSIX
internal import Time

/// Reads a configuration file: every mistake is noted, and only a faultless one becomes a `Configuration`.
struct ConfigurationReader {
    let problems: ConfigurationFindings
    let secrets: SecretReader
    let seen = SeenSecrets()
    private let root: ConfigurationObject

    static let rootKeys = ConfigurationKeys.live(
        "listen", "admin", "apps", "notifiers", "store", "deliveries", "push_tokens", "security_keys", "log", "shutdown",
        "allow_insecure_secrets")
    static let securityKeysKeys = ConfigurationKeys.live("clock_skew_seconds", "longest_life_seconds", "default_life_seconds")
    static let logKeys = ConfigurationKeys.live("level") + .restart("$.log.format", "format")
    static let shutdownKeys = ConfigurationKeys.restart("$.shutdown", "drain_seconds")

    private static let sizeLimit = 16 * 1024 * 1024
    static let longestTime = Int(SecurityKey.latestTime.rawValue)

    /// Reads the configuration at `path`.
    /// - Parameter environment: looks up environment variables.
    /// - Throws: every mistake at once.
    static func read(_ path: String, environment: @escaping (String) -> String?) throws(ConfigurationError) -> Configuration {
        let problems = ConfigurationFindings()
        let protection = FileProtection(problems)
        guard let value = parse(path, problems, protection),
            let root = ConfigurationObject(value, path: "$", keys: rootKeys, problems: problems)
        else {
            throw ConfigurationError(file: path, problems: problems.all)
        }
        let secrets = SecretReader(
            directory: Path.directory(of: path), allowsInsecure: root.bool("allow_insecure_secrets", default: false),
            environment: environment, problems: problems, protection: protection)
        var configuration = ConfigurationReader(problems: problems, secrets: secrets, root: root).configuration()
        guard problems.all.isEmpty else { throw ConfigurationError(file: path, problems: problems.all) }
        configuration.fixed = problems.fixed
        return configuration
    }

    private static func parse(_ path: String, _ problems: ConfigurationFindings, _ protection: FileProtection) -> JSONValue? {
        do throws(SystemError) {
            let contents = try File.read(path, limit: sizeLimit)
            // Whatever the file says of insecure secrets, as somebody else may have written that.
            protection.check(path, mode: contents.mode, at: "$", shown: "this file")
            let bytes = contents.bytes
            do throws(JSONError) {
                return try JSONDocument(parsing: bytes.span).value()
            } catch {
                let slip = isSyntax(error.reason) ? JSONSlip.first(in: bytes.span) : nil
                problems.add(
                    "$", slip.map { "not valid JSON: \($0.message)" } ?? error.reason.description,
                    at: slip?.place ?? JSONPlace(line: error.line, column: error.column))
            }
        } catch {
            problems.add("$", error.isMissing ? "no such file; make one with: deskgate init" : "cannot be read: \(error)")
        }
        return nil
    }

    /// Whether a usual slip may be the reason.
    private static func isSyntax(_ reason: JSONError.Reason) -> Bool {
        reason == .syntax || reason == .endOfInput || reason == .byteOrderMark
    }

    private func configuration() -> Configuration {
        let (policy, defaultLife) = securityKeys()
        let listen = listen(root.section("listen", keys: Self.listenKeys))
        let admin = admin(root.section("admin", keys: Self.adminKeys))
        refuseSharedAddress(listen.address, admin.listener.address)
        return Configuration(
            listen: listen,
            admin: admin,
            apps: apps(in: root, known: NamedNotifiers(in: root)),
            notifiers: notifiers(in: root),
            store: store(root.section("store", keys: Self.storeKeys)),
            deliveries: deliveries(root.section("deliveries", keys: Self.deliveriesKeys)),
            pushTokens: pushTokens(root.section("push_tokens", keys: Self.pushTokensKeys)),
            keyPolicy: policy,
            defaultLifeSeconds: defaultLife,
            log: log(),
            drainSeconds: root.section("shutdown", keys: Self.shutdownKeys).integer("drain_seconds", 0...3600, default: 20))
    }

    private func securityKeys() -> (policy: KeyPolicy, defaultLife: UInt64) {
        var policy = KeyPolicy()
        let thirtyDays = 30 * 24 * 3600
        let object = root.section("security_keys", keys: Self.securityKeysKeys)
        policy.clockSkewSeconds = UInt64(object.integer("clock_skew_seconds", 0...3600, default: 60))
        policy.longestLifeSeconds = object.optionalInteger("longest_life_seconds", 1...Self.longestTime).map { UInt64($0) }
        let defaultLife = object.integer(
            "default_life_seconds", 0...Self.longestTime, default: min(thirtyDays, Int(policy.longestLifeSeconds ?? .max >> 1)))
        if let longest = policy.longestLifeSeconds, defaultLife == 0 || UInt64(defaultLife) > longest {
            problems.add(
                object.path(of: "default_life_seconds"),
                "expected from 1 to \(longest), which is \"longest_life_seconds\"; 0 would be for ever")
        }
        return (policy, UInt64(defaultLife))
    }

    private func log() -> Configuration.Log {
        let object = root.section("log", keys: Self.logKeys)
        return Configuration.Log(
            level: object.choice("level", default: LogLevel.info, name: \.name),
            format: object.choice("format", default: LogFormat.json))
    }
}
