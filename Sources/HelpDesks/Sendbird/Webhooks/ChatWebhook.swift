internal import Core
internal import HelpDesk
internal import JSON
internal import Time

/// A webhook of Sendbird Chat about a message of a channel. Fields that are not known are ignored; most of the others may be missing.
struct ChatWebhook: Sendable {
    /// What may have happened to a message.
    private enum Category: String, Sendable {
        case sent = "group_channel:message_send"
        case updated = "group_channel:message_update"
    }

    /// What the ids of people of support begin with.
    private static let supportPrefix = "sendbird_desk_agent_id_"
    private static let ticketChannel = "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"

    /// What it is, and who sees it.
    let content: MessageClass
    let messageID: HelpDeskID
    let channel: HelpDeskID
    let text: String
    let senderID: String?
    let senderName: String?
    let file: Comment.Attachment?
    /// When the message was written or changed; nil when that is not said.
    let occurredAt: UnixMilliseconds?
    /// The one member of the channel who is not of support; nil when the webhook has no members, or several such.
    let customerID: String?
    /// Whether the message is of an administrator or a bot, which no customer is.
    private let isAutomatic: Bool

    /// Whether it brings a new message for the customer, which is recognised by its own identity; otherwise it is about a question.
    var isComment: Bool {
        switch content {
        case .comment, .preview: true
        case .closure, .satisfaction, .agentsOnly: false
        }
    }

    /// The identity of its message.
    func messageIdentity(_ appID: String) -> Event.Identity {
        Event.Identity(appID: appID, ticketID: channel, commentID: messageID, deviceID: "")
    }

    /// Reads a webhook's body.
    /// - Parameter appID: whose path it came to.
    /// - Returns: nil when nothing is ever made of it: another category, no ticket's channel, what agents alone see, or
    ///   a changed message that asks nothing.
    init?(_ root: WebhookFields, appID: String) throws(WebhookError) {
        guard let name = try root.string("category") else {
            throw .missing(path: root.path(of: "category"), expectation: "a string such as group_channel:message_send")
        }
        if let named = root.anyString("app_id"), ByteKey(named) != ByteKey(appID) {
            throw .unexpected(path: root.path(of: "app_id"), expectation: "the app_id of the path")
        }
        guard let category = Category(rawValue: name) else { return nil }
        let (payload, channel) = (try root.requiredObject("payload"), try root.requiredObject("channel"))
        if let type = channel.anyString("custom_type"), type != Self.ticketChannel { return nil }
        messageID = HelpDeskID(try payload.requiredInteger("message_id"))
        guard let url = channel.anyID("channel_url") else {
            throw .unexpected(
                path: channel.path(of: "channel_url"), expectation: "a string of 1 to 255 bytes without control characters")
        }
        self.channel = url
        let (type, customType) = (
            root.anyString("type") ?? payload.anyString("type") ?? "MESG",
            payload.anyString("custom_type") ?? root.anyString("custom_type") ?? ""
        )
        content = MessageClass(type: type, customType: customType, data: payload.anyText("data"))
        text = try payload.text("message") ?? ""
        let sender = root.anyObject("sender")
        senderID = sender?.anyString("user_id")
        senderName = sender?.anyText("nickname").flatMap { $0.isEmpty ? nil : $0 }
        file =
            type == "FILE"
            ? Comment.Attachment(
                id: nil, name: payload.anyText("filename") ?? payload.anyObject("file")?.anyText("name"),
                size: payload.anyInteger("filesize") ?? payload.anyObject("file")?.anyInteger("size")) : nil
        let time = payload.anyInteger(category == .sent ? "created_at" : "updated_at")
        occurredAt = time.flatMap { UInt64(exactly: $0) }.flatMap { $0 == 0 ? nil : UnixMilliseconds(rawValue: $0) }
        isAutomatic = type == "ADMM" || customType == "SENDBIRD_DESK_BOT_MESSAGE" || customType == "SENDBIRD:AUTO_EVENT_MESSAGE"
        let members = root.anyObjects("members").compactMap { $0.anyString("user_id") }.filter { !$0.hasPrefix(Self.supportPrefix) }
        customerID = members.count == 1 && FieldGrammar.problem(ofUserID: members[0].utf8.span) == nil ? members[0] : nil
        switch (content, category) {
        case (.agentsOnly, _), (.comment, .updated), (.preview, .updated): return nil
        case (.comment, .sent), (.preview, .sent), (.closure, _), (.satisfaction, _): break
        }
    }

    /// Whether support or a bot has written it, and not the customer.
    /// - Parameter customer: nil when nobody is known; then only who is surely of support counts as that.
    func isOfSupport(customer: String?) -> Bool {
        guard let senderID, !isAutomatic else { return true }
        if senderID.hasPrefix(Self.supportPrefix) { return true }
        return customer.map { !$0.utf8.elementsEqual(senderID.utf8) } ?? false
    }
}
