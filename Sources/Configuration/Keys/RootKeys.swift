internal import Core
internal import Observability

/// The keys of the configuration's root, and of its smallest objects.
extension ConfigurationReader {
    static let rootKeys: ConfigurationKeys = [
        .live("listen", .object(listenKeys)),
        .live("admin", .object(adminKeys)),
        .required("apps", .objects(appKeys), meaning: "apps that may use the chat"),
        .live("notifiers", .notifiers),
        .live("push_tokens", .object(pushTokensKeys)),
        .live("security_keys", .object(securityKeysKeys)),
        .live("store", .object(storeKeys)),
        .live("deliveries", .object(deliveriesKeys)),
        .live("operators", .object(operatorsKeys)),
        .live("traces", .object(tracesKeys)),
        .live("bots", .objects(botKeys)),
        .live("log", .object(logKeys)),
        .live("reload", .object(reloadKeys)),
        .live("shutdown", .object(shutdownKeys)),
        .live("allow_insecure_secrets", .bool(default: false), meaning: "development only: allows inline, weak, shared or exposed secrets"),
        .live("$schema", .text(), meaning: "JSON Schema for editors; the service ignores it"),
    ]

    static let securityKeysKeys: ConfigurationKeys = [
        .live("clock_skew_seconds", .integer(0...3600, default: 60), meaning: "tolerated clock difference"),
        .live(
            "longest_life_seconds", .integer(1...longestTime),
            meaning: "maximum lifetime of keys; older keys are denied, longer ones not minted"),
        .live(
            "default_life_seconds", .integer(0...longestTime), without: "`\(KeyLifetime.standardSeconds)`",
            meaning: "lifetime of minted keys without `ttl_seconds`, cut at the maximum; 0: no expiry"),
    ]

    static let logKeys: ConfigurationKeys = [
        .live("level", .word(LogLevel.allCases.map(\.name), default: LogLevel.info.name), meaning: "`debug`, `info`, `warning` or `error`"),
        .restart("format", .word(of: LogFormat.self, default: .json), meaning: "`json` or `text`, on standard error"),
    ]

    static let reloadKeys: ConfigurationKeys = [
        .live("on_change", .bool(default: false), meaning: "[reloads](#reload-and-stop) when this file or a file that it names changes")
    ]

    static let shutdownKeys: ConfigurationKeys = [
        .restart(
            "drain_seconds", .integer(0...3600, default: 20),
            meaning: "time for requests and attempts to finish; [supervisors](#reload-and-stop) must wait 5 seconds longer")
    ]
}
