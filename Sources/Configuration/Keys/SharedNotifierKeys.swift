internal import Core

/// The keys that several types of notifiers have.
extension ConfigurationReader {
    static let typeMeaning = NotifierType.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")

    /// The keys of a relay to a help desk with one registry for all apps.
    static func relayKeys(_ helpDesk: HelpDeskKind, _ registry: HelpDeskKind.Registry) -> ConfigurationKeys {
        [
            .required("type", .word([helpDesk.rawValue]), typeMeaning),
            .live("domain", .text(default: registry.cloudHost), "the help desk's host"),
            .live(
                "url", .address(), without: "`\(registry.address(at: registry.cloudHost))`, made of `domain`",
                "the whole address in place of `domain`, for a help desk of your own"),
        ] + transportKeys(concurrency: 16) + allowHTTPKeys
    }

    /// The keys of a relay to a help desk whose apps have addresses of their own.
    static func appRelayKeys(_ helpDesk: HelpDeskKind) -> ConfigurationKeys {
        [.required("type", .word([helpDesk.rawValue]), typeMeaning)] + transportKeys(concurrency: 16)
    }

    static let requiresDeviceKeys: ConfigurationKeys = [
        .live(
            "requires_device", .bool(default: false),
            """
            with true, the notifier receives only comments for people who have a registered device. With false, it receives every \
            comment, with the device as `data.target` if there is one
            """)
    ]

    static let badgeKeys: ConfigurationKeys = [.live("badge", .integer(0...99_999), "the number at the app's icon")]

    static let androidChannelKeys: ConfigurationKeys = [
        .live("android_channel", .text(), without: "none: the manifest's", "the notification channel that the app has made")
    ]

    static let pushStyleKeys: ConfigurationKeys = [
        .live(
            "content", .word(of: PushContent.self, default: .private),
            "how much phones show and the provider reads: `full`, `author` or `private` ([What is shown](PUSH.md#what-is-shown))"),
        .live("language", .text(default: "en"), "the language of the texts; languages other than `en` and `ru` need `templates`"),
        .live(
            "templates", .object(templatesKeys), without: "built in",
            "texts in place of the built-in ones, each under its name ([the texts](PUSH.md#what-is-shown))"),
        .live("sound", .textOrNull(default: "default"), "a sound's name as the app knows it, on HMS such as `/raw/shake`; `null` for none"),
        .live(
            "withdraw", .bool(default: false),
            "whether devices are sent a silent push when a conversation was read elsewhere ([Withdrawal](PUSH.md#withdrawal))"),
    ]

    static let templatesKeys = ConfigurationKeys(PushTemplatePart.allCases.map { .live($0.rawValue, .text()) })

    static func transportKeys(concurrency: Int) -> ConfigurationKeys {
        [
            .live("timeout_seconds", .integer(1...120, default: 20), "how long an attempt may take"),
            .live("concurrency", .integer(1...1000, default: concurrency), "how many attempts of one replica run at once"),
            .live("certificate_authorities", .path(), without: "none: the system's", "PEM: the authorities to trust, at most 4 MiB"),
            .live("proxy", .text(), "an `http` or `socks5` address of a proxy"),
        ]
    }

    static let allowHTTPKeys: ConfigurationKeys = [
        .live("allow_http", .bool(default: false), "whether addresses of other machines may use plain http")
    ]
}
