internal import Core
internal import Crypto
internal import JSON
internal import POSIX
internal import Postgres

extension ConfigurationReader {
    enum StoreType: String, CaseIterable {
        case sqlite, postgres, memory
    }

    func store(_ object: ConfigurationObject) -> Configuration.Store {
        let maximumPending = object.integer("max_pending")
        // Three failing notifiers leave room for the others.
        let share = max(1, maximumPending / 4)
        let (kind, other) = storeKinds(object)
        let maximumAge = object.integer("revocations_max_age_seconds")
        return Configuration.Store(
            kind: kind, other: other, hasURLWithoutType: object.value("url") != nil && object.value("type") == nil,
            maximumPending: maximumPending,
            maximumPendingPerNotifier: object.integer("max_pending_per_notifier", default: share),
            minimumFreeMegabytes: object.integer("minimum_free_megabytes"),
            revocationsPath: revocationsPath(object, kind), revocationsMaximumAgeSeconds: maximumAge)
    }

    func deliveries(_ object: ConfigurationObject) -> Configuration.Deliveries {
        Configuration.Deliveries(
            expireAfterSeconds: object.integer("expire_after_seconds"),
            keepDeliveredDays: object.integer("keep_delivered_days"),
            keepDeadDays: object.integer("keep_dead_days"))
    }

    /// The store in use, and the other one if it is configured too.
    private func storeKinds(_ object: ConfigurationObject) -> (kind: Configuration.Store.Kind, other: Configuration.Store.Kind?) {
        let given = object.string("path")
        if given == ":memory:" {
            let remedy = "a store in memory is \"type\": \"memory\" without a path; set that, or give the path of a file"
            problems.add(object.path(of: "path"), remedy)
        }
        let path = given.flatMap { secrets.madePath($0, at: object.path(of: "path")) }
        let postgres = postgres(object).map { Configuration.Store.Kind.postgres($0) }
        switch object.choice("type", of: StoreType.self) {
        case .sqlite:
            return (
                .sqlite(path: object.inForce("path", path ?? object.standard("path", secrets.resolve(object.defaultText("path"))))),
                postgres
            )
        case .postgres:
            object.require("url", "give the database's address as \(SecretReader.sources)")
            return (postgres ?? .memory, path.map { .sqlite(path: $0) })
        case .memory:
            if path != nil { problems.add(object.path(of: "path"), "a store in memory has no path; remove it") }
            if postgres != nil { problems.add(object.path(of: "url"), "a store in memory has no address; remove it") }
            if object.value("revocations_path") != nil {
                problems.add(object.path(of: "revocations_path"), "a store in memory has no copy; remove it")
            }
            return (.memory, nil)
        }
    }

    /// Beside the file of the store, or beside the configuration where the store has none.
    private func revocationsPath(_ object: ConfigurationObject, _ kind: Configuration.Store.Kind) -> String? {
        let place = object.path(of: "revocations_path")
        let given = object.string("revocations_path").flatMap { secrets.madePath($0, at: place) }
        let usual: String
        switch kind {
        case .memory: return nil
        case .sqlite(let path): usual = "\(path).revocations"
        case .postgres: usual = secrets.resolve("deskgate.revocations")
        }
        return object.inForce("revocations_path", given ?? object.standard("revocations_path", usual))
    }

    /// Rejects a file of the store that is also used elsewhere in this configuration: writing one would destroy the other.
    func refuseSharedFiles(of store: Configuration.Store) {
        var taken = problems.sources.places.map { (file: FileSystem.location(of: $0.file), place: $0.path) }
        func take(_ file: String, _ key: String) {
            let (place, location) = ("$.store.\(key)", FileSystem.location(of: file))
            if let other = taken.first(where: { $0.file == location })?.place {
                problems.add(place, "the same file as \(other == "$" ? "this configuration" : other); give a file of its own")
            }
            taken.append((location, place))
        }
        for case .sqlite(let path)? in [store.kind, store.other] { take(path, "path") }
        if let copy = store.revocationsPath { take(copy, "revocations_path") }
    }

    /// The address of the PostgreSQL database; nil when none is given, or it cannot be read.
    private func postgres(_ object: ConfigurationObject) -> ConnectionSettings? {
        let isPrepared = object.bool("prepared_statements")
        let place = object.path(of: "url")
        guard object.value("url") != nil, let secret = secrets.text(object.value("url"), path: place) else { return nil }
        do throws(PostgresError) {
            var settings = try secret.withSpan { text throws(PostgresError) in try ConnectionSettings(text) }
            settings.usesPreparedStatements = isPrepared
            // A reload applies another password to later connections, but never another database.
            return object.inForce("url", settings)
        } catch {
            problems.add(place, error.description)
            return nil
        }
    }

    /// The limits that Pyrus documents for apps: a person's device registers once in five minutes, and a device five times.
    static let defaultLimits = [
        LimitRule(per: .user, max: 1, windowMilliseconds: 300_000), LimitRule(per: .device, max: 5, windowMilliseconds: 300_000),
    ]
    /// The maximum window: the records for limits must not be kept longer than the devices.
    static let longestWindowSeconds = 7 * 86_400

    func pushTokens(_ object: ConfigurationObject) -> Configuration.PushTokens {
        Configuration.PushTokens(
            limits: limits(object, scopes: LimitRule.Scope.allCases) ?? object.standard("limits", Self.defaultLimits, as: Self.json),
            devicesPerUser: object.integer("devices_per_user"),
            forgetAfterDays: object.integer("forget_after_days"))
    }

    /// The maximum number of calls of one person or device in a window.
    static let maximumPerPerson = 1000

    /// A list of limits in the configuration's form.
    static func json(_ rules: [LimitRule]) -> JSONValue {
        .array(
            rules.map { rule in
                [
                    "per": .string(rule.scope.rawValue), "max": .integer(Int64(rule.max)),
                    "window_seconds": .integer(Int64(rule.windowMilliseconds / 1000)),
                ]
            })
    }

    /// Reads a list of limits; nil when there is none.
    /// - Parameter scopes: the permitted scopes.
    func limits(_ object: ConfigurationObject, scopes: [LimitRule.Scope]) -> [LimitRule]? {
        guard let elements = object.array("limits") else { return nil }
        let keys = Self.limitKeys(scopes)
        var rules: [LimitRule] = []
        for (value, path) in elements {
            guard let limit = ConfigurationObject(value, path: path, keys: keys, problems: problems) else { continue }
            for key in keys.names {
                limit.require(key, "a limit looks like {\"per\": \"user\", \"max\": 1, \"window_seconds\": 300}")
            }
            let scope = limit.choice("per", default: LimitRule.Scope.user)
            if !scopes.contains(scope) {
                let words = scopes.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                problems.add(limit.path(of: "per"), "expected \(words) here")
            }
            let isOfPerson = scope == .user || scope == .device
            let max = limit.integer("max", within: isOfPerson ? 1...Self.maximumPerPerson : nil, default: 1)
            let seconds = limit.integer("window_seconds", default: 300)
            rules.append(LimitRule(per: scope, max: max, windowMilliseconds: UInt64(seconds) * 1000))
        }
        return rules
    }
}
