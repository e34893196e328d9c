internal import Core

/// The keys of the store and of devices.
extension ConfigurationReader {
    static let storeKeys: ConfigurationKeys = [
        .restart(
            "type", .word(of: StoreType.self, default: .sqlite),
            meaning: "`sqlite` (one process), `postgres` ([replicas](SCALING.md)) or `memory` (lost at exit)"),
        .restart("path", .path(default: "deskgate.db"), meaning: "SQLite file"),
        .restart("url", .secret, meaning: "PostgreSQL address: `postgres://USER:PASSWORD@HOST,HOST/DATABASE?OPTION=…`"),
        .restart("prepared_statements", .bool(default: true), meaning: "`false` behind transaction poolers such as PgBouncer"),
        .restart(
            "max_pending", .integer(1...1_000_000_000, default: 1_000_000),
            meaning: "maximum pending deliveries; beyond it, webhooks are answered 503"),
        .restart(
            "max_pending_per_notifier", .integer(1...1_000_000_000), without: "`250000`, a quarter of `max_pending`",
            meaning: "maximum pending deliveries of one notifier"),
        .restart(
            "minimum_free_megabytes", .integer(0...1_000_000, default: 100),
            meaning: "MB free on SQLite's disk; with less, webhooks are answered 503"),
        .restart(
            "revocations_path", .path(),
            without: "`deskgate.db.revocations` (`store.path` plus `.revocations`); with PostgreSQL `deskgate.revocations`",
            meaning: "[copy of the revocations](USERS-AND-KEYS.md#the-copy-of-the-revocations) on a local disk, one for each process"),
        .restart(
            "revocations_max_age_seconds", .integer(60...30 * 86_400, default: 86_400),
            meaning: "maximum age of that copy if the store is unavailable at start"),
    ]

    static let deliveriesKeys: ConfigurationKeys = [
        .restart("expire_after_seconds", .integer(1...30 * 86_400, default: 86_400), meaning: "time limit of retries"),
        .restart("keep_delivered_days", .integer(0...3650, default: 7), meaning: "retention of delivered deliveries"),
        .restart("keep_dead_days", .integer(0...3650, default: 30), meaning: "retention of dead deliveries"),
    ]

    static let pushTokensKeys: ConfigurationKeys = [
        .live(
            "limits", .objects(limitKeys(LimitRule.Scope.allCases), default: json(defaultLimits)),
            meaning: "rate limits of registrations; a call must satisfy all"),
        .restart("devices_per_user", .integer(1...1000, default: 20), meaning: "maximum devices of a user"),
        .restart("forget_after_days", .integer(8...3650, default: 270), meaning: "days until a device without calls is forgotten"),
    ]

    /// Returns the keys of a rate limit.
    /// - Parameter scopes: the allowed scopes.
    static func limitKeys(_ scopes: [LimitRule.Scope]) -> ConfigurationKeys {
        let words = scopes.map { "`\($0.rawValue)`" }
        let isForAll = scopes == LimitRule.Scope.allCases
        return [
            .required("per", .word(scopes.map(\.rawValue)), meaning: words.joined(separator: ", ")),
            .required(
                "max", .integer(1...(scopes.contains(.app) ? 1_000_000 : maximumPerPerson)),
                meaning: isForAll ? "maximum calls; at most \(maximumPerPerson) for `user` and `device`" : "as `push_tokens.limits[].max`"),
            .required(
                "window_seconds", .integer(1...longestWindowSeconds),
                meaning: isForAll ? "length of the window" : "as `push_tokens.limits[].window_seconds`"),
        ]
    }
}
