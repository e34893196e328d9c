import Bytes
import Crypto
import TestSupport
import Testing

struct SecretBytesTests {
    private let text = "correct-horse-battery"

    private struct Refusal: Error {}

    @Test(arguments: [0, 1, 32, 1000])
    func `returns the copied bytes`(count: Int) {
        let secret = SecretBytes(copying: repeated(9, count).span)
        #expect(secret.count == count)
        #expect(secret.withSpan { Hexadecimal.text($0) } == Hexadecimal.text(repeated(9, count).span))
    }

    @Test func `is filled in place`() {
        let secret = SecretBytes(count: 3) { span in
            for index in span.indices { span[index] += UInt8(index) }
        }
        #expect(secret.withSpan { Hexadecimal.text($0) } == "000102")
    }

    @Test func `rethrows the errors of its closures`() {
        #expect(throws: Refusal.self) { try SecretBytes(count: 3) { _ throws(Refusal) in throw Refusal() } }
        let secret = SecretBytes(copying: text.utf8.span)
        #expect(throws: Refusal.self) { try secret.withSpan { _ throws(Refusal) in throw Refusal() } }
    }

    @Test func `prints no secret`() {
        let secret = SecretBytes(copying: text.utf8.span)
        var dumped = ""
        dump(["secret": secret], to: &dumped)
        for shown in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(shown.contains("<redacted>"))
            #expect(!shown.contains(text))
            #expect(!shown.contains("0x"))
        }
    }

    @Test func `keys an HMAC`() throws {
        let secret = SecretBytes(copying: "my-secret-key".utf8.span)
        let key = try secret.withSpan { span throws(CryptoError) in try HMACKey<SHA1>(secret: span) }
        let code = try key.code { message throws(CryptoError) in try message.append(#"{"task_id": 12345}"#) }
        #expect(Hexadecimal.text(code.span) == "5f469f049573dd4aaa8d02fac6456e633e83f4df")
    }
}
