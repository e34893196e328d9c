internal import JSON
internal import Observability

/// What notifiers are told.
extension WebhookComment {
    /// What the payload has beside its texts, about.
    private static let fixedSize = 512

    /// The event as JSON. What else the webhook carried, a push token for one, is not in it.
    /// - Parameters:
    ///   - id: the event's id.
    ///   - occurredAt: in Unix milliseconds.
    func payload(id: String, type: String, occurredAt: UInt64) -> [UInt8] {
        let time = WallTime(unixMilliseconds: occurredAt).text
        var writer = JSONWriter(capacity: Self.fixedSize + body.utf8.count)
        writer.beginObject()
        writer.add("id", id)
        writer.add("type", type)
        writer.add("occurred_at", time)
        writer.add("app_id", appID)
        writer.add("user_id", userID)
        writer.beginObject("data")
        writer.add("ticket_id", ticketID)
        writer.add("device_id", deviceID.isEmpty ? nil : deviceID)
        writer.add("device_type", deviceType)
        writer.beginObject("comment")
        writer.add("comment_id", commentID)
        writer.add("body", body)
        writer.endObject()
        write(author, to: &writer)
        writer.add("created_at", time)
        writer.beginArray("attachments")
        for attachment in attachments { write(attachment, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func write(_ author: Author?, to writer: inout JSONWriter) {
        guard let author else { return writer.addNull("author") }
        writer.beginObject("author")
        writer.add("name", author.name)
        writer.add("avatar_id", author.avatarID)
        writer.add("avatar_color", author.avatarColor)
        writer.endObject()
    }

    private func write(_ attachment: Attachment, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.add("id", attachment.id)
        writer.add("name", attachment.name)
        writer.add("size", attachment.size)
        writer.endObject()
    }
}
