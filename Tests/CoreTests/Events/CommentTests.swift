import Core
import JSON
import TestSupport
import Testing
import Time

@Suite struct CommentTests {
    private static let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))

    private func event(_ comment: Comment) -> Event {
        Event(comment, id: Self.id, receivedAt: 1_773_130_512_250, lifetimeMilliseconds: 60_000)
    }

    private func data(_ comment: Comment) -> String { String(decoding: event(comment).data, as: UTF8.self) }

    private func read(_ data: String) -> Comment? {
        Comment(
            Event(
                id: Self.id, kind: .commentCreated, identity: Event.Identity(appID: "app", ticketID: 42, commentID: "c", deviceID: "d"),
                userID: "u", deviceType: "ios", occurredAt: 1, receivedAt: 2, expiresAt: 3, data: Array(data.utf8)))
    }

    @Test func `the data has exactly these bytes`() {
        let full = Comment(
            appID: "shop", userID: "user-1", ticketID: 9_007_199_254_740_993, commentID: 71, deviceID: "device-1", deviceType: "ios",
            body: "Say \"Готово\"\n",
            author: Comment.Author(name: "Ann", avatarID: 17, avatarURL: "https://example.com/17", avatarColor: "abcdef"),
            createdAt: 1_773_130_512_000,
            attachments: [Comment.Attachment(id: 5, name: "a.png", size: 1024), Comment.Attachment(id: "f/1", name: nil, size: nil)])
        #expect(
            data(full) == #"""
                {"ticket_id":9007199254740993,"device_id":"device-1","device_type":"ios","comment":{"comment_id":71,"body":"Say \"Готово\"\n"},\#
                "author":{"name":"Ann","avatar_id":17,"avatar_url":"https://example.com/17","avatar_color":"abcdef"},\#
                "created_at":"2026-03-10T08:15:12.000Z",\#
                "attachments":[{"id":5,"name":"a.png","size":1024},{"id":"f/1","name":null,"size":null}]}
                """#)
        let bare = Comment(
            appID: "shop", userID: "user-1", ticketID: "sendbird_desk_1", commentID: "007", deviceID: "", deviceType: nil, body: "",
            author: nil, createdAt: nil, attachments: [])
        #expect(
            data(bare) == #"""
                {"ticket_id":"sendbird_desk_1","device_id":null,"device_type":null,"comment":{"comment_id":"007","body":""},"author":null,\#
                "created_at":"2026-03-10T08:15:12.250Z","attachments":[]}
                """#)
    }

    @Test func `the event has the comment's fields`() {
        let event = event(.sample(text: "a", deviceID: "d", deviceType: "ios"))
        #expect(event.kind == .commentCreated)
        #expect(event.userID == "user")
        #expect(event.deviceType == "ios")
        #expect(event.identity == Event.Identity(appID: "app", ticketID: 42, commentID: 7, deviceID: "d"))
        #expect(event.orderKey == .ticket(42))
        #expect(event.occurredAt == 1_773_130_512_250)
        #expect(event.expiresAt == 1_773_130_572_250)
    }

    /// Any text survives a round trip; a missing time is replaced by the time of arrival.
    @Test(arguments: 0..<30) func `a comment survives a round trip`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let comment = Self.random(&random)
            let event = event(comment)
            let read = try #require(Comment(event))
            #expect(read == comment.with(createdAt: comment.createdAt ?? event.receivedAt))
            // Swift compares strings by canonical equivalence, so the data is compared as bytes.
            #expect(self.event(read).data == event.data)
            #expect(self.event(read).identity == event.identity)
            #expect(JSONValue(parsing: event.data) != nil)
        }
    }

    @Test func `parses the visible fields`() throws {
        let comment = try #require(
            read(
                """
                {"ticket_id":1,"comment":{"comment_id":1,"body":"Привет \\u0000"},"author":{"name":"Анна","avatar_id":null},
                "attachments":[{"id":1,"name":"a.png","size":1},{"id":2,"name":null},{"id":3}]}
                """))
        #expect(comment.author?.name == "Анна")
        #expect(comment.body == "Привет \u{0}")
        #expect(comment.attachments.map(\.name) == ["a.png", nil, nil])
        #expect(comment.attachments.map(\.id) == [1, 2, 3])
    }

    @Test(arguments: [
        "{\"comment\":{}}", "{\"comment\":{\"body\":null},\"author\":null,\"attachments\":null}",
        "{\"comment\":{\"body\":1},\"author\":{\"name\":[]},\"attachments\":{}}",
    ])
    func `parses data without the optional fields`(data: String) throws {
        let comment = try #require(
            read(data))
        #expect(comment.author?.name == nil)
        #expect(comment.body.isEmpty)
        #expect(comment.attachments.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "{}", "{\"comment\":null}", "{\"comment\":\"a\"}", "{\"data\":{\"comment\":{}}}"])
    func `rejects data without a comment`(data: String) {
        #expect(read(data) == nil)
    }

    @Test func `takes missing fields from the event`() throws {
        let expected = Comment(
            appID: "app", userID: "u", ticketID: 42, commentID: "c", deviceID: "d", deviceType: "ios", body: "b", author: nil, createdAt: 1,
            attachments: [])
        #expect(read("{\"comment\":{\"body\":\"b\"}}") == expected)
    }

    @Test func `rejects other events`() {
        let test = Event(OperatorTest(appID: "app", notifier: "crm"), id: Self.id, now: 1, lifetimeMilliseconds: 1)
        #expect(Comment(test) == nil)
    }

    private static func random(_ random: inout SeededGenerator) -> Comment {
        let pieces = ["a", "\"", "\\", "\n", "\u{0}", "ж", "😀", "👨‍👩‍👧‍👦", "e\u{301}", "\u{E9}", "{", "null", "\u{202E}"]
        func text() -> String { (0..<Int.random(in: 0..<8, using: &random)).map { _ in random.element(of: pieces) }.joined() }
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { Bool.random(using: &random) ? value() : nil }
        func id() -> HelpDeskID { random.element(of: [0, -1, 9_223_372_036_854_775_807, "007", "канал \"1\"", "x"]) }
        return Comment(
            appID: text(), userID: text(), ticketID: id(), commentID: id(), deviceID: text(), deviceType: maybe(text()), body: text(),
            author: maybe(
                Comment.Author(name: maybe(text()), avatarID: maybe(id()), avatarURL: maybe(text()), avatarColor: maybe(text()))),
            createdAt: maybe(UnixMilliseconds(UInt64.random(in: 0...253_402_300_799_999, using: &random))),
            attachments: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                Comment.Attachment(id: maybe(id()), name: maybe(text()), size: maybe(Int64.random(in: .min ... .max, using: &random)))
            })
    }
}

extension Comment {
    fileprivate func with(createdAt: UnixMilliseconds) -> Comment {
        Comment(
            appID: appID, userID: userID, ticketID: ticketID, commentID: commentID, deviceID: deviceID, deviceType: deviceType, body: body,
            author: author, createdAt: createdAt, attachments: attachments)
    }
}
