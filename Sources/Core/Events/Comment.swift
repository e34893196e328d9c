internal import JSON
package import Time

/// A comment in a ticket for one person, as reported by the help desk; the payload of a `comment.created` event.
package struct Comment: Sendable, Equatable {
    package struct Author: Sendable, Equatable {
        package let name: String?
        package let avatarID: HelpDeskID?
        /// The URL from which phones load the picture: https without credentials; nil if unknown.
        package let avatarURL: String?
        /// The color that is shown when there is no picture.
        package let avatarColor: String?

        package init(name: String?, avatarID: HelpDeskID? = nil, avatarURL: String? = nil, avatarColor: String? = nil) {
            self.name = name
            self.avatarID = avatarID
            self.avatarURL = avatarURL
            self.avatarColor = avatarColor
        }
    }

    package struct Attachment: Sendable, Equatable {
        package let id: HelpDeskID?
        package let name: String?
        /// The size in bytes.
        package let size: Int64?

        package init(id: HelpDeskID?, name: String?, size: Int64?) {
            self.id = id
            self.name = name
            self.size = size
        }
    }

    package let appID: String
    package let userID: String
    /// The ticket; nil when only the channel is known.
    package let ticketID: HelpDeskID?
    /// The channel of the chat, if the help desk identifies tickets by channel; otherwise nil.
    package let channel: HelpDeskID?
    package let commentID: HelpDeskID
    /// The device in the help desk's report; empty when the report contains none.
    package let deviceID: String
    /// The type of this device, as registered by the app, such as `ios`; nil if not reported.
    package let deviceType: String?
    /// The text; empty when only files were sent.
    package let body: String
    package let author: Author?
    /// The creation time; nil if the help desk does not report it.
    package let createdAt: UnixMilliseconds?
    package let attachments: [Attachment]

    package init(
        appID: String, userID: String, ticketID: HelpDeskID?, channel: HelpDeskID? = nil, commentID: HelpDeskID, deviceID: String,
        deviceType: String?, body: String,
        author: Author?, createdAt: UnixMilliseconds?, attachments: [Attachment]
    ) {
        self.appID = appID
        self.userID = userID
        precondition(ticketID != nil || channel != nil, "a comment belongs to a conversation")
        self.ticketID = ticketID
        self.channel = channel
        self.commentID = commentID
        self.deviceID = deviceID
        self.deviceType = deviceType
        self.body = body
        self.author = author
        self.createdAt = createdAt
        self.attachments = attachments
    }
}

extension Event {
    /// Creates the event that reports a comment.
    /// - Parameters:
    ///   - id: a new id, from which the ids of deliveries can be derived.
    ///   - receivedAt: also replaces a missing `createdAt`.
    ///   - lifetimeMilliseconds: the time from `receivedAt` until the event expires. `createdAt` is not used, because the help desk's clock
    ///     may be wrong.
    ///   - kind: a kind whose `isForDevices` is true.
    package init(
        _ comment: Comment, id: UUIDv7, kind: Kind = .commentCreated, receivedAt: UnixMilliseconds, lifetimeMilliseconds: UInt64,
        trace: TraceContext? = nil
    ) {
        let occurredAt = comment.createdAt ?? receivedAt
        self.init(
            id: id, kind: kind,
            identity: Identity(
                appID: comment.appID, ticketID: comment.conversation, commentID: comment.commentID, deviceID: comment.deviceID),
            userID: comment.userID, deviceType: comment.deviceType, occurredAt: occurredAt, receivedAt: receivedAt,
            expiresAt: receivedAt + lifetimeMilliseconds, data: comment.data(occurredAt: occurredAt), trace: trace)
    }
}

extension Comment {
    /// The key that groups notifications and orders deliveries: the channel, or the ticket if the help desk has no channels.
    package var conversation: HelpDeskID? { channel ?? ticketID }

    /// The approximate size of the data without its texts, in bytes.
    private static let fixedSize = 384

    /// Returns the event's data. Receivers of signed events get them unchanged.
    fileprivate func data(occurredAt: UnixMilliseconds) -> [UInt8] {
        var writer = JSONWriter(capacity: Self.fixedSize + body.utf8.count)
        writer.beginObject()
        writer.add("ticket_id", id: ticketID)
        if let channel { writer.add("channel", id: channel) }
        writer.add("device_id", deviceID.isEmpty ? nil : deviceID)
        writer.add("device_type", deviceType)
        writer.beginObject("comment")
        writer.add("comment_id", id: commentID)
        writer.add("body", body)
        writer.endObject()
        if let author {
            writer.beginObject("author")
            writer.add("name", author.name)
            writer.add("avatar_id", id: author.avatarID)
            writer.add("avatar_url", author.avatarURL)
            writer.add("avatar_color", author.avatarColor)
            writer.endObject()
        } else {
            writer.addNull("author")
        }
        writer.add("created_at", RFC3339.text(occurredAt))
        writer.beginArray("attachments")
        for attachment in attachments {
            writer.beginObject()
            writer.add("id", id: attachment.id)
            writer.add("name", attachment.name)
            writer.add("size", attachment.size)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads the comment that an event reports. Values in the event itself take precedence over the data. Only the member `comment` is
    /// required in the data, so that data from another version can be shown.
    /// - Returns: nil when the event is of another kind, or its data is deleted or malformed.
    package init?(_ event: Event) {
        guard let conversation = event.identity.ticketID, let commentID = event.identity.commentID,
            let data = try? JSONElement(parsing: event.data.span), let comment = data["comment"], comment.isObject
        else { return nil }
        let channel = data["channel"].map { _ in conversation }
        self.init(
            appID: event.identity.appID, userID: event.userID,
            ticketID: channel == nil ? conversation : data["ticket_id"].flatMap { HelpDeskID($0) }, channel: channel, commentID: commentID,
            deviceID: event.identity.deviceID, deviceType: event.deviceType, body: comment["body"]?.string ?? "",
            author: data["author"].flatMap(Author.init), createdAt: event.occurredAt,
            attachments: data["attachments"]?.elements.map(Attachment.init) ?? [])
    }
}

extension Comment.Author {
    /// Reads the output of `Comment.data`; nil when the value is not an object.
    fileprivate init?(_ value: JSONElement) {
        guard value.isObject else { return nil }
        self.init(
            name: value["name"]?.string, avatarID: value["avatar_id"].flatMap { HelpDeskID($0) },
            avatarURL: value["avatar_url"]?.string, avatarColor: value["avatar_color"]?.string)
    }
}

extension Comment.Attachment {
    fileprivate init(_ value: JSONElement) {
        self.init(id: value["id"].flatMap { HelpDeskID($0) }, name: value["name"]?.string, size: value["size"]?.integer)
    }
}
