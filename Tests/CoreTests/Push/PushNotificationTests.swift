import Core
import TestSupport
import Testing
import Time

@Suite struct PushNotificationTests {
    private func notification(_ text: String, ticketID: HelpDeskID = 42) throws -> PushNotification {
        try PushStyle(content: .full).notification(for: .sample(text: text, ticketID: ticketID))
    }

    /// A format with ten bytes around the body, in which a quote takes two bytes.
    private func render(_ notification: PushNotification) -> [UInt8] {
        Array("<<<<<\(notification.body)>>>>>".utf8).flatMap { $0 == UInt8(ascii: "\"") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    private func fitted(_ text: String, _ limit: Int) throws -> String {
        let bytes = try notification(text).fitting(limit: limit, render)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `contains the identifiers that open the chat`() throws {
        let notification = try notification("a", ticketID: 9_223_372_036_854_775_807)
        #expect(notification.thread == "ticket-9223372036854775807")
        #expect(notification.repetitionID == "comment-7")
        #expect(
            notification.data.map { "\($0.key)=\($0.value)" } == [
                "app_id=app", "ticket_id=9223372036854775807", "comment_id=7", "event_id=00000000-0001-7000-8000-000000000000",
            ])
    }

    private static let avatar = "https://example.com/avatars/17"

    @Test func `the avatar is dropped before the text is cut`() throws {
        func render(_ notification: PushNotification) -> [UInt8] { Array("<\(notification.avatarURL ?? "")|\(notification.body)>".utf8) }
        let notification = try PushStyle(content: .full).notification(for: .sample(avatar: Self.avatar, text: "hello"))
        let whole = "<\(Self.avatar)|hello>"
        for (limit, message) in [(whole.utf8.count, whole), (whole.utf8.count - 1, "<|hello>"), (8, "<|hello>"), (7, "<|h…>")] {
            #expect(String(decoding: try notification.fitting(limit: limit, render), as: UTF8.self) == message)
        }
    }

    @Test func `a text that is cut has no avatar`() throws {
        func render(_ notification: PushNotification) -> [UInt8] { Array("<\(notification.avatarURL ?? "")|\(notification.body)>".utf8) }
        let text = String(repeating: "a", count: 100)
        let notification = try PushStyle(content: .full).notification(for: .sample(avatar: Self.avatar, text: text))
        let cut = try notification.fitting(limit: 99, render)
        #expect(String(decoding: cut, as: UTF8.self) == "<|\(String(repeating: "a", count: 93))…>")
    }

    @Test func `the app gets the avatar and the identifiers that open the chat`() throws {
        let notification = try PushStyle(content: .author).notification(for: .sample(avatar: Self.avatar))
        #expect(notification.data.map(\.key) == ["app_id", "ticket_id", "comment_id", "event_id", "avatar_url"])
        #expect(notification.data.last?.value == Self.avatar)
    }

    @Test func `identifiers of any form open the chat`() throws {
        let notification = try PushStyle(content: .full).notification(for: .sample(ticketID: "канал \"1\"", commentID: "007"))
        #expect(notification.thread == "ticket-канал \"1\"")
        #expect(notification.repetitionID == "comment-007")
        #expect(notification.data[1].value == "канал \"1\"" && notification.data[2].value == "007")
    }

    /// APNs accepts 1 to 64 bytes, and an invalid header value would prevent the push.
    @Test func `the collapse id is a short word`() throws {
        let texts =
            [1, 55, 56, 57, 58, 255].map { String(repeating: "x", count: $0) } + ["a b", " ", "e\u{301}", "\u{E9}", "a\u{80}"]
        var seen: Set<String> = []
        for text in texts {
            let id = try PushStyle(content: .full).notification(for: .sample(commentID: #require(HelpDeskID(text)))).repetitionID
            #expect((1...64).contains(id.utf8.count))
            #expect(id.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(id == "comment-\(text)" || !text.utf8.allSatisfy { (0x21...0x7E).contains($0) } || text.utf8.count > 56)
            seen.insert(id)
        }
        #expect(seen.count == texts.count)
    }

    @Test(arguments: [(0, 100), (99_000, 1), (99_001, 0), (100_000, 0), (.max, 0)] as [(UnixMilliseconds, UInt64)])
    func `expires with the event`(now: UnixMilliseconds, seconds: UInt64) throws {
        #expect(try notification("a").lifetimeSeconds(now: now) == seconds)
    }

    @Test func `has a lifetime of four weeks at most`() throws {
        let id = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0))
        let notification = try PushStyle(content: .full).notification(for: .sample(text: "a"), eventID: id, expiresAt: .max)
        #expect(notification.lifetimeSeconds(now: 0) == 2_419_200)
    }

    @Test(arguments: [
        ("hello", 15, "hello"), ("hello", 14, "h…"), ("hello", 13, "…"), ("he\"lo", 16, "he\\\"lo"), ("he\"lo", 15, "he…"),
        ("a\"\"\"b", 17, "a\\\"…"), ("Привет", 22, "Привет"), ("Привет", 21, "Прив…"), ("🇩🇪🇫🇷🇷🇺", 33, "🇩🇪🇫🇷…"), ("🇩🇪🇫🇷🇷🇺", 28, "🇩🇪…"),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 59, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 37, "👨\u{200D}👩\u{200D}👧\u{200D}…"), ("ab cd ef", 17, "ab c…"), ("ab cd ef", 16, "ab…"),
    ])
    func `the body is cut to the exact byte`(text: String, limit: Int, body: String) throws {
        #expect(try fitted(text, limit) == "<<<<<\(body)>>>>>")
    }

    @Test func `fails without room for anything`() {
        #expect(throws: PushNotification.TooLarge.self) { try fitted("hello", 12) }
        #expect(throws: PushNotification.TooLarge.self) { try fitted("he", 11) }
    }

    /// Compared with a simple implementation that removes one character at a time.
    @Test(arguments: 0..<20)
    func `keeps as many characters as fit`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = ["a", "\"", "ж", "😀", "🇩🇪", "👨‍👩‍👧‍👦", "e\u{301}", " ", "\n"]
        let text = "x" + (0..<25).map { _ in random.element(of: pieces) }.joined()
        let notification = try notification(text)
        let whole = render(notification).count
        for limit in 13...whole {
            let fitted = try notification.fitting(limit: limit, render)
            let expected = (0...notification.body.count).reversed().lazy.map { count -> [UInt8] in
                guard count < notification.body.count else { return self.render(notification) }
                var prefix = String(notification.body.prefix(count))
                while prefix.last?.isWhitespace == true { prefix.removeLast() }
                return Array("<<<<<\(prefix)…>>>>>".utf8).flatMap { $0 == UInt8(ascii: "\"") ? [UInt8(ascii: "\\"), $0] : [$0] }
            }
            #expect(fitted == expected.first { $0.count <= limit })
        }
    }
}
