internal import Core

/// The keys that the objects of a configuration may have.
enum ConfigurationKeys {
    static let root = [
        "listen", "admin", "apps", "notifiers", "store", "deliveries", "push_tokens", "security_keys", "log", "shutdown",
        "allow_insecure_secrets",
    ]
    static let listener = ["host", "port", "unix", "tls", "max_connections", "idle_timeout_seconds", "request_timeout_seconds"]
    static let listen = listener + ["bodies_megabytes"]
    static let admin = listener + ["token", "metrics_need_token"]
    static let tls = ["certificate", "key"]
    static let app = ["app_id", "help_desk", "keys", "webhook", "notifiers", "routes"]
    static let webhook = ["secret", "signature_secret"]
    static let logNotifier = ["type", "requires_device"]
    static let httpNotifier = ["type", "requires_device", "url", "secret", "keeps_ticket_order"] + transport
    static let apnsNotifier =
        ["type", "key", "key_id", "team_id", "certificate", "topic", "url", "sandbox_url", "badge"] + pushStyle + transport
    static let fcmNotifier = ["type", "service_account", "url", "badge", "android_channel"] + pushStyle + transport
    static let rustoreNotifier = ["type", "project_id", "token", "url", "android_channel"] + pushStyle + transport
    static let hmsNotifier = ["type", "app_id", "secret", "url", "token_url", "category", "android_channel"] + pushStyle + transport
    static let relayNotifier = ["type", "domain", "url"] + transport
    static let transport = ["allow_http", "timeout_seconds", "concurrency", "certificate_authorities", "proxy"]
    static let pushStyle = ["content", "language", "templates", "sound"]
    static let templates = PushTemplatePart.allCases.map(\.rawValue)
    static let store = ["type", "path", "max_pending", "max_pending_per_notifier", "minimum_free_megabytes"]
    static let deliveries = ["expire_after_seconds", "keep_delivered_days", "keep_dead_days"]
    static let pushTokens = ["limits", "devices_per_user", "forget_after_days"]
    static let pushTokenLimit = ["per", "max", "window_seconds"]
    static let appKey = ["id", "secret"]
    static let secret = ["file", "env"]
    static let securityKeys = ["clock_skew_seconds", "longest_life_seconds", "default_life_seconds"]
    static let log = ["level", "format"]
    static let shutdown = ["drain_seconds"]
}
