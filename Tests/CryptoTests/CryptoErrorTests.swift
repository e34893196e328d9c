import Bytes
import Crypto
import TestSupport
import Testing

/// A hash unknown to every provider, which makes OpenSSL fail.
private enum UnknownHash: HashFunction {
    static var name: String { "no-such-digest" }
}

struct CryptoErrorTests {
    private static let secret = Array("never-in-an-error-text".utf8)

    private func failure() -> CryptoError? {
        #expect(throws: CryptoError.self) { try HMACKey<UnknownHash>(secret: Self.secret.span) }
    }

    @Test func `a failure has the operation and OpenSSL's reason, and no secret`() throws {
        let error = try #require(failure())
        #expect(error.operation == .keyHMAC)
        #expect(error.reasons.contains { $0.contains("unsupported") })
        #expect(error.description.hasPrefix("could not key an HMAC: error:"))
        #expect(!String(reflecting: error).contains("never-in-an-error-text"))
    }

    @Test func `a failure does not repeat earlier reasons`() throws {
        let first = try #require(failure())
        let second = try #require(failure())
        #expect(first == second)
    }

    @Test func `a key works after another failed`() throws {
        _ = failure()
        let code = try HMACKey<SHA1>(secret: Self.secret.span).code { message throws(CryptoError) in try message.append("x") }
        #expect(Hexadecimal.text(code.span).count == 40)
    }

    @Test func `an empty secret is refused`() {
        let error = #expect(throws: CryptoError.self) { try HMACKey<SHA256>(secret: [UInt8]().span) }
        #expect(error?.description == "could not key an HMAC: the secret is empty")
    }
}
