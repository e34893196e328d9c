internal import Core

/// The keys of operator settings and traces.
extension ConfigurationReader {
    static let operatorsKeys: ConfigurationKeys = [
        .live("page", .bool(default: true), meaning: "serves [the operators' page](PAGE.md) on the admin listener"),
        .live("notifiers", .texts(default: []), meaning: "`http` or `log` notifiers for [operator events](MONITORING.md#operator-events)"),
        .live("thresholds", .object(thresholdKeys)),
    ]

    private static let thresholds = OperatorThresholds()

    static let thresholdKeys: ConfigurationKeys = [
        .live(
            "paused_seconds", .integer(1...86_400, default: thresholds.pausedSeconds),
            meaning: "time without attempts until a pause is reported; recovery: five times that"),
        .live(
            "queue_late_seconds", .integer(1...30 * 86_400, default: thresholds.queueLateSeconds),
            meaning: "age of the oldest delivery if more than ten wait, or of one [held message](SENDBIRD.md#channel-owner)"),
        .live(
            "expires_days", .integer(0...3650, default: thresholds.expiresDays),
            meaning: "days before [a certificate](OPERATING.md#certificates) or an app's last key expires"),
        .live(
            "disk_free_megabytes", .integer(0...1_000_000_000, default: thresholds.diskFreeMegabytes),
            meaning: "free space for SQLite, in MB; more than `store.minimum_free_megabytes`. 0 disables"),
        .live(
            "denials", .integer(1...1_000_000_000, default: thresholds.denials),
            meaning: "denials of an app within five minutes that are reported as a jump"),
    ]

    static let tracesKeys: ConfigurationKeys = [
        .live("otlp", .object(otlpKeys))
    ]

    static let otlpKeys: ConfigurationKeys = [
        .required(
            "url", .address(),
            meaning: "the collector's full [trace](MONITORING.md#traces) address, such as `https://collector.example.com:4318/v1/traces`"),
        .live("headers", .object(traceHeaderKeys)),
        .live("sample_ratio", .number(0...1, default: 1), meaning: "exported share of traces that begin here or that callers sampled"),
        .live(
            "parent_based", .bool(default: false),
            meaning: "lets the `traceparent` flag `sampled` decide; only with [restricted callers](#restricting-callers)"),
        .live("timeout_seconds", .integer(1...60, default: 10), meaning: "time limit of an export"),
        .live("certificate_authorities", .path(), without: "none: the system's", meaning: "as for notifiers"),
        .live("allow_http", .bool(default: false), meaning: "as for notifiers"),
    ]

    static let traceHeaderKeys: ConfigurationKeys = [
        .live("NAME", .textOrSecret, meaning: "header of exports; credentials [must be secrets](#secrets)")
    ]
}
