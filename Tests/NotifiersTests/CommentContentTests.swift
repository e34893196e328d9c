import Core
import Testing

@testable import Notifiers

@Suite struct CommentContentTests {
    private func content(_ text: String) throws(CommentContent.Unreadable) -> CommentContent {
        try CommentContent(data: Array(text.utf8))
    }

    @Test func readsWhatPeopleSee() throws {
        let content = try content(
            """
            {"ticket_id":1,"comment":{"comment_id":1,"body":"Привет \\u0000"},"author":{"name":"Анна","avatar_id":null},
            "attachments":[{"id":1,"name":"a.png","size":1},{"id":2,"name":null},{"id":3}]}
            """)
        #expect(content.authorName == "Анна" && content.text == "Привет \u{0}" && content.fileNames == ["a.png", nil, nil])
    }

    @Test(arguments: [
        "{\"comment\":{}}", "{\"comment\":{\"body\":null},\"author\":null,\"attachments\":null}",
        "{\"comment\":{\"body\":1},\"author\":{\"name\":[]},\"attachments\":{}}",
    ])
    func doesWithoutTheRest(data: String) throws {
        let content = try content(data)
        #expect(content.authorName == nil && content.text.isEmpty && content.fileNames.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "{}", "{\"comment\":null}", "{\"comment\":\"a\"}", "{\"data\":{\"comment\":{}}}"])
    func refusesWhatHasNoComment(data: String) {
        #expect(throws: CommentContent.Unreadable.self) { try content(data) }
    }

    @Test func takesTheRestFromTheEvent() throws {
        let event = Event(
            id: Sample.id, kind: .commentCreated, identity: Event.Identity(appID: "app", ticketID: 42, commentID: 7, deviceID: "d"),
            userID: "u", occurredAt: 1, receivedAt: 2, expiresAt: 3, data: Array("{\"comment\":{\"body\":\"b\"}}".utf8))
        let expected = PushComment(
            appID: "app", ticketID: 42, commentID: 7, eventID: Sample.id, expiresAt: 3, authorName: nil, text: "b", fileNames: [])
        #expect(try PushComment(event) == expected)
    }
}
