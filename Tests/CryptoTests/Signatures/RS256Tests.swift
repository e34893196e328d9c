import TestSupport
import Testing

@testable import Crypto

struct RS256Tests {
    private static let message = Array("a message to sign".utf8)

    private static func key() throws -> RS256PrivateKey {
        try RS256PrivateKey(pem: TestKey.sharedRSA.privatePEM.utf8.span)
    }

    @Test func `the openssl command verifies our signature and makes the same one`() throws {
        let files = try SignatureFiles(.sharedRSA, message: Self.message)
        let signature = try Self.key().sign(Self.message.span)
        #expect(signature.count == 256)
        #expect(try files.accept(signature))
        #expect(try files.sign() == signature)
        var damaged = signature
        damaged[128] ^= 1
        #expect(try !files.accept(damaged))
    }

    @Test func `both forms of the private key are equivalent`() throws {
        let older = try RS256PrivateKey(pem: TestKey.sharedRSA.traditionalPEM.utf8.span)
        #expect(TestKey.sharedRSA.traditionalPEM.contains("BEGIN RSA"))
        #expect(try older.signature(of: Self.message) == Self.key().signature(of: Self.message))
    }

    @Test func `both sources of the public key verify`() throws {
        let key = try Self.key()
        let signature = try key.sign(Self.message.span)
        let published = try RS256PublicKey(pem: TestKey.sharedRSA.publicPEM.utf8.span)
        for publicKey in [key.publicKey, published] {
            #expect(publicKey.accepts(signature, for: Self.message))
            #expect(!publicKey.accepts(signature, for: Self.message.dropLast()))
            #expect(!publicKey.accepts(signature.dropLast(), for: Self.message))
            #expect(!publicKey.accepts([UInt8](), for: Self.message))
        }
    }

    @Test func `a change of any byte of a signature is detected`() throws {
        let key = try Self.key()
        let publicKey = key.publicKey
        let signature = try key.sign(Self.message.span)
        for index in signature.indices {
            var damaged = signature
            damaged[index] ^= 0x10
            #expect(!publicKey.accepts(damaged, for: Self.message))
        }
    }
}
