internal import Core
internal import JSON

extension Delivery {
    /// It as operators see it: identifiers and times, and nothing of what people wrote.
    var json: JSONObject {
        [
            "id": .string(id.description), "notifier": .string(notifier), "state": .string(state.rawValue), "reason": .string(reason),
            "attempts": .integer(Int64(attempts)), "due_at": state == .pending ? .string(DeliveryTime.text(dueAt)) : .null,
            "ended_at": .time(endedAt), "event_id": .string(event.id.description), "type": .string(event.kind.rawValue),
            "app_id": .string(event.identity.appID), "user_id": .string(event.userID), "ticket_id": .integer(event.identity.ticketID),
            "comment_id": .integer(event.identity.commentID), "device_id": .string(event.identity.deviceID),
            "occurred_at": .time(event.occurredAt), "received_at": .time(event.receivedAt), "expires_at": .time(event.expiresAt),
        ]
    }
}

extension DeliveryStory {
    /// The delivery with its tries.
    var json: JSONObject {
        var object = delivery.json
        object.append(.array(attempts.map { .object($0.json) }), forKey: "tries")
        return object
    }
}

extension DeliveryAttempt {
    fileprivate var json: JSONObject {
        [
            "number": .integer(Int64(number)), "started_at": .time(startedAt), "ended_at": .time(endedAt), "outcome": .string(outcome),
            "reason": .string(reason),
        ]
    }
}

extension JSONValue {
    fileprivate static func time(_ unixMilliseconds: UInt64?) -> JSONValue {
        unixMilliseconds.map { .string(DeliveryTime.text($0)) } ?? .null
    }
}
