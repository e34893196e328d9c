internal import Core
internal import JSON
internal import Time

extension Delivery {
    static let members = [
        "id", "notifier", "state", "reason", "meaning", "attempts", "due_at", "waits", "ended_at", "event_id", "type", "app_id", "user_id",
        "ticket_id",
        "comment_id", "device_id", "target", "occurred_at", "received_at", "expires_at", "trace_id",
    ]

    /// The delivery in the JSON for operators: identifiers and times, and no message text. If a due delivery is held back, `waits` contains
    /// the reason, and `due_at` is null, because the time of the next attempt is unknown. `meaning` describes the state and its cause in
    /// words.
    func json(_ context: AdminContext, in language: Language = .english) -> JSONObject {
        let wait = context.wait(of: self)
        let hasTime = state == .pending && (wait == nil || wait == AdminContext.turn)
        return [
            "id": .string(id.description), "notifier": .string(notifier), "state": .string(state.rawValue), "reason": .string(reason),
            "meaning": JSONValue(DeliveryFacts(self, attempts: [], problems: nil, context: context).sentence, in: language),
            "attempts": .integer(Int64(attempts)),
            "due_at": hasTime ? .string(RFC3339.text(dueAt)) : .null,
            "waits": wait.map { .string($0) } ?? .null, "ended_at": .time(endedAt), "event_id": .string(event.id.description),
            "type": .string(event.kind.rawValue),
            "app_id": .string(event.identity.appID), "user_id": .string(event.userID), "ticket_id": event.identity.ticketID?.json ?? .null,
            "comment_id": event.identity.commentID?.json ?? .null, "device_id": .string(event.identity.deviceID),
            "target": deviceID.map { .object(target($0)) } ?? .null,
            "occurred_at": .time(event.occurredAt), "received_at": .time(event.receivedAt), "expires_at": .time(event.expiresAt),
            "trace_id": event.trace.map { .string($0.traceIDText) } ?? .null,
        ]
    }
}

extension Delivery {
    /// The current registration of the target device.
    private func target(_ deviceID: String) -> JSONObject {
        [
            "device_id": .string(deviceID), "type": device.map { .string($0.type) } ?? .null,
            "token": device.map { .string($0.token.masked) } ?? .null,
        ]
    }
}

extension DeliveryStory {
    func json(_ context: AdminContext, in language: Language) -> JSONObject {
        var object = delivery.json(context, in: language)
        object.append(.bool(delivery.event.hasData), forKey: "data_kept")
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
    fileprivate static func time(_ unixMilliseconds: UnixMilliseconds?) -> JSONValue {
        unixMilliseconds.map { .string(RFC3339.text($0)) } ?? .null
    }
}
