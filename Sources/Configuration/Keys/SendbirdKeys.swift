internal import Core

extension ConfigurationReader {
    static let sendbirdKeys: ConfigurationKeys = [
        .required(
            "chat_token", .secrets, meaning: "API token of [Chat](SENDBIRD.md#tokens), at most 4, new first. `sendbird` replaces `webhook`"),
        .required("desk_token", .secrets, meaning: "API token of Desk, at most 4, new first"),
        .live("chat_url", .address(), without: "built in", meaning: "Chat API: `https://api-APP_ID.sendbird.com`"),
        .live("desk_url", .address(), without: "built in", meaning: "Desk API: `https://desk-api-APP_ID.sendbird.com`"),
        .live("session_tokens", .object(sessionTokenKeys)),
        .live("url_previews", .bool(default: false), meaning: "enables [URL previews](SENDBIRD.md#url-previews)"),
        .live("tickets", .bool(default: false), meaning: "lets users manage their [tickets](SENDBIRD.md#tickets)"),
        .live(
            "ticket_fields", .texts(default: []),
            meaning: "custom fields of tickets that [customers may set](SENDBIRD.md#customer-requests), at most 20; needs `tickets`"),
        .live("customer_fields", .texts(default: []), meaning: "custom fields that customers may set of themselves, at most 20"),
        .live(
            "relay", .bool(default: false), meaning: "[forwards device registrations](SENDBIRD.md#push-tokens); needs a `sendbird` notifier"
        ),
        .live(
            "bot_user_ids", .texts(),
            meaning:
                "bots in tickets, at most 100; others are ignored. Without it, [custom types](SENDBIRD.md#allowed-senders) identify bots"
        ),
    ]

    static let sessionTokenKeys: ConfigurationKeys = [
        // Sendbird's own default for session tokens: 7 days
        // (docs.sendbird.com/docs/chat/platform-api/v3/user/managing-session-tokens/issue-a-session-token).
        .live(
            "life_seconds", .integer(60...7_776_000, default: 604_800),
            meaning: """
                lifetime of [session tokens](SENDBIRD.md#session-tokens), at most the security key's. `session_tokens` needs a `sendbird` \
                notifier
                """),
        .live("limits", .objects(limitKeys([.user, .app]), default: json(sessionTokenLimits)), meaning: "rate limits of session tokens"),
    ]
}
