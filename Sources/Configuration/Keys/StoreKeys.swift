internal import Core

/// The keys of the store, and of devices.
extension ConfigurationReader {
    static let storeKeys: ConfigurationKeys = [
        .restart(
            "type", .word(of: StoreType.self, default: .sqlite),
            """
            where events are kept: `sqlite`, a file that one process uses; `postgres`, a database that any number of replicas share \
            ([Scaling](SCALING.md)); with `memory` they are lost when the process ends. `check` warns of a `store.url` without it
            """),
        .restart("path", .path(default: "deskgate.db"), "the SQLite file"),
        .restart(
            "url", .secret,
            """
            the address of the PostgreSQL database: `postgres://USER:PASSWORD@HOST,HOST/DATABASE?OPTION=…`, with [libpq's \
            options](https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS). Of several hosts the one that writes is \
            used. Beyond this machine `sslmode` is `verify-full` and `sslrootcert` the system's authorities, unless the address says \
            otherwise. Another password alone is taken over by a reload, for connections to come
            """),
        .restart(
            "prepared_statements", .bool(default: true),
            "false behind a pooler that gives each transaction another session, such as PgBouncer in transaction mode"),
        .restart("max_pending", .integer(1...1_000_000_000, default: 1_000_000), "with more pending deliveries, webhooks are answered 503"),
        .restart(
            "max_pending_per_notifier", .integer(1...1_000_000_000), without: "`250000`, a quarter of `max_pending`",
            """
            how many deliveries may wait for one notifier. Beyond it, an app still finds room until it has its share: the bound divided \
            by the number of apps that have something waiting there, itself included. At most twice the bound waits. Further deliveries \
            end as dead with the reason `notifier_queue_full`; if none of a webhook's deliveries finds room, it is answered 503. Other \
            notifiers are not affected
            """),
        .restart(
            "minimum_free_megabytes", .integer(0...1_000_000, default: 100),
            """
            with less free space, in units of 1,000,000 bytes, webhooks are answered 503. It is the SQLite file's disk; a PostgreSQL \
            server watches its own
            """),
        .restart(
            "revocations_path", .path(),
            without: "`deskgate.db.revocations`, `store.path` with `.revocations`; with PostgreSQL `deskgate.revocations`",
            """
            the file with the [copy of the revocations](USERS-AND-KEYS.md#the-copy-of-the-revocations), on a disk of this machine. The \
            service must be allowed to make files in its directory. Processes with the same store each have a file of their own
            """),
        .restart(
            "revocations_max_age_seconds", .integer(60...30 * 86_400, default: 86_400),
            """
            a start at which the store cannot be read takes a copy that was confirmed this long ago at most. A day outlasts a night in \
            which nobody repairs the store; an older copy may lack many revocations that other replicas have made
            """),
    ]

    static let deliveriesKeys: ConfigurationKeys = [
        .restart("expire_after_seconds", .integer(1...30 * 86_400, default: 86_400), "how long delivery is tried again"),
        .restart("keep_delivered_days", .integer(0...3650, default: 7), "how long delivered deliveries are kept"),
        .restart("keep_dead_days", .integer(0...3650, default: 30), "how long dead ones are kept"),
    ]

    static let pushTokensKeys: ConfigurationKeys = [
        .live(
            "limits", .objects(limitKeys(LimitRule.Scope.allCases), default: json(defaultLimits)),
            "how often devices may register; a call must satisfy all limits"),
        .restart("devices_per_user", .integer(1...1000, default: 20), "how many devices a person may have"),
        .restart("forget_after_days", .integer(8...3650, default: 270), "how long they are kept without a call"),
    ]

    /// The keys of a limit.
    /// - Parameter scopes: those that it may have.
    static func limitKeys(_ scopes: [LimitRule.Scope]) -> ConfigurationKeys {
        let words = scopes.map { "`\($0.rawValue)`" }
        let isForAll = scopes == LimitRule.Scope.allCases
        return [
            .required("per", .word(scopes.map(\.rawValue)), words.joined(separator: ", ")),
            .required(
                "max", .integer(1...(scopes.contains(.app) ? 1_000_000 : mostOfPerson)),
                isForAll ? "how many calls; for `user` and `device` at most \(mostOfPerson)" : "as `push_tokens.limits[].max`"),
            .required(
                "window_seconds", .integer(1...longestWindowSeconds),
                isForAll ? "in how many seconds" : "as `push_tokens.limits[].window_seconds`"),
        ]
    }
}
