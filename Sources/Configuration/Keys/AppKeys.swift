internal import Core

/// The keys of apps.
extension ConfigurationReader {
    static let appKeys: ConfigurationKeys = [
        .required("app_id", .text(), "the app's id, exactly as the help desk shows it"),
        .live(
            "help_desk", .word(of: HelpDeskKind.self, default: .default),
            "the help desk whose chat the app has: `pyrus`, or `sendbird` for [Sendbird Desk](SENDBIRD.md)"),
        .live("keys", .objects(appKeyKeys)),
        .live("security_keys", .object(keyLifeKeys)),
        .live(
            "shadow_until", .integer(1...longestTime),
            """
            [shadow mode](#shadow-mode): until this moment (Unix seconds, at most 90 days ahead) the app's authorizations are answered \
            200 where they would be denied, but for blocked and forgotten users
            """),
        .live("verify", .object(verifyKeys)),
        .live("webhook", .object(webhookKeys)),
        .live(
            "anonymous", .word(of: AnonymousRule.self, default: .reject),
            """
            what becomes of webhooks that name no user, as those of [a chat in anonymous mode](GETTING-STARTED.md#anonymous-mode): `reject` \
            answers 400, `accept` delivers them to notifiers of the types `log` and `http`
            """),
        .live("sendbird", .object(sendbirdKeys)),
        .live(
            "notifiers", .texts(default: ["log"]),
            """
            which of `notifiers` receive the app's events. A push notifier receives comments for all devices, one of type `pyrus` \
            receives registrations only, one of type `sendbird` registrations and [ends of sessions](SENDBIRD.md#session-tokens). \
            `check` warns of an app whose comments reach no notifier
            """),
        .live("routes", .object(routeKeys)),
    ]

    static let appKeyKeys: ConfigurationKeys = [
        .required(
            "id", .integer(0...Int(UInt32.max)),
            "the number of a key. Of the active ones, the one with the largest number mints new security keys"),
        .required("secret", .secret, "32 random bytes; several keys [during a rotation](OPERATING.md#rotating-an-apps-secret)"),
        .live(
            "state", .word(of: Application.Key.State.self, default: .active),
            """
            `active`: verifies keys, and may mint new ones. `verify_only`: only verifies. Without an active key the app still works, but \
            nothing can be minted for it (`check` warns)
            """),
        .live(
            "not_after", .integer(1...longestTime),
            """
            the last second (Unix time) in which the key verifies and mints anything. Later, by more than the clock skew, its keys are \
            denied as `key_retired`. A minted key never lives longer: the default life is cut there, and a longer `ttl_seconds` is \
            refused
            """),
    ]

    static let keyLifeKeys: ConfigurationKeys = [
        .live("longest_life_seconds", .integer(1...longestTime), "as for all apps; an app can only narrow that"),
        .live(
            "default_life_seconds", .integer(0...longestTime), without: "`\(KeyLife.standardSeconds)`, or that of all apps",
            "as for all apps"),
    ]

    static let verifyKeys: ConfigurationKeys = [
        .live(
            "mode", .word(of: VerifyMode.self, default: .key), without: "required beside `url`; without both it is `key`",
            """
            whether [your backend is asked about each user](BACKEND.md): `key` (no), `backend` or `key_and_backend`. With `backend`, \
            `keys` may be left out
            """),
        .live("url", .address(), without: "required, but with the mode `key`", "your backend's address for it"),
        .live("secret", .secrets, without: "required, but with the mode `key`", "signs the question"),
        .live("timeout_ms", .integer(10...10_000, default: 500), "how long the whole call may take"),
        .live("cache", .object(verifyCacheKeys)),
        .live(
            "when_undecided", .word(of: UndecidedRule.self, default: .error),
            "what the caller is answered when the backend cannot decide: `error`, `deny` or `allow_if_key_valid`"),
    ]

    static let verifyCacheKeys: ConfigurationKeys = [
        .live("positive_seconds", .integer(0...86_400, default: 60), "how long a yes is kept"),
        .live("negative_seconds", .integer(0...86_400, default: 10), "how long a no is kept"),
    ]

    static let webhookKeys: ConfigurationKeys = [
        .live("secret", .secrets, "the last segment of the webhook's path; at most 8. Without `webhook` the app accepts no webhooks"),
        .live(
            "signature_secret", .secrets,
            """
            the key of `X-Pyrus-Sig`. With both, [a webhook must pass both checks](SECURITY.md#proof-of-a-webhooks-origin). The apps \
            without `secret` may have at most 8 signature secrets in total
            """),
    ]

    static let routeKeys: ConfigurationKeys = [
        .live("TYPE", .text(), "which notifier sends comments to this type of device, such as `ios`"),
        .live("default", .text(), "the same for all other types"),
    ]
}
