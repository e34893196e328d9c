internal import AdminAPI
internal import Core
internal import HTTPServer
internal import JSON

/// The description of an event type for receivers: when events of this type are sent, and the JSON Schema of their `data`.
struct EventDescription {
    static let all = Event.Kind.allCases.compactMap { kind in
        description(of: kind).map { EventDescription(kind: kind, summary: $0.summary, data: $0.data) }
    }

    let kind: Event.Kind
    /// The text of a table cell in docs/HTTP.md.
    let summary: String
    private let data: JSONValue

    var schema: JSONValue {
        Schema.object([
            ("id", ["type": "string", "format": "uuid"]), ("type", Schema.choice([kind.rawValue])), ("occurred_at", Schema.time),
            ("app_id", Schema.text), ("user_id", Schema.text), ("data", data),
        ])
    }

    private static func description(of kind: Event.Kind) -> (summary: String, data: JSONValue)? {
        switch kind {
        case .commentCreated: ("support has answered in a chat", comment)
        case .closureRequested: ("support asks the customer whether the ticket may be closed", comment)
        case .ratingRequested: ("support asks the customer for a rating", comment)
        case .pushTokenRegistered:
            (
                "a device has registered its first push token, or another one",
                Schema.object(registration + [("replaces", Schema.object(token))], required: registration.map(\.0))
            )
        case .pushTokenRemoved:
            ("a push token must no longer be used", Schema.object(registration + [("reason", Schema.choice(reasons))]))
        case .ticketCreated: ("a ticket was created", ticket)
        case .ticketAssigned: ("an agent has taken a ticket, or was given it", ticket)
        case .ticketTransferred: ("a ticket has gone to another group", ticket)
        case .ticketClosed: ("a ticket was closed", ticket)
        case .ticketReopened: ("a closed ticket is open again", ticket)
        case .ticketUpdated: ("a ticket has changed in another way", ticket)
        case .closureConfirmed: ("the customer agrees that the ticket is closed", Schema.object(answer))
        case .closureDeclined: ("the customer wants the ticket to stay open", Schema.object(answer))
        case .ticketRated: ("the customer has rated a ticket", Schema.object(answer + [("score", score), ("comment", maybeText)]))
        case .conversationSeen:
            (
                "a user has read a conversation, or all of them, perhaps on another device",
                Schema.object(
                    [("ticket_id", maybeID), ("seen_at", Schema.time), ("channel", maybeID)], required: ["ticket_id", "seen_at"])
            )
        case .userForgotten: ("a user was forgotten: erase the data that you have about them", Schema.object([]))
        case .operatorTest: ("an operator tests the delivery of events", Schema.object([("notifier", Schema.text)]))
        case .notifierPaused: ("a notifier is paused", Schema.object(paused + [since]))
        case .notifierRecovered: ("a notifier that had stopped works again", Schema.object(paused + [since] + end))
        case .queueLate:
            (
                "deliveries wait too long, or no longer do",
                condition([
                    ("notifier", Schema.text), ("waiting", count), ("oldest_seconds", count), ("text", Schema.text),
                    ("remedy", Schema.text),
                ])
            )
        case .credentialExpires: ("a certificate or an app's last key expires soon, or was replaced", condition(credential))
        case .diskLow:
            (
                "the disk of the store is nearly full, or no longer is",
                condition([("disk", Schema.text), ("free_bytes", count), ("size_bytes", count), ("threshold_bytes", count)])
            )
        case .denialsJump: ("far more authorizations are denied than usual, or no longer are", condition(denials))
        case .problem: ("something does not work, or works again", condition(SevereProblem.members))
        case .messageHeld, .userSignedOut: nil
        }
    }
}

extension EventDescription {
    private typealias Members = [(String, JSONValue)]

    private static let count = Schema.integer(0...Int64.max)
    private static let maybeText = Schema.nullable(Schema.text)
    private static let maybeID = Schema.nullable(["type": ["integer", "string"]])
    private static let score = Schema.nullable(Schema.integer(1...5))

    private static let token: Members = [("type", Schema.text), ("token", Schema.text)]
    private static let registration: Members = [("device_id", Schema.text)] + token
    /// All reasons except that of a forgotten user, whose tokens are sent only to a help desk.
    private static let reasons = RegistryChange.Reason.allCases.filter { $0 != .forgotten }.map(\.rawValue)

    /// A comment without a particular device has no target. A comment of a help desk without channels has no channel.
    private static let comment: JSONValue = {
        let author = Schema.object([("name", maybeText), ("avatar_id", maybeID), ("avatar_url", maybeText), ("avatar_color", maybeText)])
        let attachment = Schema.object([("id", maybeID), ("name", maybeText), ("size", Schema.nullable(Schema.integer))])
        let always: Members = [
            ("ticket_id", maybeID), ("device_id", maybeText), ("device_type", maybeText),
            ("comment", Schema.object([("comment_id", maybeID), ("body", Schema.text)])), ("author", Schema.nullable(author)),
            ("created_at", Schema.time), ("attachments", Schema.array(attachment)),
        ]
        return Schema.object(always + [("channel", maybeID), ("target", Schema.object(registration))], required: always.map(\.0))
    }()

    private static let ticket = Schema.object([
        ("ticket_id", maybeID), ("channel", maybeID), ("channel_type", maybeText), ("status", maybeText), ("close_status", maybeText),
        ("priority", maybeText),
        ("group", maybeText), ("agent_id", maybeText), ("changed_from", ["type": "object", "additionalProperties": maybeText]),
    ])
    private static let answer: Members = [("ticket_id", maybeID), ("channel", maybeID), ("comment_id", maybeID)]

    private static let paused: Members = [
        ("notifier", Schema.text), ("reason", Schema.text), ("explanation", Schema.text), ("remedy", Schema.text), ("waiting", count),
    ]
    private static let credential: Members = [
        ("credential", Schema.choice(of: ExpiringCredential.Kind.self)), ("name", Schema.text), ("expires_at", Schema.time),
        ("remedy", Schema.text),
    ]
    private static let denials: Members = [
        ("app", Schema.text), ("window_seconds", count), ("asked", count), ("denied", count), ("usual", count), ("reason", Schema.text),
    ]

    private static let since: (String, JSONValue) = ("since", Schema.time)
    private static let end: Members = [("ended_at", Schema.time), ("ended_because", Schema.choice(of: OperatorCondition.End.self))]

    /// The event of the end repeats the members of the beginning.
    private static func condition(_ members: Members) -> JSONValue {
        let always = members + [since, ("state", Schema.choice(["began", "ended"]))]
        return Schema.object(always + end, required: always.map(\.0))
    }
}
