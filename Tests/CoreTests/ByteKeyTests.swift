import Core
import Testing

@Suite struct ByteKeyTests {
    /// One letter, composed and decomposed: equal in Swift, but with different bytes.
    private let composed = ByteKey("caf\u{E9}")
    private let decomposed = ByteKey("cafe\u{301}")

    @Test func `distinguishes spellings of one letter`() {
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect([composed: 1, decomposed: 2].count == 2)
        // U+212B and U+00C5 have the same normal form, and three and two bytes.
        #expect(ByteKey("\u{212B}") != ByteKey("\u{C5}"))
    }

    @Test(arguments: ["", "a", "shop", "Ä", "\u{1F4E6}", String(repeating: "app~", count: 34)])
    func `a dictionary finds its own byte keys`(_ text: String) {
        #expect(ByteKey(text) == ByteKey(String(Array(text))))
        #expect(Set([ByteKey(text)]).contains(ByteKey(text)))
        #expect(ByteKey(text) != ByteKey(text + "x"))
        #expect(ByteKey(text + "a") != ByteKey(text + "b"))
    }

    /// Two spellings of one text that are equivalent in Unicode.
    private static let pairs: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{C5}", "\u{212B}"), ("\u{C5}", "A\u{30A}"), ("\u{3A9}", "\u{2126}"), ("K", "\u{212A}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"), ("\u{1E69}", "s\u{323}\u{307}"), ("\u{AC00}", "\u{1100}\u{1161}"),
        ("\u{8C48}", "\u{F900}"), ("\u{439}", "\u{438}\u{306}"), ("\u{958}", "\u{915}\u{93C}"), ("\u{1D15E}", "\u{1D157}\u{1D165}"),
    ]

    /// All keys that contain a text from a client.
    private static let keys: [(name: String, make: @Sendable (String) -> AnyHashable)] = [
        ("text", { ByteKey($0) }), ("person", { CallWindows.Person(appID: "shop", userID: $0) }),
        ("app of a person", { CallWindows.Person(appID: $0, userID: "user-1") }),
        ("user of a device", { Device.Key(appID: "shop", userID: $0, deviceID: "phone") }),
        ("device", { Device.Key(appID: "shop", userID: "user-1", deviceID: $0) }), ("help desk's id", { HelpDeskID($0) }),
        ("device of an event", { Event.Identity(appID: "shop", ticketID: 7, commentID: 8, deviceID: $0) }),
        ("ticket of an event", { Event.Identity(appID: "shop", ticketID: HelpDeskID($0), commentID: 8, deviceID: "") }),
        ("comment", { Event.Identity(appID: "shop", ticketID: 7, commentID: HelpDeskID($0), deviceID: "") }),
        ("order of a person", { Event.OrderKey.person(ByteKey($0)) }), ("topic", { ConversationState.Name("channel", $0) }),
        ("app of a key", { KeyUse.Name(app: ByteKey($0), keyID: 1) }), ("condition", { OperatorCondition.Key(.diskLow, $0) }),
    ]

    /// If texts shared a hash, each lookup would compare all of them, and a client could slow down all others by its choice of names.
    @Test(arguments: pairs, keys.indices) func `each spelling has its own hash`(_ pair: (String, String), _ index: Int) {
        let key = Self.keys[index]
        let texts = (0..<512).map { number in (0..<9).map { number >> $0 & 1 == 0 ? pair.0 : pair.1 }.joined() }
        #expect(texts.allSatisfy { $0 == texts[0] })
        #expect(Set(texts.map { key.make($0).hashValue }).count == texts.count, "\(key.name)")
    }

    /// The end of each text is hashed, so that two adjacent texts differ from another split of the same bytes.
    @Test func `hashes the end of each text`() {
        let whole = (0...12).map {
            Device.Key(appID: "", userID: String("user-1-phone".prefix($0)), deviceID: String("user-1-phone".dropFirst($0)))
        }
        #expect(Set(whole.map(\.hashValue)).count == whole.count)
    }

    @Test func `is ordered by bytes`() {
        let keys = [ByteKey("b"), ByteKey("Z"), composed, decomposed, ByteKey("")]
        #expect(keys.sorted() == [ByteKey(""), ByteKey("Z"), ByteKey("b"), decomposed, composed])
    }
}
