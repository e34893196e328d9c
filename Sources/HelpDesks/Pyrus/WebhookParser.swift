internal import Core
internal import HelpDesk

/// Parses the body of a webhook: strict JSON, but tolerant of every form in which the help desk is known to send its members.
///
/// Parsing has two steps, because the body names the app, and the app determines which secret must have signed it.
struct WebhookParser {
    /// The app that the body names; nil when an anonymous body names none. It is reliable only if the webhook is authenticated.
    let appID: String?
    /// Whether the body names no user. The help desk does not document webhooks of a chat in anonymous mode, so the user, the app and the
    /// whole token may be missing.
    let isAnonymous: Bool
    private let root: WebhookFields
    private let token: WebhookFields?

    init(_ body: Span<UInt8>) throws(WebhookError) {
        root = try WebhookFields(parsing: body)
        token = root.has("token") ? try root.requiredObject("token") : nil
        isAnonymous = token.map { !$0.has("user_id") || $0.isEmptyText("user_id") } ?? true
        if let token, !isAnonymous || token.has("app_id") {
            appID = try token.requiredIdentifier("app_id", longest: FieldGrammar.longestAppID) { FieldGrammar.problem(ofAppID: $0) }
        } else {
            appID = nil
        }
    }

    /// The error if a user must be named; nil when the body names one.
    var anonymity: WebhookError? {
        guard isAnonymous else { return nil }
        do throws(WebhookError) {
            _ = try userID()
            return nil
        } catch {
            return error
        }
    }

    /// Parses the rest. The author, the time and the attachments may be beside the comment or inside it.
    /// - Parameters:
    ///   - appID: the app that the webhook belongs to.
    ///   - avatars: nil when unknown.
    /// - Returns: nil for a comment that the user wrote, not support. The user id is empty if the body is anonymous.
    func comment(of appID: String, avatars: AvatarAddress? = nil) throws(WebhookError) -> Comment? {
        let fields = try root.requiredObject("comment")
        let comment = Comment(
            appID: appID, userID: isAnonymous ? "" : try userID(),
            ticketID: HelpDeskID(try root.requiredInteger("ticket_id")), commentID: HelpDeskID(try fields.requiredInteger("comment_id")),
            deviceID: try deviceID(), deviceType: token?.string("type"), body: fields.text("body") ?? "",
            author: author(holder(of: "author", fields), avatars), createdAt: holder(of: "created_at", fields).time("created_at"),
            attachments: attachments(holder(of: "attachments", fields)))
        return fields.bool("is_inbound") == true ? nil : comment
    }

    /// The webhook's push token, in a field that the help desk does not document; nil without a valid token or a user.
    var pushToken: String? {
        guard let token, !isAnonymous else { return nil }
        for key in ["token", "push_token", "value"] as [StaticString] {
            if !token.isEmptyText(key), let text = token.plainText(key, longest: PushToken.longest) { return text }
        }
        return nil
    }

    var leftOut: [String] { root.leftOut }

    private func userID() throws(WebhookError) -> String {
        let token = if let token { token } else { try root.requiredObject("token") }
        return try token.requiredIdentifier("user_id", longest: FieldGrammar.longestUserID) { FieldGrammar.problem(ofUserID: $0) }
    }

    private func holder(of key: StaticString, _ comment: WebhookFields) -> WebhookFields {
        root.has(key) ? root : comment
    }

    /// The device id distinguishes events, so it is checked like an app id. An empty one means missing.
    private func deviceID() throws(WebhookError) -> String {
        guard let token, token.has("device_id") else { return "" }
        return try token.requiredIdentifier("device_id", longest: FieldGrammar.longestAppID) {
            $0.isEmpty ? nil : FieldGrammar.problem(ofAppID: $0)
        }
    }

    private func author(_ holder: WebhookFields, _ avatars: AvatarAddress?) -> Comment.Author? {
        holder.object("author").map { author in
            let (name, avatar) = (author.text("name"), author.integer("avatar_id"))
            return Comment.Author(
                name: name, avatarID: avatar.map { HelpDeskID($0) }, avatarURL: avatar.flatMap { avatars?.url(of: $0) },
                avatarColor: author.text("avatar_color"))
        }
    }

    private func attachments(_ holder: WebhookFields) -> [Comment.Attachment] {
        holder.objects("attachments").map { file in
            Comment.Attachment(id: file.integer("id").map { HelpDeskID($0) }, name: file.text("name"), size: file.integer("size"))
        }
    }
}
