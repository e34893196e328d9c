internal import Core

/// The keys of apps of Sendbird Desk.
extension ConfigurationReader {
    static let sendbirdKeys: ConfigurationKeys = [
        .required(
            "chat_token", .secrets,
            """
            apps of Sendbird Desk have `sendbird`, and no `webhook`. The API token of [Chat](SENDBIRD.md#tokens); at most 4, the new one \
            first
            """),
        .required("desk_token", .secrets, "the API token of Desk; at most 4, the new one first"),
        .live("chat_url", .address(), without: "built in", "the Chat platform API: `https://api-APP_ID.sendbird.com`"),
        .live("desk_url", .address(), without: "built in", "the Desk platform API: `https://desk-api-APP_ID.sendbird.com`"),
        .live("session_tokens", .object(sessionTokenKeys)),
        .live("url_previews", .bool(default: false), "whether apps may ask for [URL previews](SENDBIRD.md#url-previews)"),
        .live("tickets", .bool(default: false), "whether users may work with their [tickets](SENDBIRD.md#tickets)"),
        .live(
            "ticket_fields", .texts(default: []),
            """
            the keys of custom fields that customers may [set of their own tickets](SENDBIRD.md#what-a-customer-may-do), at most 20; it \
            needs `tickets`
            """),
        .live("customer_fields", .texts(default: []), "the same of the customers themselves"),
        .live(
            "relay", .bool(default: false),
            """
            whether registrations of devices are [passed on](SENDBIRD.md#push-tokens); the app must then name a notifier of type \
            `sendbird`
            """),
        .live(
            "bot_user_ids", .texts(),
            """
            the user ids of the bots that write in tickets, at most 100. Without it the custom type of a message [shows a \
            bot](SENDBIRD.md#who-may-cause-what). With it, messages of bots that it does not name are ignored; `[]` names none
            """),
    ]

    static let sessionTokenKeys: ConfigurationKeys = [
        // What Sendbird gives a session token itself: 7 days
        // (docs.sendbird.com/docs/chat/platform-api/v3/user/managing-session-tokens/issue-a-session-token).
        .live(
            "life_seconds", .integer(60...7_776_000, default: 604_800),
            """
            how long a [session token](SENDBIRD.md#session-tokens) lives, and never longer than the key that was shown for it. \
            `session_tokens` switches them on, and then the app must name a notifier of type `sendbird`
            """),
        .live("limits", .objects(limitKeys([.user, .app]), default: json(sessionTokenLimits)), "how often tokens may be asked for"),
    ]
}
