internal import Core
internal import HTTPServer
internal import JSON

/// The JSON Schemas of the members of the admin listener's answers, by name: one name means one thing in all of them.
///
/// A member without a schema here is described as any value.
enum AdminMember {
    /// An object with these members, each always there.
    static func object(_ names: [String]) -> JSONValue { Schema.object(names.map { ($0, schema(of: $0)) }) }

    static func schema(of name: String) -> JSONValue { schemas[name] ?? lists[name].map { Schema.array(object($0)) } ?? Schema.any }

    /// The members that are lists of objects, with the members of those.
    private static let lists: [String: [String]] = [
        "deliveries": Delivery.members, "push_tokens": Device.members, "revocations": Revocation.members,
        "tries": ["number", "started_at", "ended_at", "outcome", "reason"], "warnings": ["path", "message"],
    ]

    private static let uuid: JSONValue = ["type": "string", "format": "uuid"]
    private static let count = Schema.integer(0...Int64.max)
    private static let identity = Schema.nullable(["type": ["integer", "string"]])
    private static let maybeText = Schema.nullable(Schema.text)
    private static let maybeTime = Schema.nullable(Schema.time)

    private static let schemas: [String: JSONValue] = [
        "id": uuid, "event_id": uuid, "app_id": Schema.text, "user_id": maybeText, "device_id": Schema.text, "user_ref": maybeText,
        "ticket_id": identity, "comment_id": identity, "next": maybeText, "reason": Schema.text, "path": Schema.text,
        "message": Schema.text,
        // A delivery.
        "notifier": Schema.text, "state": Schema.choice(Delivery.State.allCases.map(\.rawValue)), "attempts": count, "due_at": maybeTime,
        "waits": maybeText, "ended_at": maybeTime, "type": Schema.text, "occurred_at": maybeTime, "received_at": Schema.time,
        "expires_at": ["type": ["string", "integer"], "description": "Of a delivery an RFC 3339 time, of a key Unix seconds."],
        "data_kept": ["type": "boolean"], "number": count, "started_at": Schema.time, "outcome": Schema.text,
        "target": Schema.nullable(Schema.object([("device_id", Schema.text), ("type", maybeText), ("token", maybeText)])),
        "purged": count, "retried": count, "removed": count,
        // A device.
        "token": Schema.text, "environment": maybeText, "registered_at": Schema.time, "seen_at": Schema.time,
        // A key or a revocation.
        "security_key": Schema.text, "issued_at": count, "key_id": Schema.nullable(Schema.integer(0...Int64(UInt32.max))),
        "kind": Schema.choice(["security_key", "user", "block", "key_id", "app"]), "salt": maybeText,
        "issued_before": Schema.nullable(count), "author": Schema.text, "created_at": Schema.time,
        // The service.
        "status": Schema.text, "version": Schema.text, "reasons": Schema.array(Schema.text),
        "paused": ["type": "object", "additionalProperties": Schema.object([("reason", Schema.text), ("remedy", Schema.text)])],
        "configuration": Schema.object([
            ("loaded_at", Schema.time),
            ("refused", Schema.nullable(Schema.object([("at", Schema.time), ("reasons", Schema.array(Schema.text)), ("count", count)]))),
            ("warnings", Schema.array(Schema.object([("path", Schema.text), ("message", Schema.text)]))),
        ]),
        "proofs": Schema.array(Schema.text), "openapi": Schema.text, "info": ["type": "object"],
        "servers": Schema.array(["type": "object"]),
        "tags": Schema.array(["type": "object"]), "paths": ["type": "object"], "components": ["type": "object"],
    ]
}
