internal import Core

/// The keys of what operators have, and of traces.
extension ConfigurationReader {
    static let operatorsKeys: ConfigurationKeys = [
        .live("page", .bool(default: true), "whether the admin listener serves [the operators' page](PAGE.md)"),
        .live(
            "notifiers", .texts(default: []),
            """
            notifiers of the type `http` or `log` that are told of the service's own troubles ([operator \
            events](MONITORING.md#operator-events))
            """),
        .live("thresholds", .object(thresholdKeys)),
    ]

    private static let thresholds = OperatorThresholds()

    static let thresholdKeys: ConfigurationKeys = [
        .live(
            "paused_seconds", .integer(1...86_400, default: thresholds.pausedSeconds),
            """
            how long a notifier must start no attempts until that is told; it must then work five times as long until its recovery is \
            told
            """),
        .live(
            "queue_late_seconds", .integer(1...30 * 86_400, default: thresholds.queueLateSeconds),
            """
            the age of the oldest delivery that waits for a notifier, if more than ten wait; of [held \
            messages](SENDBIRD.md#whose-channel-it-is), if one waits
            """),
        .live(
            "expires_days", .integer(0...3650, default: thresholds.expiresDays),
            """
            how long before its end operators are told of a certificate, or of the last key of an app. The page and `deskgate status` \
            show it as a warning 30 days before its end, or earlier where this is longer, and as a problem from its end on. `check` and \
            the log warn 14 days before
            """),
        .live(
            "disk_free_megabytes", .integer(0...1_000_000_000, default: thresholds.diskFreeMegabytes),
            """
            the space that should be free on the disk of the SQLite store, in units of 1,000,000 bytes; 0 for none. Choose more than \
            `store.minimum_free_megabytes`, below which webhooks are refused
            """),
        .live(
            "denials", .integer(1...1_000_000_000, default: thresholds.denials),
            "how many authorizations of an app must be denied within five minutes for a jump"),
    ]

    static let tracesKeys: ConfigurationKeys = [
        .live("otlp", .object(otlpKeys))
    ]

    static let otlpKeys: ConfigurationKeys = [
        .required(
            "url", .address(),
            """
            the collector's whole address for [traces](MONITORING.md#traces), such as `https://collector.example.com:4318/v1/traces`. \
            Without `traces.otlp` nothing is exported
            """),
        .live("headers", .object(traceHeaderKeys)),
        .live(
            "sample_ratio", .number(0...1, default: 1),
            "which share of the traces is exported: of those that begin here, and of those that a caller has begun and marked as sampled"),
        .live(
            "parent_based", .bool(default: false),
            """
            whether the `sampled` flag of a caller's `traceparent` decides alone, whatever the share. Only behind [restricted \
            callers](#restricting-callers), since anybody may send it
            """),
        .live("timeout_seconds", .integer(1...60, default: 10), "how long an export may take"),
        .live("certificate_authorities", .path(), without: "none: the system's", "as of notifiers"),
        .live("allow_http", .bool(default: false), "as of notifiers"),
    ]

    static let traceHeaderKeys: ConfigurationKeys = [
        .live(
            "NAME", .textOrSecret,
            """
            a header of these requests. Operators are never shown its value. If its name contains `auth`, `key`, `token`, `secret`, \
            `cookie` or `password`, it must be a secret
            """)
    ]
}
