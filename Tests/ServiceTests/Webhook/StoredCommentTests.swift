
@testable import Configuration
@testable import Dispatch
@testable import Notifiers
@testable import Operators
@testable import Service
import Testing

/// That what is stored of a webhook is what push notifications read.
@Suite struct StoredCommentTests {
    @Test func whatIsStoredIsRead() throws {
        let comment = WebhookComment(
            appID: "app", userID: "user", ticketID: 1, commentID: 2, deviceID: "", deviceType: nil, body: "Готово \"\n👨‍👩‍👧‍👦", isInbound: false,
            author: WebhookComment.Author(name: "Анна", avatarID: nil, avatarColor: nil), createdAt: nil,
            attachments: [
                WebhookComment.Attachment(id: 1, name: "a.png", size: nil), WebhookComment.Attachment(id: 2, name: nil, size: 3),
            ])
        let content = try CommentContent(data: comment.data(occurredAt: 0))
        #expect(content.authorName == "Анна" && content.text == "Готово \"\n👨‍👩‍👧‍👦" && content.fileNames == ["a.png", nil])
    }

    @Test func theLeastIsRead() throws {
        let comment = WebhookComment(
            appID: "app", userID: "user", ticketID: 1, commentID: 2, deviceID: "", deviceType: nil, body: "", isInbound: false, author: nil,
            createdAt: nil, attachments: [])
        let content = try CommentContent(data: comment.data(occurredAt: 0))
        #expect(content.authorName == nil && content.text.isEmpty && content.fileNames.isEmpty)
    }
}
