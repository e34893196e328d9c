internal import Core
internal import HelpDesk
internal import Time

/// Parses the body of a webhook: strict JSON, but tolerant of every form in which the help desk is known to send its fields.
///
/// It works in two steps, because the app, which the body names, decides which secret must have signed it.
struct WebhookParser {
    /// The app that the body names. It is reliable only if the origin is proven.
    let appID: String
    private let root: WebhookFields
    private let token: WebhookFields

    /// Parses the JSON and reads the app.
    init(_ body: Span<UInt8>) throws(WebhookError) {
        root = try WebhookFields(parsing: body)
        token = try root.requiredObject("token")
        appID = try token.requiredIdentifier("app_id", longest: FieldGrammar.longestAppID) { FieldGrammar.problem(ofAppID: $0) }
    }

    /// Reads the rest. The author, the time and the attachments may be beside the comment or inside it.
    /// - Returns: nil for a comment that the person wrote, not support.
    func comment() throws(WebhookError) -> Comment? {
        let fields = try root.requiredObject("comment")
        let userID = try token.requiredIdentifier("user_id", longest: FieldGrammar.longestUserID) { FieldGrammar.problem(ofUserID: $0) }
        let (ticketID, commentID) = (try root.requiredInteger("ticket_id"), try fields.requiredInteger("comment_id"))
        let (deviceID, deviceType) = (try self.deviceID(), try token.string("type"))
        let (body, isInbound) = (try fields.text("body") ?? "", try fields.bool("is_inbound") ?? false)
        let comment = Comment(
            appID: appID, userID: userID, ticketID: HelpDeskID(ticketID), commentID: HelpDeskID(commentID), deviceID: deviceID,
            deviceType: deviceType, body: body, author: try author(holder(of: "author", fields)),
            createdAt: try createdAt(holder(of: "created_at", fields)), attachments: try attachments(holder(of: "attachments", fields)))
        return isInbound ? nil : comment
    }

    /// The webhook's push token, in a field that the help desk does not document; nil when there is no valid one.
    var pushToken: String? {
        for key in ["token", "push_token", "value"] as [StaticString] {
            if let text = token.plainText(key, longest: PushToken.longest) { return text }
        }
        return nil
    }

    private func holder(of key: StaticString, _ comment: WebhookFields) -> WebhookFields {
        root.has(key) ? root : comment
    }

    private func deviceID() throws(WebhookError) -> String {
        let text = try token.string("device_id") ?? ""
        // The device id tells events apart, so its length is limited like an app id's. A missing one counts as empty.
        guard text.isEmpty || FieldGrammar.problem(ofAppID: text.utf8.span) == nil else {
            throw .unexpected(
                path: token.path(of: "device_id"),
                expectation: "a string of at most \(FieldGrammar.longestAppID) UTF-16 code units without control characters")
        }
        return text
    }

    private func author(_ holder: WebhookFields) throws(WebhookError) -> Comment.Author? {
        guard let author = try holder.object("author") else { return nil }
        return Comment.Author(
            name: try author.text("name"), avatarID: try author.integer("avatar_id").map { HelpDeskID($0) },
            avatarColor: try author.text("avatar_color"))
    }

    private func createdAt(_ holder: WebhookFields) throws(WebhookError) -> UnixMilliseconds? {
        guard let text = try holder.string("created_at") else { return nil }
        guard let time = RFC3339.unixMilliseconds(text) else {
            throw .unexpected(
                path: holder.path(of: "created_at"), expectation: "a date and time since 1970 as in RFC 3339, such as 2026-03-10T08:15:12Z")
        }
        return time
    }

    private func attachments(_ holder: WebhookFields) throws(WebhookError) -> [Comment.Attachment] {
        let objects = try holder.objects("attachments")
        var attachments: [Comment.Attachment] = []
        attachments.reserveCapacity(objects.count)
        for object in objects {
            attachments.append(
                Comment.Attachment(
                    id: HelpDeskID(try object.requiredInteger("id")), name: try object.text("name"), size: try object.integer("size")))
        }
        return attachments
    }
}
