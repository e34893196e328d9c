internal import Core
internal import HelpDesk
internal import JSON
internal import Time

/// A webhook of Sendbird Chat about a message of a channel. Fields that are not known are ignored; most of the others may be missing.
struct ChatWebhook: Sendable {
    enum Category: String, Sendable {
        case sent = "group_channel:message_send"
        case updated = "group_channel:message_update"
    }

    /// The writer of a message, as far as the webhook itself shows it.
    enum Writer: Sendable {
        case support
        case administrator
        /// A bot that the app names. A customer can make it repeat a text.
        case namedBot
        /// Somebody with a bot's custom type in an app that does not name its bots, as a customer may have; or Sendbird itself after an act
        /// of a member.
        case automatic
        /// A user with a bot's custom type whom the app's bots do not include.
        case unnamedBot
        /// A customer, another member of the channel, or a stranger.
        case other

        /// Whether a message counts as a bot's, for which a customer may be the cause.
        var mayBeBot: Bool { self == .namedBot || self == .automatic }
    }

    private static let ticketChannel = "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"

    let category: Category
    let content: MessageClass
    let writer: Writer
    let messageID: HelpDeskID
    let channel: HelpDeskID
    /// The message's text; of a bot's, without the quick replies that its model has embedded, which apps show apart from it.
    let text: String
    /// The user id of the writer; nil where none is named.
    let senderID: String?
    let senderName: String?
    /// See `AvatarURL.read`; nil unless the writer is of support or a named bot, because phones load it, and a customer can write as
    /// others.
    let senderAvatar: String?
    let file: Comment.Attachment?
    /// When the message was written or changed; nil when that is not said.
    let occurredAt: UnixMilliseconds?
    /// The one member of the channel who is neither of support nor a named bot; nil when the webhook has no members, several such, or one
    /// whose id cannot be read.
    let customerID: String?

    /// Whether it brings a new message for the customer, which is recognised by its own identity; otherwise it is about a question.
    var isComment: Bool {
        switch content {
        case .comment, .preview: true
        case .closure, .satisfaction, .agentsOnly: false
        }
    }

    func messageIdentity(_ appID: String) -> Event.Identity {
        Event.Identity(appID: appID, ticketID: channel, commentID: messageID, deviceID: "")
    }

    /// Reads a webhook's body.
    /// - Parameters:
    ///   - appID: the app whose path it came to.
    ///   - bots: the user ids of that app's bots; nil when it does not name them.
    /// - Returns: nil when it is about no message of a ticket: another category, or another kind of channel.
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

    /// The category of a webhook of the app whose path it came to.
    static func category(_ root: WebhookFields, appID: String) throws(WebhookError) -> String {
        let name = try root.requiredString("category", "a string such as group_channel:message_send")
        if let named = root.string("app_id"), ByteKey(named) != ByteKey(appID) {
            throw .unexpected(path: root.path(of: "app_id"), expectation: "the app_id of the path")
        }
        return name
    }

    /// Whether a channel is a ticket's, or may be one.
    static func isOfTicket(_ channel: WebhookFields) -> Bool { channel.string("custom_type").map { $0 == ticketChannel } ?? true }

    private static func writer(_ sender: String?, isOfAdministrator: Bool, customType: String, _ bots: Set<ByteKey>?) -> Writer {
        if let sender, SupportAccount.isSupport(sender) { return .support }
        // No customer can send a message of an administrator. Auto event messages report acts of members, and quote names they chose.
        if isOfAdministrator { return customType == MessageClass.autoEventType ? .automatic : .administrator }
        guard let sender else { return .other }
        let looksLikeBot = [MessageClass.botType, MessageClass.autoEventType].contains(customType)
        guard let bots else { return looksLikeBot ? .automatic : .other }
        return bots.contains(ByteKey(sender)) ? .namedBot : looksLikeBot ? .unnamedBot : .other
    }

    /// - Parameter members: the user ids; nil for one that cannot be read.
    private static func customer(among members: [String?], _ bots: Set<ByteKey>?) -> String? {
        let others = members.filter { member in
            guard let member else { return true }
            return !SupportAccount.isSupport(member) && bots?.contains(ByteKey(member)) != true
        }
        guard others.count == 1, let customer = others[0], FieldGrammar.problem(ofUserID: customer.utf8.span) == nil else { return nil }
        return customer
    }

    /// A word in one of two locations, of which one may be empty or missing.
    /// - Parameter strict: the word that takes precedence in either location, because it hides a message from the customer.
    private static func word(_ places: [String?], preferring strict: String) -> String? {
        let words = places.compactMap { $0 }.filter { !$0.isEmpty }
        return words.contains(strict) ? strict : words.first
    }
}
