import Core
import Time

/// Also a type of the testing library.
typealias Comment = Core.Comment

extension Comment {
    /// A comment of which a test names what matters.
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
    /// What the phone shows of a comment until the time 100,000.
    func notification(for comment: Comment) -> PushNotification {
        notification(for: comment, eventID: UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0)), expiresAt: 100_000)
    }
}
