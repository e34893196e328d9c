import Core
import JSON
import Time

/// Samples for the tests of several providers. Tokens and texts are stored here because arguments of tests are printed.
enum Sample {
    static let appToken = String(repeating: "0aF9", count: 16)
    static let opaqueToken = "cG9p-x_1:APA91bExample"
    static let now: UnixMilliseconds = 1_800_000_000_000
    static let id = UUIDv7(milliseconds: now, random: InlineArray(repeating: 0))

    static func comment(
        author: String? = "Анна", avatar: String? = nil, text: String = "", files: [String?] = [], appID: String = "app",
        ticketID: HelpDeskID = 9_223_372_036_854_775_807, commentID: HelpDeskID = -9_223_372_036_854_775_808
    ) -> Core.Comment {
        Core.Comment(
            appID: appID, userID: "user", ticketID: ticketID, commentID: commentID, deviceID: "", deviceType: nil, body: text,
            author: author.map { Core.Comment.Author(name: $0, avatarURL: avatar) }, createdAt: nil,
            attachments: files.map { Core.Comment.Attachment(id: 1, name: $0, size: nil) })
    }

    static func notification(
        _ text: String, avatar: String? = nil, expiresAt: UnixMilliseconds = now + 3_600_999, style: PushStyle? = nil
    ) throws -> PushNotification {
        let style = try style ?? PushStyle(content: .full, badge: 1, androidChannel: "support")
        return style.notification(for: comment(avatar: avatar, text: text), eventID: id, expiresAt: expiresAt)
    }

    static func json(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDocument(parsing: bytes.span).value()
    }
}
