internal import JSON
internal import Observability

/// What notifiers are told.
extension WebhookComment {
    /// The event as JSON. What else the webhook carried, a push token for one, is not in it.
    /// - Parameters:
    ///   - id: the event's id.
    ///   - occurredAt: in Unix milliseconds.
    func payload(id: String, type: String, occurredAt: UInt64) -> [UInt8] {
        let time = JSONValue.string(WallTime(unixMilliseconds: occurredAt).text)
        let event: JSONValue = [
            "id": .string(id), "type": .string(type), "occurred_at": time, "app_id": .string(appID), "user_id": .string(userID),
            "data": [
                "ticket_id": .integer(ticketID), "device_id": deviceID.isEmpty ? nil : .string(deviceID),
                "device_type": .text(deviceType), "comment": ["comment_id": .integer(commentID), "body": .string(body)],
                "author": author.map(\.json) ?? nil, "created_at": time, "attachments": .array(attachments.map(\.json)),
            ],
        ]
        return event.serialized()
    }
}

extension WebhookComment.Author {
    fileprivate var json: JSONValue {
        ["name": .text(name), "avatar_id": .number(avatarID), "avatar_color": .text(avatarColor)]
    }
}

extension WebhookComment.Attachment {
    fileprivate var json: JSONValue {
        ["id": .integer(id), "name": .text(name), "size": .number(size)]
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }

    fileprivate static func number(_ number: Int64?) -> JSONValue {
        number.map { .integer($0) } ?? .null
    }
}

