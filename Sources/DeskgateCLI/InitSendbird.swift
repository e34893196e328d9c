internal import Configuration
internal import JSON

enum InitSendbird {
    /// The API tokens from Sendbird's dashboard, with their files in `secrets`.
    static let tokens = [
        (api: "Sendbird Chat (the master API token)", key: "chat_token", file: "sendbird-chat-token"),
        (api: "Sendbird Desk", key: "desk_token", file: "sendbird-desk-token"),
    ]

    private static let notifier = HelpDeskKind.sendbird.rawValue

    /// Members of the app in addition to its id and keys: they enable session tokens and customers' requests about tickets.
    /// - Parameter simulated: members of its `sendbird` for a simulated Sendbird; nil for the real one.
    static func members(_ simulated: JSONObject?) -> JSONObject {
        var sendbird = simulated ?? JSONObject(tokens.map { ($0.key, ["file": .string("secrets/\($0.file)")]) })
        sendbird.append([:], forKey: "session_tokens")
        sendbird.append(true, forKey: "tickets")
        return [
            "help_desk": .string(HelpDeskKind.sendbird.rawValue), "sendbird": .object(sendbird),
            "notifiers": ["log", .string(notifier)],
        ]
    }

    /// The notifiers, including the one that ends session tokens.
    /// - Parameter others: nil for only `log`.
    static func notifiers(_ others: JSONObject?) -> JSONObject {
        var notifiers = others ?? ["log": ["type": "log"]]
        notifiers.append(["type": .string(HelpDeskKind.sendbird.rawValue)], forKey: notifier)
        return notifiers
    }
}
