internal import Core

extension ConfigurationReader {
    static let appKeys: ConfigurationKeys = [
        .required("app_id", .text(), meaning: "app id, exactly as the help desk shows it"),
        .live(
            "help_desk", .word(of: HelpDeskKind.self, default: .default), meaning: "`pyrus`, or `sendbird` for [Sendbird Desk](SENDBIRD.md)"
        ),
        .live("keys", .objects(appKeyKeys)),
        .live("security_keys", .object(keyLifetimeKeys)),
        .live(
            "shadow_until", .integer(1...longestTime), meaning: "end of [shadow mode](#shadow-mode) in Unix seconds, at most 90 days ahead"),
        .live("verify", .object(verifyKeys)),
        .live("webhook", .object(webhookKeys)),
        .live(
            "anonymous", .word(of: AnonymousRule.self, default: .reject),
            meaning: """
                webhooks that [name no user](GETTING-STARTED.md#anonymous-mode): `reject` answers 400, `accept` delivers to `log` and \
                `http` notifiers
                """),
        .live("sendbird", .object(sendbirdKeys)),
        .live("notifiers", .texts(default: ["log"]), meaning: "names of `notifiers` that receive the app's events"),
        .live("routes", .object(routeKeys)),
    ]

    static let appKeyKeys: ConfigurationKeys = [
        .required("id", .integer(0...Int(UInt32.max)), meaning: "key number; the highest active number mints"),
        .required("secret", .secret, meaning: "32 random bytes; several keys [during a rotation](OPERATING.md#rotating-an-apps-secret)"),
        .live(
            "state", .word(of: Application.Key.State.self, default: .active),
            meaning: "`active` verifies and mints; `verify_only` only verifies. `check` warns if no key is active"),
        .live("not_after", .integer(1...longestTime), meaning: "last second (Unix time) in which the key verifies and mints"),
    ]

    static let keyLifetimeKeys: ConfigurationKeys = [
        .live("longest_life_seconds", .integer(1...longestTime), meaning: "as for all apps; at most that value"),
        .live(
            "default_life_seconds", .integer(0...longestTime), without: "`\(KeyLifetime.standardSeconds)`, or that of all apps",
            meaning: "as for all apps"),
    ]

    static let verifyKeys: ConfigurationKeys = [
        .live(
            "mode", .word(of: VerifyMode.self, default: .key), without: "required with `url`; else `key`",
            meaning: "`key`, [`key_and_backend` or `backend`](BACKEND.md); with `backend`, `keys` is optional"),
        .live("url", .address(), without: "required, except in mode `key`", meaning: "your backend's address"),
        .live("secret", .secrets, without: "required, except in mode `key`", meaning: "signs requests to the backend"),
        .live("timeout_ms", .integer(10...10_000, default: 500), meaning: "time limit of the whole call"),
        .live("cache", .object(verifyCacheKeys)),
        .live(
            "when_undecided", .word(of: UndecidedPolicy.self, default: .error),
            meaning: "answer if the backend does not decide: `error`, `deny` or `allow_if_key_valid`"),
    ]

    static let verifyCacheKeys: ConfigurationKeys = [
        .live("positive_seconds", .integer(0...86_400, default: 60), meaning: "cache time of allowing answers"),
        .live("negative_seconds", .integer(0...86_400, default: 10), meaning: "cache time of denying answers"),
    ]

    static let webhookKeys: ConfigurationKeys = [
        .live("secret", .secrets, meaning: "last segment of the webhook's path; at most 8"),
        .live(
            "signature_secret", .secrets,
            meaning: """
                key of `X-Pyrus-Sig`; at most 8 in all apps without `secret`. With `secret`, [both must \
                match](SECURITY.md#proof-of-a-webhooks-origin)
                """),
    ]

    static let routeKeys: ConfigurationKeys = [
        .live("TYPE", .text(), meaning: "notifier for comments to this device type, such as `ios`"),
        .live("default", .text(), meaning: "notifier for other types"),
    ]
}
