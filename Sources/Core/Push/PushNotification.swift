package import Time

/// The visible content of a comment's notification, independent of a provider's format.
package struct PushNotification: Sendable, Equatable {
    /// The message exceeds the limit even with an empty body.
    package struct TooLarge: Error, Equatable {}

    /// The largest message that APNs, FCM, RuStore and HMS accept, in bytes.
    package static let largestPayload = 4096
    /// The size for a retry when a provider rejects a message as too large, in bytes.
    package static let shortenedPayload = 2048

    package let title: String
    /// It may have several lines, and is shortened when the message is too large.
    package private(set) var body: String
    /// The https URL of the author's picture; nil for none. It is omitted before the body is shortened.
    package private(set) var avatarURL: String?
    package let sound: String?
    package let badge: Int?
    package let androidChannel: String?
    package let expiresAt: UnixMilliseconds
    private let appID: String
    private let ticketID: HelpDeskID?
    private let channel: HelpDeskID?
    private let commentID: HelpDeskID
    private let createdAt: UnixMilliseconds?
    private let eventID: UUIDv7

    init(
        title: String, body: String, avatarURL: String?, sound: String?, badge: Int?, androidChannel: String?, appID: String,
        ticketID: HelpDeskID?, channel: HelpDeskID?, commentID: HelpDeskID, createdAt: UnixMilliseconds?, eventID: UUIDv7,
        expiresAt: UnixMilliseconds
    ) {
        self.title = title
        self.body = body
        self.avatarURL = avatarURL
        self.sound = sound
        self.badge = badge
        self.androidChannel = androidChannel
        self.appID = appID
        self.ticketID = ticketID
        self.channel = channel
        self.commentID = commentID
        self.createdAt = createdAt
        self.eventID = eventID
        self.expiresAt = expiresAt
    }

    /// Groups the notifications of one ticket or one channel; at most 64 bytes.
    package var thread: String { Self.thread(ticketID: ticketID, channel: channel) }

    static func thread(ticketID: HelpDeskID?, channel: HelpDeskID?) -> String {
        channel.map { "channel-" + short($0) } ?? ticketID.map { "ticket-\($0)" } ?? "ticket"
    }

    /// The comment's time of creation in RFC 3339; nil unless devices compare it with a `PushWithdrawal`.
    package var createdTime: String? { createdAt.map { RFC3339.text($0) } }

    /// Identical for every repetition of this notification and different for every other one: 1 to 64 visible ASCII characters, the form of
    /// APNs' `apns-collapse-id`. A comment id of another form is replaced by a digest.
    package var repetitionID: String {
        "comment-" + Self.short(commentID)
    }

    /// Returns at most 56 visible ASCII characters.
    static func short(_ id: HelpDeskID) -> String {
        let isSendable = id.text.utf8.count <= 56 && id.text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        return isSendable ? id.text : String(UInt64(bitPattern: shortDigest(of: id.text)), radix: 16)
    }

    /// The data with which the app opens the chat. All values are strings: FCM accepts no other type, and JavaScript has no 64-bit
    /// integers.
    package var data: [(key: String, value: String)] {
        [("app_id", appID)] + (ticketID.map { [("ticket_id", $0.text)] } ?? []) + (channel.map { [("channel", $0.text)] } ?? [])
            + [("comment_id", commentID.text), ("event_id", eventID.description)]
            + (createdTime.map { [("created_at", $0)] } ?? []) + (avatarURL.map { [("avatar_url", $0)] } ?? [])
    }

    /// Returns the remaining lifetime in whole seconds, at most four weeks, the maximum that FCM accepts.
    package func lifetimeSeconds(now: UnixMilliseconds) -> UInt64 { Self.lifetimeSeconds(until: expiresAt, now: now) }

    static func lifetimeSeconds(until expiresAt: UnixMilliseconds, now: UnixMilliseconds) -> UInt64 {
        min(now.remaining(until: expiresAt) / 1000, 28 * 86_400)
    }

    /// Renders the message in a provider's format with as much of the body as fits. The body is cut between two characters and ends with an
    /// ellipsis; a character is split only if it is the first and does not fit alone. The avatar is omitted unless the whole body fits
    /// beside it.
    /// - Parameters:
    ///   - limit: the largest message in bytes.
    ///   - render: makes the message; a longer body must make a longer message.
    /// - Throws: when the message is too large even without a body.
    package func fitting(limit: Int, _ render: (PushNotification) -> [UInt8]) throws(TooLarge) -> [UInt8] {
        // Every format encodes a text in at least as many bytes as its UTF-8 form has.
        if body.utf8.count <= limit, case let whole = render(self), whole.count <= limit { return whole }
        if avatarURL != nil { return try withoutAvatar.fitting(limit: limit, render) }
        let empty = render(with(body: PushText.ellipsis))
        guard empty.count <= limit else { throw TooLarge() }
        return longest(cutAt: body.indices, limit: limit, render) ?? longest(cutAt: body.unicodeScalars.indices, limit: limit, render)
            ?? empty
    }

    /// Returns the message with the longest prefix of the body that fits; nil when none fits.
    /// - Parameter ends: positions at which the body may end, in ascending order.
    private func longest(
        cutAt ends: some Sequence<String.Index>, limit: Int, _ render: (PushNotification) -> [UInt8]
    ) -> [UInt8]? {
        let last = body.utf8.index(body.startIndex, offsetBy: limit, limitedBy: body.endIndex) ?? body.endIndex
        let ends = Array(ends.prefix { $0 <= last })
        var best: [UInt8]?
        var (fits, tooLarge) = (0, ends.count)
        while tooLarge - fits > 1 {
            let middle = (fits + tooLarge) / 2
            let message = render(with(body: PushText.shortened(body, to: ends[middle])))
            if message.count <= limit {
                (fits, best) = (middle, message)
            } else {
                tooLarge = middle
            }
        }
        return best
    }

    private var withoutAvatar: PushNotification {
        var notification = self
        notification.avatarURL = nil
        return notification
    }

    private func with(body: String) -> PushNotification {
        var notification = self
        notification.body = body
        return notification
    }
}
