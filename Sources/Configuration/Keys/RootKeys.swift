internal import Core
internal import Observability

/// The keys of the configuration itself, and of its smallest objects.
extension ConfigurationReader {
    static let rootKeys: ConfigurationKeys = [
        .live("listen", .object(listenKeys)),
        .live("admin", .object(adminKeys)),
        .required("apps", .objects(appKeys), "the apps that may use the chat"),
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
        .live(
            "allow_insecure_secrets", .bool(default: false),
            "for development only: true allows secrets that are inline, weak, shared, or readable or writable by others"),
        .live("$schema", .text(), "where an editor finds the JSON Schema of this file; the service ignores it"),
    ]

    static let securityKeysKeys: ConfigurationKeys = [
        .live("clock_skew_seconds", .integer(0...3600, default: 60), "how far clocks may differ"),
        .live(
            "longest_life_seconds", .integer(1...longestTime),
            "keys issued longer ago are denied, whatever their expiry time, and no key is minted that would live longer"),
        .live(
            "default_life_seconds", .integer(0...longestTime), without: "`\(KeyLife.standardSeconds)`",
            """
            lifetime of a minted key if the request does not state one; 0 means that it never expires. If that is longer than \
            `longest_life_seconds` of all apps or of the app, the default is this longest life
            """),
    ]

    static let logKeys: ConfigurationKeys = [
        .live("level", .word(LogLevel.allCases.map(\.name), default: LogLevel.info.name), "`debug`, `info`, `warning` or `error`"),
        .restart("format", .word(of: LogFormat.self, default: .json), "`json` or `text`, on standard error"),
    ]

    static let reloadKeys: ConfigurationKeys = [
        .live(
            "on_change", .bool(default: false),
            "whether a change of this file, or of a file that it names, is taken over by itself ([Reload and stop](#reload-and-stop))")
    ]

    static let shutdownKeys: ConfigurationKeys = [
        .restart(
            "drain_seconds", .integer(0...3600, default: 20),
            """
            how long requests in flight and running attempts may take when the service stops. The stop timeout of the supervisor must be \
            at least 5 seconds longer (`TimeoutStopSec`, `docker stop -t 25`)
            """)
    ]
}
