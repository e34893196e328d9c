import Crypto
import TestSupport
import Testing

struct CertificatePairTests {
    private static let pair = TestCertificate.shared

    @Test func `a certificate and its key are right`() {
        #expect(CertificatePair.problem(certificate: Self.pair.certificate, key: Self.pair.key) == nil)
    }

    @Test func `another key is told`() throws {
        let other = try TestCertificate()
        #expect(CertificatePair.problem(certificate: Self.pair.certificate, key: other.key) == .mismatch)
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "\u{0}"])
    func `text that holds nothing is told`(text: String) {
        #expect(CertificatePair.problem(certificate: text, key: Self.pair.key) == .unreadableCertificate)
        #expect(CertificatePair.problem(certificate: Self.pair.certificate, key: text) == .unreadableKey)
    }

    @Test func `an encrypted key is told without asking for its passphrase`() throws {
        let directory = try TemporaryDirectory()
        let made = try Command("openssl", "genpkey", "-algorithm", "RSA", "-aes256", "-pass", "pass:x", "-out", directory.path("encrypted"))
        #expect(made.status == 0)
        let encrypted = try directory.read("encrypted")
        #expect(CertificatePair.problem(certificate: Self.pair.certificate, key: encrypted) == .unreadableKey)
    }
}
