import Crypto
import TestSupport
import Testing

/// Keys are never passed as arguments of tests, because those are printed; their kinds are.
struct KeyProblemTests {
    private static func flaws(_ text: String) -> (ec: KeyProblem?, rsa: KeyProblem?) {
        var (ec, rsa): (KeyProblem?, KeyProblem?)
        do throws(KeyProblem) { _ = try ES256PrivateKey(pem: text.utf8.span) } catch { ec = error }
        do throws(KeyProblem) { _ = try RS256PrivateKey(pem: text.utf8.span) } catch { rsa = error }
        return (ec, rsa)
    }

    private static func publicFlaws(_ text: String) -> (ec: KeyProblem?, rsa: KeyProblem?) {
        var (ec, rsa): (KeyProblem?, KeyProblem?)
        do throws(KeyProblem) { _ = try ES256PublicKey(pem: text.utf8.span) } catch { ec = error }
        do throws(KeyProblem) { _ = try RS256PublicKey(pem: text.utf8.span) } catch { rsa = error }
        return (ec, rsa)
    }

    @Test func `a valid key of each form has no problem`() {
        #expect(Self.flaws(TestKey.sharedP256.privatePEM).ec == nil)
        #expect(Self.flaws(TestKey.sharedP256.traditionalPEM).ec == nil)
        #expect(Self.flaws(TestKey.sharedRSA.privatePEM).rsa == nil)
        #expect(Self.flaws("Bag Attributes\r\n\r\n" + TestKey.sharedRSA.privatePEM.replacing("\n", with: "\r\n")).rsa == nil)
    }

    @Test(arguments: ["", " ", "no key at all", "\u{0}", "BEGIN PRIVATE KEY", "----", "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg"])
    func `text that is not PEM is reported`(text: String) {
        #expect(Self.flaws(text) == (.notPEM, .notPEM))
        #expect(Self.publicFlaws(text) == (.notPEM, .notPEM))
    }

    @Test func `PEM without a key is reported`() {
        #expect(Self.flaws(TestCertificate.shared.certificate) == (.noKey, .noKey))
        #expect(Self.flaws(TestKey.sharedP256.publicPEM) == (.noKey, .noKey))
        #expect(Self.publicFlaws(TestKey.sharedP256.privatePEM) == (.noKey, .noKey))
        #expect(Self.publicFlaws(TestCertificate.shared.certificate) == (.noKey, .noKey))
    }

    @Test func `JSON with a key is reported`() {
        let text = "{\"private_key\": \"\(TestKey.sharedRSA.privatePEM.replacing("\n", with: "\\n"))\"}"
        #expect(Self.flaws(text) == (.json, .json))
    }

    @Test func `another kind of key is reported`() throws {
        #expect(Self.flaws(TestKey.sharedRSA.privatePEM).ec == .wrongType(found: "RSA", needed: "an EC key on P-256"))
        #expect(Self.flaws(TestKey.sharedP256.privatePEM).rsa == .wrongType(found: "EC", needed: "an RSA key"))
        #expect(Self.publicFlaws(TestKey.sharedRSA.publicPEM).ec == .wrongType(found: "RSA", needed: "an EC key on P-256"))
        #expect(Self.publicFlaws(TestKey.sharedP256.publicPEM).rsa == .wrongType(found: "EC", needed: "an RSA key"))
        let edwards = try TestKey(algorithm: "ED25519")
        #expect(Self.flaws(edwards.privatePEM).ec == .wrongType(found: "ED25519", needed: "an EC key on P-256"))
        #expect(Self.flaws(edwards.privatePEM).rsa == .wrongType(found: "ED25519", needed: "an RSA key"))
        let padded = try TestKey(algorithm: "RSA-PSS", options: "rsa_keygen_bits:2048")
        #expect(Self.flaws(padded.privatePEM).rsa == .wrongType(found: "RSA-PSS", needed: "an RSA key"))
    }

    @Test(arguments: [("P-384", "secp384r1"), ("P-521", "secp521r1"), ("secp256k1", "secp256k1")])
    func `another curve is reported`(curve: String, name: String) throws {
        let key = try TestKey(algorithm: "EC", options: "ec_paramgen_curve:\(curve)", "ec_param_enc:named_curve")
        #expect(Self.flaws(key.privatePEM).ec == .wrongCurve(found: name))
        #expect(Self.publicFlaws(key.publicPEM).ec == .wrongCurve(found: name))
    }

    @Test func `a short key is reported`() throws {
        let key = try TestKey(algorithm: "RSA", options: "rsa_keygen_bits:1024")
        #expect(Self.flaws(key.privatePEM).rsa == .tooShort(bits: 1024))
        #expect(Self.publicFlaws(key.publicPEM).rsa == .tooShort(bits: 1024))
    }

    @Test func `both forms of encryption are reported without asking for the passphrase`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("ec", TestKey.sharedP256.privatePEM)
        try directory.write("rsa", TestKey.sharedRSA.privatePEM)
        for name in ["ec", "rsa"] {
            let modern = try Command(
                "openssl", "pkey", "-in", directory.path(name), "-aes256", "-passout", "pass:x", "-out", directory.path("modern"))
            let older = try Command(
                "openssl", "pkey", "-in", directory.path(name), "-traditional", "-aes256", "-passout", "pass:x", "-out",
                directory.path("older"))
            #expect(modern.status == 0)
            #expect(older.status == 0)
            #expect(try Self.flaws(directory.read("modern")) == (.encrypted, .encrypted))
            #expect(try Self.flaws(directory.read("older")) == (.encrypted, .encrypted))
        }
    }

    @Test func `a truncated key is damaged`() {
        let text = TestKey.sharedP256.privatePEM
        let cut = text.replacing("-----\nM", with: "-----\n")
        #expect(Self.flaws(cut) == (.damaged, .damaged))
        #expect(Self.flaws(String(text.prefix(60))) == (.damaged, .damaged))
        let publicCut = TestKey.sharedP256.publicPEM.replacing("-----\nM", with: "-----\n")
        #expect(Self.publicFlaws(publicCut) == (.damaged, .damaged))
    }

    /// A key with one changed character can often be parsed, but then its parts do not match.
    @Test func `a changed key is never used`() throws {
        var random = SeededGenerator(seed: 1)
        let message = Array("message".utf8)
        let publicKey = try RS256PublicKey(pem: TestKey.sharedRSA.publicPEM.utf8.span)
        var refused = 0
        for _ in 0..<60 {
            var text = Array(TestKey.sharedRSA.privatePEM.utf8)
            let index = Int.random(in: 40..<text.count - 40, using: &random)
            guard text[index] != UInt8(ascii: "\n") else { continue }
            text[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            guard let key = try? RS256PrivateKey(pem: text.span) else {
                refused += 1
                continue
            }
            // A change that keeps the key usable, such as one of an unused private exponent, does not change signatures.
            let signature = try key.sign(message.span)
            #expect(publicKey.accepts(signature, for: message))
        }
        #expect(refused > 0)
    }

    @Test func `every problem has a remedy and no key`() {
        let flaws: [KeyProblem] = [
            .notPEM, .json, .noKey, .encrypted, .damaged, .wrongType(found: "RSA", needed: "an EC key"),
            .wrongCurve(found: "secp384r1"), .tooShort(bits: 1024),
        ]
        #expect(Set(flaws.map(\.description)).count == flaws.count)
        #expect(flaws.allSatisfy { $0.description.hasPrefix("is ") && !$0.description.contains("-----") })
    }
}
