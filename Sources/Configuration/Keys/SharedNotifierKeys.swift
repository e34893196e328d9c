internal import Core

/// The keys that several notifier types share.
extension ConfigurationReader {
    static let typeMeaning = NotifierType.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")

    /// The keys of a relay to a help desk with one registry for all apps.
    static func relayKeys(_ helpDesk: HelpDeskKind, _ registry: HelpDeskKind.Registry) -> ConfigurationKeys {
        [
            .required("type", .word([helpDesk.rawValue]), meaning: typeMeaning),
            .live("domain", .text(default: registry.cloudHost), meaning: "the help desk's host"),
            .live(
                "url", .address(), without: "`\(registry.address(at: registry.cloudHost))`, made of `domain`",
                meaning: "full address in place of `domain`, for self-hosted help desks"),
        ] + transportKeys(concurrency: 16) + allowHTTPKeys
    }

    /// The keys of a relay to a help desk whose apps have separate addresses.
    static func appRelayKeys(_ helpDesk: HelpDeskKind) -> ConfigurationKeys {
        [.required("type", .word([helpDesk.rawValue]), meaning: typeMeaning)] + transportKeys(concurrency: 16)
    }

    static let requiresDeviceKeys: ConfigurationKeys = [
        .live("requires_device", .bool(default: false), meaning: "sends only comments for users with a registered device")
    ]

    static let badgeKeys: ConfigurationKeys = [.live("badge", .integer(0...99_999), meaning: "number on the app's icon")]

    static let androidChannelKeys: ConfigurationKeys = [
        .live("android_channel", .text(), without: "none: the manifest's", meaning: "notification channel that the app has created")
    ]

    static let pushStyleKeys: ConfigurationKeys = [
        .live(
            "content", .word(of: PushContent.self, default: .private),
            meaning: "[content of pushes](PUSH.md#displayed-texts): `full`, `author` or `private`"),
        .live("language", .text(default: "en"), meaning: "language of the texts; all but `en` and `ru` need `templates`"),
        .live(
            "templates", .object(templatesKeys), without: "built in",
            meaning: "texts in place of the [built-in ones](PUSH.md#displayed-texts), by name"),
        .live(
            "sound", .textOrNull(default: "default"), meaning: "the app's name for a sound, on HMS such as `/raw/shake`; `null` for none"),
        .live(
            "withdraw", .bool(default: false),
            meaning: "sends devices a silent push when a conversation was read elsewhere ([Withdrawal](PUSH.md#withdrawal))"),
    ]

    static let templatesKeys = ConfigurationKeys(PushTemplatePart.allCases.map { .live($0.rawValue, .text()) })

    static func transportKeys(concurrency: Int) -> ConfigurationKeys {
        [
            .live("timeout_seconds", .integer(1...120, default: 20), meaning: "time limit of an attempt"),
            .live("concurrency", .integer(1...1000, default: concurrency), meaning: "concurrent attempts of each replica"),
            .live("certificate_authorities", .path(), without: "none: the system's", meaning: "PEM authorities to trust, at most 4 MiB"),
            .live("proxy", .text(), meaning: "`http` or `socks5` proxy address"),
        ]
    }

    static let allowHTTPKeys: ConfigurationKeys = [
        .live("allow_http", .bool(default: false), meaning: "allows plain HTTP to other machines")
    ]
}
