internal import JSON
internal import Observability

/// What notifiers are told.
extension WebhookComment {
    /// What the data has beside its texts in bytes, about.
    private static let fixedSize = 384

    /// The event's data as JSON. What else the webhook carried, a push token for one, is not in it.
    /// - Parameter occurredAt: in Unix milliseconds.
    func data(occurredAt: UInt64) -> [UInt8] {
        var writer = JSONWriter(capacity: Self.fixedSize + body.utf8.count)
        writer.beginObject()
        writer.add("ticket_id", ticketID)
        writer.add("device_id", deviceID.isEmpty ? nil : deviceID)
        writer.add("device_type", deviceType)
        writer.beginObject("comment")
        writer.add("comment_id", commentID)
        writer.add("body", body)
        writer.endObject()
        write(author, to: &writer)
        writer.add("created_at", WallTime(unixMilliseconds: occurredAt).text)
        writer.beginArray("attachments")
        for attachment in attachments { write(attachment, to: &writer) }
        writer.endArray()
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
