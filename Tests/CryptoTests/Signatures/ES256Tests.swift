import Synchronization
import TestSupport
import Testing

@testable import Crypto

struct ES256Tests {
    private static let message = Array("a message to sign".utf8)

    private static func key() throws -> ES256PrivateKey {
        try ES256PrivateKey(pem: TestKey.sharedP256.privatePEM.utf8.span)
    }

    @Test func `the openssl command verifies our signature`() throws {
        let files = try SignatureFiles(.sharedP256, message: Self.message)
        let signature = try Self.key().sign(Self.message.span)
        #expect(signature.count == 64)
        #expect(try files.accept(#require(ECDSASignature.der(of: signature))))
        var damaged = signature
        damaged[63] ^= 1
        #expect(try !files.accept(#require(ECDSASignature.der(of: damaged))))
    }

    @Test func `we verify a signature of the openssl command`() throws {
        let made = try SignatureFiles(.sharedP256, message: Self.message).sign()
        let raw = try ECDSASignature.raw(ofDER: made.span)
        let key = try ES256PublicKey(pem: TestKey.sharedP256.publicPEM.utf8.span)
        #expect(key.accepts(raw, for: Self.message))
        #expect(!key.accepts(raw, for: Self.message.dropLast()))
        #expect(!key.accepts(made, for: Self.message), "DER is not the form of a token")
    }

    /// RFC 7515 appendix A.3.
    @Test func `we verify the example of the specification`() throws {
        let prefix = try #require(Base64.decode("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"))
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode((prefix + x + y).span))\n-----END PUBLIC KEY-----\n"
        let message = Array(
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ".utf8)
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        let key = try ES256PublicKey(pem: pem.utf8.span)
        #expect(key.accepts(signature, for: message))
        #expect(!key.accepts(signature, for: message.dropFirst()))
    }

    @Test func `only the public key of the pair verifies`() throws {
        let key = try Self.key()
        let signature = try key.sign(Self.message.span)
        #expect(key.publicKey.accepts(signature, for: Self.message))
        let other = try ES256PrivateKey(pem: TestKey.p256().privatePEM.utf8.span)
        #expect(!other.publicKey.accepts(signature, for: Self.message))
    }

    @Test func `a change of any bit of a signature or byte of the message is detected`() throws {
        let key = try Self.key()
        let publicKey = key.publicKey
        let signature = try key.sign(Self.message.span)
        for bit in 0..<512 {
            var damaged = signature
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(!publicKey.accepts(damaged, for: Self.message))
        }
        for index in Self.message.indices {
            var damaged = Self.message
            damaged[index] ^= 1
            #expect(!publicKey.accepts(signature, for: damaged))
        }
    }

    @Test func `a signature of another length or range is rejected`() throws {
        let key = try Self.key()
        let publicKey = key.publicKey
        let signature = try key.sign(Self.message.span)
        for malformed in [[], Array(signature.dropLast()), signature + [0], repeated(0, 64), repeated(0xFF, 64)] {
            #expect(!publicKey.accepts(malformed, for: Self.message))
        }
    }

    /// One r or s in 256 begins with a zero byte, which DER omits and the raw form must contain.
    @Test func `short numbers are padded`() throws {
        let key = try Self.key()
        let publicKey = key.publicKey
        var shortNumbers = 0
        for _ in 0..<2000 {
            let signature = try key.sign(Self.message.span)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            shortNumbers += 1
            #expect(signature.count == 64)
            #expect(publicKey.accepts(signature, for: Self.message))
        }
        // The probability that none is short is below 1 in 6 million.
        #expect(shortNumbers > 0)
        let der: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x7F]
        let raw = try ECDSASignature.raw(ofDER: der.span)
        #expect(raw == repeated(0, 31) + [5] + repeated(0, 31) + [0x7F])
        #expect(ECDSASignature.der(of: raw) == der)
    }

    @Test func `malformed DER has no raw form`() {
        let malformed: [[UInt8]] = [[], [0x30], [0x30, 0x06, 0x02, 0x01, 0x05], [0x30, 0x23, 0x02, 0x21] + repeated(0x7F, 33)]
        for der in malformed {
            #expect(throws: CryptoError.self) { try ECDSASignature.raw(ofDER: der.span) }
        }
        let long = [0x30, 0x26, 0x02, 0x21] + repeated(0x7F, 33) + [0x02, 0x01, 0x01]
        #expect(throws: CryptoError.self) { try ECDSASignature.raw(ofDER: long.span) }
    }

    @Test func `an empty message can be signed`() throws {
        let key = try Self.key()
        let nothing: [UInt8] = []
        let signature = try key.sign(nothing.span)
        #expect(key.publicKey.accepts(signature, for: nothing))
        #expect(!key.publicKey.accepts(signature, for: Self.message))
    }

    @Test func `many threads share one key`() throws {
        let key = try Self.key()
        let publicKey = key.publicKey
        let agreed = Atomic(0)
        onThreads(8) { thread in
            for round in 0..<50 {
                let message = [UInt8(thread), UInt8(round)]
                guard let signature = try? key.sign(message.span) else { continue }
                if publicKey.accepts(signature, for: message) { agreed.add(1, ordering: .relaxed) }
            }
        }
        #expect(agreed.load(ordering: .relaxed) == 400)
    }
}
