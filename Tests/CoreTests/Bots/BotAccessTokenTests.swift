import Core
import Crypto
import TestSupport
import Testing
import Time

/// Only a text that the bot has signed is a ticket, and only for that bot, app and time.
@Suite struct BotAccessTokenTests {
    private static let now: UnixSeconds = 1_800_000_000

    private func ticket(
        app: String = "shop", user: String = "user-1", key: KeyIdentity? = BotSamples.key(), life: UInt64 = 600, startID: UInt64 = 7
    ) -> BotAccessToken {
        BotAccessToken(BotSamples.grant(user, app: app, key: key, issuedAt: Self.now, life: life), startID: startID)
    }

    private func verdict(_ text: String, _ bot: BotDefinition, at now: UnixSeconds = now) throws -> BotAccessToken.Verdict {
        try BotAccessToken.verdict(on: text, for: bot, now: now)
    }

    @Test func `parses any user`() throws {
        let bot = try BotSamples.bot()
        var generator = SeededGenerator(seed: 1)
        let long = ["x", "é", "漢", "\"", "😀"].map { String(repeating: $0, count: $0 == "😀" ? 50 : 100) }
        for user in long + (0..<300).map({ _ in "u" + BotSamples.text(48, using: &generator) }) {
            for key in [nil, Self.key(using: &generator)] {
                let ticket = ticket(
                    app: generator.element(of: bot.apps), user: user, key: key, life: .random(in: 1...3600, using: &generator),
                    startID: generator.next())
                let text = try ticket.text(for: bot)
                #expect(try verdict(text, bot) == .valid(ticket))
                #expect(text.utf8.allSatisfy { (0x21..<0x7F).contains($0) })
                #expect(text.utf8.count <= 358)
            }
        }
    }

    private static func key(using generator: inout SeededGenerator) -> KeyIdentity {
        KeyIdentity(
            keyID: UInt32(truncatingIfNeeded: generator.next()),
            issuedAt: UnixSeconds(rawValue: UInt64.random(in: 0...SecurityKey.latestTime.rawValue, using: &generator)),
            salt: generator.bytes(16))
    }

    @Test(
        arguments: [
            ("the least", KeyIdentity(keyID: 0, issuedAt: 0, salt: [UInt8](repeating: 0, count: 16))),
            ("the most", KeyIdentity(keyID: .max, issuedAt: SecurityKey.latestTime, salt: [UInt8](repeating: 0xFF, count: 16))),
            ("none", nil),
        ] as [(String, KeyIdentity?)])
    func `a ticket contains the security key that started it`(_ name: String, _ key: KeyIdentity?) throws {
        let bot = try BotSamples.bot()
        guard case .valid(let read) = try verdict(ticket(key: key).text(for: bot), bot) else {
            Issue.record("\(name): no ticket")
            return
        }
        #expect(read.grant.key == key, "\(name)")
    }

    @Test(arguments: [(BotSamples.key(), 140), (nil, 106)] as [(KeyIdentity?, Int)])
    func `a typical ticket is short`(_ key: KeyIdentity?, _ count: Int) throws {
        let text = try ticket(user: "2eb8aa08-aa98-11ea-b4aa-73b441d16380", key: key).text(for: BotSamples.bot())
        #expect(text.hasPrefix("dgbt1."))
        #expect(text.utf8.count == count)
    }

    @Test func `a changed bit is detected`() throws {
        let bot = try BotSamples.bot()
        for key in [BotSamples.key(), nil] {
            let bytes = Array(try ticket(user: "漢字", key: key).text(for: bot).utf8)
            for index in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[index] ^= 1 << UInt8(bit)
                    guard let text = String(validating: changed, as: UTF8.self) else { continue }
                    if case .valid = try verdict(text, bot) { Issue.record("bit \(bit) of byte \(index) may change") }
                }
            }
        }
    }

    @Test func `a missing or additional part is detected`() throws {
        let bot = try BotSamples.bot()
        let text = try ticket().text(for: bot)
        for count in 0..<text.count {
            if case .valid = try verdict(String(text.prefix(count)), bot) { Issue.record("\(count) characters suffice") }
            if case .valid = try verdict(String(text.suffix(count)), bot) { Issue.record("the last \(count) characters suffice") }
        }
        for more in ["A", "AA", "AAA", "AAAA", "=", " ", "\n", "."] {
            if case .valid = try verdict(text + more, bot) { Issue.record("more may follow") }
            if case .valid = try verdict(more + text, bot) { Issue.record("more may stand before it") }
        }
    }

    @Test func `any text is handled`() throws {
        let bot = try BotSamples.bot()
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<2000 {
            let bytes = generator.bytes(Int.random(in: 0...300, using: &generator))
            for text in ["dgbt1." + Base64URL.encode(bytes.span), BotSamples.text(40, using: &generator)] {
                if case .valid = try verdict(text, bot) { Issue.record("a random text is a valid ticket") }
            }
        }
        #expect(try verdict(String(repeating: "A", count: 1 << 20), bot) == .malformed)
        #expect(try verdict("dgbt1." + String(repeating: "A", count: 500), bot) == .malformed)
        #expect(try verdict("", bot) == .malformed)
        #expect(try verdict("dgbt1.AAAA", bot) == .malformed)
    }

    @Test func `is valid for one bot and its apps`() throws {
        let bot = try BotSamples.bot()
        let text = try ticket().text(for: bot)
        #expect(try verdict(text, BotSamples.bot(name: "other")) == .otherBot)
        #expect(try verdict(text, BotSamples.bot(apps: ["store"])) == .otherApp)
        #expect(try verdict(text, BotSamples.bot(secrets: [2])) == .forged)
        // The same app name at another position of the list.
        #expect(try verdict(text, BotSamples.bot(apps: ["store", "shop"])) == .valid(ticket()))
    }

    @Test func `secrets rotate`() throws {
        let text = try ticket().text(for: BotSamples.bot(secrets: [1]))
        #expect(try verdict(text, BotSamples.bot(secrets: [2, 1])) == .valid(ticket()))
        #expect(try verdict(ticket().text(for: BotSamples.bot(secrets: [2, 1])), BotSamples.bot(secrets: [2])) == .valid(ticket()))
        #expect(try verdict(text, BotSamples.bot(secrets: [2, 3])) == .forged)
    }

    @Test func `expires at the exact second`() throws {
        let bot = try BotSamples.bot()
        let text = try ticket(life: 600).text(for: bot)
        #expect(try verdict(text, bot, at: Self.now + 599) == .valid(ticket()))
        #expect(try verdict(text, bot, at: Self.now + 600) == .expired)
        #expect(try verdict(text, bot, at: .max) == .expired)
        // A clock that was set back.
        #expect(try verdict(text, bot, at: Self.now - 60) == .valid(ticket()))
        #expect(try verdict(text, bot, at: Self.now - 61) == .expired)
        #expect(try verdict(text, bot, at: 0) == .expired)
    }

    @Test func `a forged ticket is forged at any time`() throws {
        let text = try ticket().text(for: BotSamples.bot(secrets: [2]))
        #expect(try verdict(text, BotSamples.bot(), at: .max) == .forged)
    }
}
