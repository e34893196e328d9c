import Core
import Time

/// The testing library has a type with this name.
typealias Comment = Core.Comment

extension Comment {
    /// A comment with a test's values and defaults for the rest.
    static func sample(
        author: String? = "Анна", avatar: String? = nil, text: String = "", files: [String?] = [], ticketID: HelpDeskID = 42,
        commentID: HelpDeskID = 7,
        deviceID: String = "", deviceType: String? = nil
    ) -> Comment {
        Comment(
            appID: "app", userID: "user", ticketID: ticketID, commentID: commentID, deviceID: deviceID, deviceType: deviceType, body: text,
            author: author.map { Author(name: $0, avatarURL: avatar) }, createdAt: nil,
            attachments: files.map { Attachment(id: 1, name: $0, size: nil) })
    }
}

extension PushStyle {
    /// The push notification for a comment, which expires at the time 100,000.
    func notification(for comment: Comment) -> PushNotification {
        notification(for: comment, eventID: UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0)), expiresAt: 100_000)
    }
}
