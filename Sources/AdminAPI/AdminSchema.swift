internal import Core
internal import HTTPServer
internal import JSON

/// The JSON Schemas of the members of the admin listener's answers.
///
/// A route names the types of its members in its `AdminRoute.Answer`. A member without a type, here or there, is described as any value.
enum AdminSchema {
    static let uuid: JSONValue = ["type": "string", "format": "uuid"]
    static let count = Schema.integer(0...Int64.max)
    static let flag: JSONValue = ["type": "boolean"]
    static let maybeText = Schema.nullable(Schema.text)
    static let maybeTime = Schema.nullable(Schema.time)
    static let anyObject: JSONValue = ["type": "object"]

    /// Members with the same meaning in every answer.
    private static let common: [String: JSONValue] = [
        "app_id": Schema.text, "user_ref": maybeText, "next": maybeText, "removed": count, "retried": count, "purged": count,
        "superseded": count,
    ]

    /// An object with these members, all required.
    static func object(_ members: [String], _ types: [String: JSONValue]) -> JSONValue {
        Schema.object(members.map { ($0, types[$0] ?? common[$0] ?? Schema.any) })
    }

    /// The types of `Delivery.members`, and of those only in the answer for a single delivery.
    static let delivery: [String: JSONValue] = [
        "id": uuid, "notifier": Schema.text, "state": Schema.choice(of: Delivery.State.self), "reason": Schema.text,
        "meaning": Schema.text, "attempts": count, "due_at": maybeTime, "waits": maybeText, "ended_at": maybeTime, "event_id": uuid,
        "type": Schema.text,
        "user_id": Schema.text, "ticket_id": identity, "comment_id": identity, "device_id": Schema.text,
        "target": Schema.nullable(Schema.object([("device_id", Schema.text), ("type", maybeText), ("token", maybeText)])),
        "occurred_at": maybeTime, "received_at": Schema.time, "expires_at": Schema.time, "trace_id": traceID, "data_kept": flag,
        "tries": Schema.array(
            Schema.object([
                ("number", count), ("started_at", Schema.time), ("ended_at", maybeTime), ("outcome", Schema.text), ("reason", Schema.text),
            ])),
    ]
    private static let traceID = Schema.nullable(["type": "string", "pattern": "^[0-9a-f]{32}$"])
    private static let identity = Schema.nullable(["type": ["integer", "string"]])

    static let deliveries = Schema.array(object(Delivery.members, delivery))

    static let devices = Schema.array(
        object(
            Device.members,
            [
                "user_id": Schema.text, "device_id": Schema.text, "type": Schema.text, "token": Schema.text, "environment": maybeText,
                "registered_at": Schema.time, "seen_at": Schema.time,
            ]))

    /// The types of `Revocation.members`.
    static let revocation: [String: JSONValue] = [
        "id": uuid, "kind": Schema.choice(of: Revocation.Kind.self), "user_id": maybeText,
        "key_id": Schema.nullable(Schema.integer(0...Int64(UInt32.max))), "salt": maybeText, "issued_before": Schema.nullable(count),
        "reason": Schema.text, "author": Schema.text, "created_at": Schema.time, "devices_removed": count,
    ]
    static let revocations = Schema.array(object(Revocation.members, revocation))

    /// The types of `Ticket.members`.
    static let ticket: [String: JSONValue] = [
        "ticket_id": Schema.integer, "channel": maybeText, "title": maybeText, "agent": maybeText, "user_id": maybeText,
        "state": Schema.nullable(Schema.choice(of: TicketState.self)),
        "rating": Schema.nullable(Schema.object([("score", Schema.integer(1...5)), ("comment", maybeText)])),
        "created_at": maybeTime, "updated_at": maybeTime, "customer_id": Schema.nullable(Schema.integer), "group_key": maybeText,
        "channel_type": maybeText,
        "priority": Schema.nullable(Schema.choice(of: TicketPriority.self)),
        "custom_fields": ["type": "object", "additionalProperties": Schema.text],
        "related_channels": Schema.array(Schema.object([("channel", Schema.text), ("name", maybeText)])),
    ]
    static let tickets = Schema.array(object(Ticket.members, ticket))

    /// The types of `GET /v1/status`.
    static let status: [String: JSONValue] = [
        "status": Schema.choice(of: ServiceReadiness.self), "version": Schema.text, "reasons": Schema.array(Schema.text),
        "paused": ["type": "object", "additionalProperties": Schema.object([("reason", Schema.text), ("remedy", Schema.text)])],
        "revocations": RevocationStatus.schema, "problems": Schema.array(Problem.schema),
        "configuration": Schema.object([
            ("loaded_at", Schema.time),
            (
                "refused",
                Schema.nullable(Schema.object([("at", Schema.time), ("reasons", Schema.array(Schema.text)), ("count", count)]))
            ),
            ("warnings", Schema.array(Schema.object([("path", Schema.text), ("message", Schema.text)]))),
        ]),
    ]
}
