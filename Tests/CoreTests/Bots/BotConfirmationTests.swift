import Core
import Crypto
import JSON
import TestSupport
import Testing
import Time

/// A confirmation is what the bot has signed, to the byte.
@Suite struct BotConfirmationTests {
    private static let now: UnixSeconds = 1_800_000_000
    private static let ticket = BotTicket(appID: "shop", userID: "user-1", issuedAt: now, lifeSeconds: 600, startID: 7)

    private func token(_ arguments: JSONObject = ["order_id": "7"], ticket: BotTicket = ticket) -> BotConfirmationToken {
        BotConfirmationToken(ticket: ticket, function: "cancel_order", arguments: arguments, id: InlineArray { UInt8($0) })
    }

    private func verdict(_ text: String, _ bot: BotDefinition, at now: UnixSeconds = now) throws -> BotConfirmationToken.Verdict {
        try BotConfirmationToken.verdict(on: text, for: bot, now: now)
    }

    @Test func readsBackAnything() throws {
        let bot = try BotSamples.bot()
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            let ticket = BotTicket(
                appID: "shop", userID: "u" + BotSamples.text(40, using: &generator), issuedAt: Self.now, lifeSeconds: 600, startID: 7)
            let text = BotSamples.text(200, using: &generator)
            let token = token(["a": .string(text), "b": [1, .real(2.5), nil, true], "c": ["d": .string(text)]], ticket: ticket)
            #expect(try verdict(token.text(for: bot), bot) == .valid(token))
        }
    }

    @Test func aCustomersAppCanReadIt() throws {
        let text = try token().text(for: BotSamples.bot())
        let payload = try #require(Base64URL.decode(String(text.dropFirst(6).prefix { $0 != "." })))
        #expect(
            String(decoding: payload, as: UTF8.self)
                == #"{"bot":"orders","app_id":"shop","user_id":"user-1","function":"cancel_order","arguments":{"order_id":"7"},"#
                + #""id":"000102030405060708090a0b0c0d0e0f","issued_at":1800000000,"expires_at":1800000600}"#)
    }

    @Test func noBitMayChange() throws {
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

    @Test func isForOneBot() throws {
        let text = try token().text(for: BotSamples.bot())
        #expect(try verdict(text, BotSamples.bot(secrets: [2])) == .forged)
        #expect(try verdict(text, BotSamples.bot(name: "other")) == .forged)
        #expect(try verdict(text, BotSamples.bot(secrets: [2, 1])) == .valid(token()))
    }

    @Test func isNoTicketAndNoTicketIsOne() throws {
        let bot = try BotSamples.bot()
        #expect(try verdict(Self.ticket.text(for: bot), bot) == .malformed)
        #expect(try BotTicket.verdict(on: token().text(for: bot), for: bot, now: Self.now) == .malformed)
        // The key of the one does not sign the other.
        let payload = try #require(Base64URL.decode(String(try token().text(for: bot).dropFirst(6).prefix { $0 != "." })))
        let ticketKey = try BotSamples.secret(1)
        let signature = try StandardWebhookSignature(id: "a", now: 0, body: payload.span, secrets: [ticketKey]).signature
        let code = try #require(Base64.decode(String(signature.dropFirst(3))))
        #expect(try verdict("dgbc1.\(Base64URL.encode(payload.span)).\(Base64URL.encode(code.span))", bot) == .forged)
    }

    @Test func endsWithTheTicket() throws {
        let bot = try BotSamples.bot()
        let text = try token().text(for: bot)
        #expect(try verdict(text, bot, at: Self.now + 599) == .valid(token()))
        #expect(try verdict(text, bot, at: Self.now + 600) == .expired)
        #expect(try verdict(text, bot, at: Self.now - 61) == .expired)
    }

    @Test func anythingIsJudged() throws {
        let bot = try BotSamples.bot()
        for text in ["", "dgbc1.", "dgbc1..", "dgbc1.e30.AAAA", "dgbc1.e30.AAAA.", String(repeating: "A", count: 1 << 20)] {
            let verdict = try verdict(text, bot)
            #expect(verdict == .malformed || verdict == .forged)
        }
    }
}
