import Core
import Crypto
import JSON
import TestSupport
import Testing
import Time

/// A confirmation contains exactly the signed bytes.
@Suite struct BotConfirmationTests {
    private static let now: UnixSeconds = 1_800_000_000

    private func token(_ arguments: JSONObject = ["order_id": "7"], of grant: BotGrant = BotSamples.grant()) -> BotConfirmationToken {
        BotConfirmationToken(grant, function: "cancel_order", arguments: arguments, id: InlineArray { UInt8($0) })
    }

    private func verdict(_ text: String, _ bot: BotDefinition, at now: UnixSeconds = now) throws -> BotConfirmationToken.Verdict {
        try BotConfirmationToken.verdict(on: text, for: bot, now: now)
    }

    @Test func `any arguments survive a round trip`() throws {
        let bot = try BotSamples.bot()
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            for key in [nil, BotSamples.key(.max, issuedAt: SecurityKey.latestTime), BotSamples.key(0, issuedAt: 0, salt: 0)] {
                let grant = BotSamples.grant("u" + BotSamples.text(40, using: &generator), key: key)
                let text = BotSamples.text(200, using: &generator)
                let token = token(["a": .string(text), "b": [1, .real(2.5), nil, true], "c": ["d": .string(text)]], of: grant)
                #expect(try verdict(token.text(for: bot), bot) == .valid(token))
            }
        }
    }

    @Test func `a customer's app can parse it`() throws {
        let keys: [(KeyIdentity?, String)] = [
            (BotSamples.key(), #"{"key_id":1,"issued_at":1799999000,"salt":"09090909090909090909090909090909"}"#), (nil, "null"),
        ]
        for (key, shown) in keys {
            let text = try token(of: BotSamples.grant(key: key)).text(for: BotSamples.bot())
            let payload = try #require(Base64URL.decode(String(text.dropFirst(6).prefix { $0 != "." })))
            #expect(
                String(decoding: payload, as: UTF8.self)
                    == #"{"bot":"orders","app_id":"shop","user_id":"user-1","function":"cancel_order","arguments":{"order_id":"7"},"#
                    + #""id":"000102030405060708090a0b0c0d0e0f","issued_at":1800000000,"expires_at":1800000600,"key":\#(shown)}"#)
        }
    }

    /// Valid signatures of texts whose key is malformed.
    @Test(
        arguments: [
            ("null", #","key":null"#), ("nothing", ""), ("a number", #","key":1"#), ("a text", #","key":"none""#),
            ("an empty object", #","key":{}"#),
            ("no key id", #","key":{"issued_at":1,"salt":"09090909090909090909090909090909"}"#),
            ("a large key id", #","key":{"key_id":4294967296,"issued_at":1,"salt":"09090909090909090909090909090909"}"#),
            ("no time", #","key":{"key_id":1,"salt":"09090909090909090909090909090909"}"#),
            ("an early time", #","key":{"key_id":1,"issued_at":-1,"salt":"09090909090909090909090909090909"}"#),
            ("no salt", #","key":{"key_id":1,"issued_at":1}"#), ("a short salt", #","key":{"key_id":1,"issued_at":1,"salt":"09"}"#),
            ("a wrong salt", #","key":{"key_id":1,"issued_at":1,"salt":"x9090909090909090909090909090909"}"#),
        ] as [(String, String)])
    func `a malformed key is rejected`(_ name: String, _ member: String) throws {
        let payload = Array(
            (#"{"bot":"orders","app_id":"shop","user_id":"user-1","function":"cancel_order","arguments":{},"id":"00","issued_at":1800000000,"#
                + #""expires_at":1800000600\#(member)}"#).utf8)
        let code = try BotSamples.code("deskgate bot confirmation 1") { message throws(CryptoError) in try message.append(payload.span) }
        let text = "dgbc1.\(Base64URL.encode(payload.span)).\(Base64URL.encode(code.span))"
        let isValid = if case .valid = try verdict(text, BotSamples.bot()) { true } else { false }
        #expect(isValid == (name == "null"), "\(name)")
    }

    @Test func `a changed bit is detected`() throws {
        let bot = try BotSamples.bot()
        let bytes = Array(try token().text(for: bot).utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                guard let text = String(validating: changed, as: UTF8.self) else { continue }
                if case .valid = try verdict(text, bot) { Issue.record("bit \(bit) of byte \(index) may change") }
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for count in 0..<text.count {
            if case .valid = try verdict(String(text.prefix(count)), bot) { Issue.record("\(count) characters suffice") }
        }
    }

    @Test func `is valid for one bot`() throws {
        let text = try token().text(for: BotSamples.bot())
        #expect(try verdict(text, BotSamples.bot(secrets: [2])) == .forged)
        #expect(try verdict(text, BotSamples.bot(name: "other")) == .forged)
        #expect(try verdict(text, BotSamples.bot(secrets: [2, 1])) == .valid(token()))
    }

    @Test func `confirmations and tickets are not interchangeable`() throws {
        let bot = try BotSamples.bot()
        #expect(try verdict(BotAccessToken(BotSamples.grant(), startID: 7).text(for: bot), bot) == .malformed)
        #expect(try BotAccessToken.verdict(on: token().text(for: bot), for: bot, now: Self.now) == .malformed)
        // Their keys differ, so one's signature is invalid for the other.
        let payload = try #require(Base64URL.decode(String(try token().text(for: bot).dropFirst(6).prefix { $0 != "." })))
        let ticketKey = try BotSamples.secret(1)
        let signature = try StandardWebhookSignature(id: "a", now: 0, body: payload.span, secrets: [ticketKey]).signature
        let code = try #require(Base64.decode(String(signature.dropFirst(3))))
        #expect(try verdict("dgbc1.\(Base64URL.encode(payload.span)).\(Base64URL.encode(code.span))", bot) == .forged)
    }

    @Test func `ends with the ticket`() throws {
        let bot = try BotSamples.bot()
        let text = try token().text(for: bot)
        #expect(try verdict(text, bot, at: Self.now + 599) == .valid(token()))
        #expect(try verdict(text, bot, at: Self.now + 600) == .expired)
        #expect(try verdict(text, bot, at: Self.now - 61) == .expired)
    }

    @Test func `any text is handled`() throws {
        let bot = try BotSamples.bot()
        for text in ["", "dgbc1.", "dgbc1..", "dgbc1.e30.AAAA", "dgbc1.e30.AAAA.", String(repeating: "A", count: 1 << 20)] {
            let verdict = try verdict(text, bot)
            #expect(verdict == .malformed || verdict == .forged)
        }
    }
}
