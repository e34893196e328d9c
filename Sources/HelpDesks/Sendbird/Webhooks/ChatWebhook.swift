internal import Core
internal import HelpDesk
internal import JSON
internal import Time

/// A webhook of Sendbird Chat about a message in a channel. Unknown fields are ignored; most of the others may be missing.
struct ChatWebhook: Sendable {
    enum Category: String, Sendable {
        case sent = "group_channel:message_send"
        case updated = "group_channel:message_update"
    }

    /// The writer of a message, as far as the webhook identifies it.
    enum Writer: Sendable {
        case support
        case administrator
        /// A bot that the app names. A customer can make it repeat text.
        case namedBot
        /// A user with a bot's custom type, in an app that does not name its bots; a customer may set that type. Or Sendbird itself, after
        /// a member's action.
        case automatic
        /// A user with a bot's custom type whom the app does not name as a bot.
        case unnamedBot
        /// A customer, another member of the channel, or an outsider.
        case other

        /// Whether a message is treated as a bot's, which a customer may have caused.
        var mayBeBot: Bool { self == .namedBot || self == .automatic }
    }

    private static let ticketChannel = "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"

    let category: Category
    let content: MessageClass
    let writer: Writer
    let messageID: HelpDeskID
    let channel: HelpDeskID
    /// Without the quick replies that a bot's model has embedded, which apps show separately.
    let text: String
    let senderID: String?
    let senderName: String?
    /// The URL returned by `AvatarURL.read`. Nil unless the writer is support or a named bot, because phones load the URL, and a customer
    /// can write with other identities.
    let senderAvatar: String?
    let file: Comment.Attachment?
    /// The time at which the message was written or changed; nil when unknown.
    let occurredAt: UnixMilliseconds?
    /// The only channel member who is neither support nor a named bot; nil when there are no members, several candidates, or one with an
    /// unreadable id.
    let customerID: String?

    /// Whether the message is new content for the customer, identified by its own id; otherwise it belongs to a question.
    var isComment: Bool {
        switch content {
        case .comment, .preview: true
        case .closure, .satisfaction, .agentsOnly: false
        }
    }

    func messageIdentity(_ appID: String) -> Event.Identity {
        Event.Identity(appID: appID, ticketID: channel, commentID: messageID, deviceID: "")
    }

    /// - Parameters:
    ///   - appID: the app of the webhook URL.
    ///   - bots: the user ids of that app's bots; nil when it does not name them.
    /// - Returns: nil for another category, or for a channel that does not belong to a ticket.
    init?(_ root: WebhookFields, appID: String, bots: Set<ByteKey>?) throws(WebhookError) {
        guard let category = Category(rawValue: try Self.category(root, appID: appID)) else { return nil }
        self.category = category
        let (payload, channel) = (try root.requiredObject("payload"), try root.requiredObject("channel"))
        guard Self.isOfTicket(channel) else { return nil }
        messageID = HelpDeskID(try payload.requiredInteger("message_id"))
        self.channel = try channel.requiredID("channel_url", "a string of 1 to 255 bytes without control characters")
        let type = Self.word([root.string("type"), payload.string("type")], preferring: "ADMM") ?? "MESG"
        let customType =
            Self.word([payload.string("custom_type"), root.string("custom_type")], preferring: MessageClass.agentsOnlyType) ?? ""
        content = MessageClass(type: type, customType: customType, data: payload.text("data"))
        let sender = root.object("sender")
        senderID = sender?.string("user_id").flatMap { $0.isEmpty ? nil : $0 }
        senderName = sender?.text("nickname").flatMap { $0.isEmpty ? nil : $0 }
        file =
            type == "FILE"
            ? Comment.Attachment(
                id: nil, name: payload.text("filename") ?? payload.object("file")?.text("name"),
                size: payload.integer("filesize") ?? payload.object("file")?.integer("size")) : nil
        let time = payload.integer(category == .sent ? "created_at" : "updated_at")
        occurredAt = time.flatMap { UInt64(exactly: $0) }.flatMap { $0 == 0 ? nil : UnixMilliseconds(rawValue: $0) }
        writer = Self.writer(senderID, isOfAdministrator: type == "ADMM", customType: customType, bots)
        let message = payload.text("message") ?? ""
        text = writer.mayBeBot ? QuickReplies(in: message).text : message
        let isTrusted = writer == .support || writer == .namedBot
        senderAvatar = isTrusted ? sender?.string("profile_url").flatMap { AvatarURL.read($0) } : nil
        customerID = Self.customer(among: root.objects("members").map { $0.string("user_id") }, bots)
    }

    /// Returns the category, and rejects a webhook that names another app than the URL.
    static func category(_ root: WebhookFields, appID: String) throws(WebhookError) -> String {
        let name = try root.requiredString("category", "a string such as group_channel:message_send")
        if let named = root.string("app_id"), ByteKey(named) != ByteKey(appID) {
            throw .unexpected(path: root.path(of: "app_id"), expectation: "the app_id of the path")
        }
        return name
    }

    /// Whether a channel belongs to a ticket. True when it has no custom type.
    static func isOfTicket(_ channel: WebhookFields) -> Bool { channel.string("custom_type").map { $0 == ticketChannel } ?? true }

    private static func writer(_ sender: String?, isOfAdministrator: Bool, customType: String, _ bots: Set<ByteKey>?) -> Writer {
        if let sender, SupportAccount.isSupport(sender) { return .support }
        // No customer can send an administrator's message. Automatic event messages report actions of members and quote names that members
        // have chosen.
        if isOfAdministrator { return customType == MessageClass.autoEventType ? .automatic : .administrator }
        guard let sender else { return .other }
        let looksLikeBot = [MessageClass.botType, MessageClass.autoEventType].contains(customType)
        guard let bots else { return looksLikeBot ? .automatic : .other }
        return bots.contains(ByteKey(sender)) ? .namedBot : looksLikeBot ? .unnamedBot : .other
    }

    /// - Parameter members: the user ids; nil for an unreadable one.
    private static func customer(among members: [String?], _ bots: Set<ByteKey>?) -> String? {
        let others = members.filter { member in
            guard let member else { return true }
            return !SupportAccount.isSupport(member) && bots?.contains(ByteKey(member)) != true
        }
        guard others.count == 1, let customer = others[0], FieldGrammar.problem(ofUserID: customer.utf8.span) == nil else { return nil }
        return customer
    }

    /// Returns a word from either of two members; one of them may be empty or missing.
    /// - Parameter strict: the word that takes precedence, because it hides a message from the customer.
    private static func word(_ places: [String?], preferring strict: String) -> String? {
        let words = places.compactMap { $0 }.filter { !$0.isEmpty }
        return words.contains(strict) ? strict : words.first
    }
}
