internal import Bytes
internal import Core
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Observability
internal import POSIX
internal import Time

/// Reads a configuration file. Records every mistake, and creates a `Configuration` only if there are no mistakes.
struct ConfigurationReader {
    let problems: ConfigurationFindings
    let secrets: SecretReader
    let seen = SeenSecrets()
    let now: UnixSeconds
    private let root: ConfigurationObject

    private static let sizeLimit = 16 * 1024 * 1024

    /// Reads the configuration at `path`.
    /// - Parameters:
    ///   - environment: looks up environment variables.
    ///   - now: the current time, for the check of dates that are too far in the future.
    /// - Throws: an error with all mistakes.
    static func read(
        _ path: String, environment: @escaping (String) -> String?, now: UnixSeconds
    ) throws(ConfigurationError) -> Configuration {
        let problems = ConfigurationFindings()
        let protection = FileProtection(problems)
        guard let text = parse(path, problems: problems, protection: protection) else {
            throw ConfigurationError(file: path, problems: problems.all, sources: problems.sources)
        }
        var mistakes: ConfigurationError {
            ConfigurationError(file: path, problems: text.located(problems.all), sources: problems.sources)
        }
        if case .object(let members) = text.value, members["apiVersion"] != nil, members["kind"] != nil {
            problems.add("$", "an object of Kubernetes; give the text in its \"data\", which a volume of it holds as a file")
            throw mistakes
        }
        guard let root = ConfigurationObject(text.value, path: "$", keys: rootKeys, problems: problems) else { throw mistakes }
        let secrets = secrets(of: path, root, environment: environment, protection: protection)
        var configuration = ConfigurationReader(problems: problems, secrets: secrets, now: now, root: root).configuration()
        guard problems.all.isEmpty else { throw mistakes }
        configuration.fixed = problems.fixed
        configuration.fixedPlaces = text.places(of: problems.fixed.map(\.path))
        configuration.sources = problems.sources
        configuration.shown = ShownConfiguration(text.value, files: problems.sources.files, hidden: problems.hidden)
        configuration.settings = problems.settings.shown(problems.hidden)
        if problems.hidden.inlineSecrets.isEmpty { configuration.fileDigest = problems.fileDigest }
        return configuration
    }

    /// Reads one part of the configuration at `path`, even if other parts have mistakes.
    /// - Parameters:
    ///   - key: the part. The setting `allow_insecure_secrets` applies to its secrets.
    ///   - environment: looks up environment variables.
    /// - Returns: nil when the part is missing or has a mistake, or the file is unreadable, unsafe, or not valid JSON up to the end of the
    ///   part.
    static func part<Value>(
        _ key: String, of path: String, environment: @escaping (String) -> String?, _ read: (ConfigurationReader) -> Value
    ) -> Value? {
        let problems = ConfigurationFindings()
        let protection = FileProtection(problems)
        guard let bytes = contents(of: path, problems, protection),
            let members = members([key, "allow_insecure_secrets"], of: bytes, needing: key),
            let root = ConfigurationObject(.object(members), path: "$", keys: rootKeys, problems: problems)
        else { return nil }
        let value = read(
            ConfigurationReader(
                problems: problems, secrets: secrets(of: path, root, environment: environment, protection: protection),
                now: SystemClock.unixSeconds(), root: root))
        return problems.all.isEmpty ? value : nil
    }

    /// Whether a file is JSON that contains only one part, apart from `allow_insecure_secrets` and `$schema`.
    static func holds(only key: String, at path: String) -> Bool {
        let problems = ConfigurationFindings()
        guard case .object(let root)? = parse(path, problems: problems, protection: FileProtection(problems))?.value else { return false }
        return root.members.map(\.key).filter { $0 != "allow_insecure_secrets" && $0 != "$schema" } == [key]
    }

    /// Whether a file is JSON that does not contain a part.
    static func lacks(_ key: String, at path: String) -> Bool {
        let problems = ConfigurationFindings()
        guard case .object(let root)? = parse(path, problems: problems, protection: FileProtection(problems))?.value else { return false }
        return !root.members.contains { $0.key == key }
    }

    /// Returns members of the root, even if the text has a mistake after them.
    /// - Parameter needed: the required member. In a text with mistakes, a missing member may be misplaced or misspelled, and its defaults
    ///   would refer to another store or service.
    /// - Returns: nil when the required member is missing, or when a member is not valid JSON or occurs twice.
    private static func members(_ names: [String], of bytes: [UInt8], needing needed: String) -> JSONObject? {
        let found = JSONSourceMap.members(of: bytes.span).filter { names.contains($0.name) }
        guard found.contains(where: { $0.name == needed }), Set(found.map(\.name)).count == found.count else { return nil }
        var members = JSONObject()
        for member in found {
            let text = Array(bytes[member.value.range])
            guard let value = try? JSONDocument(parsing: text.span).value() else { return nil }
            members.append(value, forKey: member.name)
        }
        return members
    }

    private static func secrets(
        of path: String, _ root: ConfigurationObject, environment: @escaping (String) -> String?, protection: FileProtection
    ) -> SecretReader {
        SecretReader(
            directory: Path.directory(of: path), allowsInsecure: root.bool("allow_insecure_secrets"),
            environment: environment, problems: root.problems, protection: protection)
    }

    private static func parse(_ path: String, problems: ConfigurationFindings, protection: FileProtection) -> ConfigurationText? {
        contents(of: path, problems, protection).flatMap { ConfigurationText($0, problems) }
    }

    private static func contents(of path: String, _ problems: ConfigurationFindings, _ protection: FileProtection) -> [UInt8]? {
        do throws(SystemError) {
            let contents = try File.read(path, limit: sizeLimit)
            problems.sources.note(path, at: "$", contents.bytes)
            problems.fileDigest = (try? sha256(contents.bytes.span)).map { Hexadecimal.text($0.span) } ?? ""
            if contents.bytes.isEmpty, !FileSystem.isFile(path) {
                problems.add("$", "no file, but an empty device or pipe; give the path of a file")
                return nil
            }
            // Ignores the file's own setting for insecure secrets, because another user may have written it.
            protection.check(path, mode: contents.mode, at: "$", shown: "this file")
            protection.trustOwners(ofConfiguration: path, contents)
            return contents.bytes
        } catch {
            problems.sources.note(path, at: "$", nil)
            let target = FileSystem.linkTarget(of: path).map { ": it is a link to \(printable($0, longest: 4096)), which is missing" }
            let absence = "no such file\(target ?? ""); \(Configuration.remedyOfAbsence(of: path))"
            problems.add("$", error.isMissing ? absence : "cannot be read: \(error)\(remedy(error, path))")
            return nil
        }
    }

    /// Returns the remedy when this user may not read the file, as the end of a sentence. Other commands reject such a file earlier, so
    /// this user runs the service.
    private static func remedy(_ error: SystemError, _ path: String) -> String {
        guard error.isForbidden, let (place, owner) = FileSystem.visibleOwner(of: path) else { return "" }
        let (name, user) = (Machine.userName(owner), Machine.userName(Process.user))
        guard place == path else { return "; \(printable(place, longest: 4096)) belongs to \(name): as root, let \(user) enter it" }
        guard owner != Process.user else { return "; it belongs to this user: run chmod u+r on it" }
        return "; it belongs to \(name): as root, run \(Machine.chown(path, to: Process.user))"
    }

    // The parts that can also be read separately.
    var listen: Configuration.Listener { listen(root.section("listen", keys: Self.listenKeys)) }
    var admin: Configuration.Admin { admin(root.section("admin", keys: Self.adminKeys)) }
    var store: Configuration.Store { store(root.section("store", keys: Self.storeKeys)) }

    private func configuration() -> Configuration {
        // Editors use this key to find the schema.
        _ = root.string("$schema")
        let (policy, defaultLifetime) = securityKeys(root.section("security_keys", keys: Self.securityKeysKeys))
        let publicListener = root.section("listen", keys: Self.listenKeys)
        let listen = listen(publicListener)
        let admin = admin
        refuseSharedAddress(listen.address, admin.listener.address)
        let apps = apps(in: root, known: NamedNotifiers(in: root), life: (policy.maximumLifetimeSeconds, defaultLifetime))
        let configuration = Configuration(
            listen: listen,
            callers: callers(publicListener, clientAuthorities: listen.settings.clientAuthorities),
            admin: admin,
            apps: apps,
            notifiers: notifiers(in: root).map { $0.serving(apps) },
            store: store,
            deliveries: deliveries(root.section("deliveries", keys: Self.deliveriesKeys)),
            pushTokens: pushTokens(root.section("push_tokens", keys: Self.pushTokensKeys)),
            keyPolicy: policy,
            defaultLifetimeSeconds: defaultLifetime,
            operators: operators(root.section("operators", keys: Self.operatorsKeys), known: NamedNotifiers(in: root)),
            bots: bots(in: root, apps: apps),
            traces: traces(root.section("traces", keys: Self.tracesKeys)),
            log: log(),
            drainSeconds: root.section("shutdown", keys: Self.shutdownKeys).integer("drain_seconds"),
            reloadsOnChange: root.section("reload", keys: Self.reloadKeys).bool("on_change"))
        // At this point, all files that the configuration refers to are known.
        refuseSharedFiles(of: configuration.store)
        return configuration
    }

    private func log() -> Configuration.Log {
        let object = root.section("log", keys: Self.logKeys)
        return Configuration.Log(
            level: object.choice("level", name: \.name),
            format: object.choice("format"))
    }
}
