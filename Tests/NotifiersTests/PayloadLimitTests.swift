import Core
import JSON
import TestSupport
import Testing
import Time

@testable import Notifiers

@Suite struct PayloadLimitTests {
    private static let pieces = [
        "a", "Ж", "漢", "\"", "\\", "\n", " ", "😀", "👨‍👩‍👧‍👦", "🇷🇺", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "e\u{301}\u{302}", "❤️", "\u{200F}", "\u{0}", "\r\n", "/", "\u{7F}",
        "\u{1F}", "नि",
    ]

    /// Ten thousand bytes of one kind of character.
    @Test(arguments: Format.allCases, ["a", "Привет, мир! ", "👨‍👩‍👧‍👦", "🇷🇺🇩🇪", "\"", "e\u{301}", "строка\n"])
    func `long texts are cut between characters`(format: Format, piece: String) throws {
        let text = PushText.paragraphs(String(repeating: piece, count: 10_000 / piece.utf8.count))
        let message = try format.body(Sample.notification(text))
        #expect((PushNotification.largestPayload - 60...PushNotification.largestPayload).contains(message.count))
        let shown = try #require(format.shownBody(try Sample.json(message)))
        #expect(shown.last == "…")
        let kept = Array(shown).dropLast()
        #expect(kept.count > 20)
        #expect(kept.elementsEqual(Array(text).prefix(kept.count)))
    }

    @Test(arguments: Format.allCases, ["\u{301}", "\u{489}", "\u{20DD}", "\u{200D}", "\u{E0061}", "\u{FE0F}", "\u{0E38}", "\u{1F3FD}"])
    func `a letter with many marks leaves a text`(format: Format, mark: String) throws {
        let text = "A" + String(repeating: mark, count: 5000)
        let message = try format.body(Sample.notification(text))
        #expect((PushNotification.largestPayload - 60...PushNotification.largestPayload).contains(message.count))
        let shown = try #require(format.shownBody(try Sample.json(message)))
        #expect(shown.unicodeScalars.first == "A")
        #expect(shown.unicodeScalars.count > 200)
        #expect(shown.unicodeScalars.last == "…")
    }

    /// One byte more than the limit truncates the text, and one less does not.
    @Test(arguments: Format.allCases, ["a", "\""])
    func `the limit is exact`(format: Format, piece: String) throws {
        let frame = try format.body(Sample.notification("x")).count - 1
        let room = PushNotification.largestPayload - frame
        let quotes = String(repeating: piece, count: piece == "a" ? room : room / 2)
        let text = quotes + String(repeating: "b", count: piece == "a" ? 0 : room % 2)
        let whole = try format.body(Sample.notification(text))
        #expect(whole.count == PushNotification.largestPayload)
        #expect(format.shownBody(try Sample.json(whole)) == text)
        let cut = try format.body(Sample.notification(text + "b"))
        #expect(cut.count <= PushNotification.largestPayload)
        #expect(cut.count >= PushNotification.largestPayload - 2)
        let shown = try #require(format.shownBody(try Sample.json(cut)))
        #expect(shown.hasSuffix("…"))
        #expect(text.hasPrefix(shown.dropLast()))
    }

    @Test(arguments: Format.allCases)
    func `the avatar is dropped before the text is cut`(format: Format) throws {
        let avatar = "https://example.com/" + String(repeating: "a", count: 900)
        let short = try format.body(Sample.notification("text", avatar: avatar))
        #expect(format.shownAvatar(try Sample.json(short)) == avatar)
        let text = String(repeating: "a", count: 3000)
        let long = try format.body(Sample.notification(text, avatar: avatar))
        let plain = try format.body(Sample.notification(text))
        #expect(format.shownAvatar(try Sample.json(long)) == nil)
        #expect(format.shownBody(try Sample.json(long)) == text)
        #expect(long == plain)
    }

    @Test(arguments: Format.allCases)
    func `can be shortened`(format: Format) throws {
        let notification = try Sample.notification(String(repeating: "Ж", count: 3000))
        let message = try format.body(notification, limit: PushNotification.shortenedPayload)
        #expect((PushNotification.shortenedPayload - 1...PushNotification.shortenedPayload).contains(message.count))
    }

    @Test(arguments: Format.allCases)
    func `reports a message that cannot fit`(format: Format) throws {
        let notification = try Sample.notification("text")
        #expect(throws: PushPayloadError.tooLarge) { try format.body(notification, limit: 100) }
        #expect(PushPayloadError.tooLarge.outcome == DeliveryOutcome(.dead, reason: "payload_too_large", calledReceiver: false))
    }

    /// The longest values of all fields that are not cut, each character with the largest encoding.
    @Test(arguments: Format.allCases, ["\"", "漢", "\\"])
    func `there is always room for a text`(format: Format, piece: String) throws {
        let long = String(repeating: "a", count: 64)
        let style = try PushStyle(content: .full, sound: long, badge: 99_999, androidChannel: long)
        let name = String(repeating: piece, count: 2000)
        // An identity of quotes alone would find no room, because HMS contains it as JSON within JSON.
        let id = try #require(HelpDeskID(String(repeating: piece == "漢" ? piece : "a", count: 255 / piece.utf8.count)))
        for id in [id, HelpDeskID(Int64.min)] {
            let comment = Sample.comment(
                author: name, text: name, appID: String(repeating: piece, count: 255), ticketID: id, commentID: id)
            let notification = style.notification(for: comment, eventID: Sample.id, expiresAt: .max)
            #expect(try format.body(notification).count <= PushNotification.largestPayload)
            let token = String(repeating: "a", count: OpaqueToken.longest)
            #expect(throws: Never.self) { try FCMMessage.body(notification, token: token, now: 0) }
            #expect(throws: Never.self) { try HMSMessage.body(notification, token: token, now: 0) }
        }
    }

    @Test(arguments: 0..<60)
    func `any text becomes valid JSON within the limit`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let style = try PushStyle(
            content: random.element(of: PushContent.allCases), templates: random.element(of: [.english, .russian]),
            sound: random.element(of: [nil, "default", "ding"]), badge: random.element(of: [nil, 0, 1]))
        for _ in 0..<6 {
            let long = text(upTo: 3000, &random)
            let files = (0..<Int.random(in: 0...30, using: &random)).map { _ in text(upTo: 40, &random) as String? }
            let comment = Sample.comment(
                author: text(upTo: 200, &random), avatar: random.element(of: [nil, "https://example.com/17"]),
                text: random.element(of: ["", long]), files: files, appID: text(upTo: 30, &random))
            let notification = style.notification(for: comment, eventID: Sample.id, expiresAt: Sample.now + 3_600_999)
            for format in Format.allCases {
                let message = try format.body(notification)
                #expect(message.count <= PushNotification.largestPayload)
                let shown = try #require(format.shownBody(try Sample.json(message)))
                #expect(!shown.isEmpty)
                let isWhole = shown.utf8.elementsEqual(notification.body.utf8)
                #expect(isWhole || notification.body.hasPrefix(shown.dropLast()) && shown.last == "…")
            }
        }
    }

    private func text(upTo count: Int, _ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            guard Int.random(in: 0..<4, using: &random) == 0 else { return random.element(of: Self.pieces) }
            return String(Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) ?? "?")
        }.joined()
    }
}
