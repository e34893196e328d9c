import Crypto
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct SecretRulesTests {
    private func secret(_ bytes: [UInt8]) -> SecretBytes {
        SecretBytes(copying: bytes.span)
    }

    private func secret(_ text: String) -> SecretBytes {
        secret(Array(text.utf8))
    }

    @Test func `decodes exactly 32 bytes`() {
        for count in 0...64 {
            let decoded = SecretRules.decode(secret(Base64URL.encode([UInt8](repeating: 0xA5, count: count).span)))
            #expect((decoded?.count == 32) == (count == 32))
        }
    }

    @Test func `returns the decoded bytes`() throws {
        let decoded = try #require(SecretRules.decode(secret(TestSecret.text(1))))
        #expect(decoded == secret(TestSecret.bytes(1)))
        #expect(decoded != secret(TestSecret.bytes(2)))
        #expect(decoded != secret(Array(TestSecret.bytes(1).dropLast())))
    }

    @Test func `requires 16 different bytes`() {
        #expect(SecretRules.isWeak(secret((0..<32).map { UInt8($0 % 15) })))
        #expect(!SecretRules.isWeak(secret((0..<32).map { UInt8($0 % 16) })))
    }

    @Test func `requires one unprintable byte`() {
        let typed = (0..<32).map { UInt8(0x20 + $0) }
        #expect(SecretRules.isWeak(secret(typed)))
        #expect(SecretRules.isWeak(secret(Array(typed.dropLast()) + [0x7E])))
        #expect(!SecretRules.isWeak(secret(Array(typed.dropLast()) + [0x7F])))
        #expect(!SecretRules.isWeak(secret(Array(typed.dropLast()) + [0x1F])))
    }

    @Test func `accepts random secrets`() throws {
        for _ in 1...1000 {
            let random: InlineArray<32, UInt8> = try randomBytes()
            #expect(!SecretRules.isWeak(SecretBytes(copying: random.span)))
        }
    }

    @Test func `accepts tokens of 32 visible characters`() {
        let longEnough = String(repeating: "x", count: 31)
        for byte in UInt8.min...UInt8.max {
            #expect(SecretRules.isUsableToken(secret(Array(longEnough.utf8) + [byte])) == (0x21...0x7E).contains(byte))
        }
        #expect(!SecretRules.isUsableToken(secret(longEnough)))
    }

    @Test func `recognises a secret that must not be shown`() throws {
        let digits = String(repeating: "0aF", count: 22)
        let pem = "-----BEGIN PRIVATE KEY-----\n"
        for text in [TestSecret.text(1), try TestKey().text(), pem, "\n\(pem)", digits] {
            #expect(SecretRules.looksLikeSecret(text))
            #expect(printable(text) == "(a possible secret)")
        }
        let others = ["", "DESKGATE_APP_KEY_1", "secrets/app-1.key", TestSecret.text(1) + "x", "dgk1."]
        for text in others + [String(digits.prefix(63)), "\(digits)g"] {
            #expect(!SecretRules.looksLikeSecret(text))
        }
    }

    @Test(arguments: [
        ("postgres://deskgate:word@db/desk", true), ("postgres://deskgate:wo/rd@db/desk", true), ("https://word@example.com", true),
        ("https://example.com/desk", false), ("ann@example.com", false), ("ann@https://example.com", false),
    ])
    func `an address with a user may hold a password`(_ text: String, _ mayHoldSecret: Bool) {
        #expect(SecretRules.mayHoldSecret(text) == mayHoldSecret)
        #expect((printable(text) == text) != mayHoldSecret)
    }
}
