import Crypto
import TestSupport
import Testing

struct CertificatePairTests {
    private static let pair = TestCertificate.shared

    private func problem(certificate: String, key: String) -> CertificatePair.Problem? {
        do throws(CertificatePair.Problem) {
            _ = try CertificatePair.read(certificates: certificate, key: key)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a certificate with its key is accepted`() throws {
        let read = try CertificatePair.read(certificates: Self.pair.certificate, key: Self.pair.key)
        #expect(read.certificates == Self.pair.certificate)
        #expect(read.key == Self.pair.key)
    }

    @Test func `text outside of blocks is ignored`() throws {
        let certificates = "# \u{FC}\n\(Self.pair.key)subject=CN = test\n\(Self.pair.certificate)more"
        let read = try CertificatePair.read(certificates: certificates, key: "# key\n\(Self.pair.certificate)\(Self.pair.key)")
        #expect(read.certificates == Self.pair.certificate)
        #expect(read.key == Self.pair.key)
    }

    @Test func `a damaged certificate in a chain is reported`() throws {
        let damaged =
            try TestCertificate().certificate.split(separator: "\n").dropLast(3).map(String.init)
            + ["-----END CERTIFICATE-----", ""]
        let chain = Self.pair.certificate + damaged.joined(separator: "\n") + Self.pair.certificate
        #expect(problem(certificate: chain, key: Self.pair.key) == .unreadableCertificate)
    }

    @Test func `a certificate that is not the first is reported with its position`() throws {
        let other = try TestCertificate().certificate
        #expect(problem(certificate: other + Self.pair.certificate, key: Self.pair.key) == .wrongOrder(place: 2, count: 2))
        #expect(problem(certificate: Self.pair.certificate + other, key: Self.pair.key) == nil)
    }

    @Test func `another key is reported`() throws {
        let other = try TestCertificate()
        #expect(problem(certificate: Self.pair.certificate, key: other.key) == .mismatch)
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "\u{0}"])
    func `text without a certificate is reported`(text: String) {
        #expect(problem(certificate: text, key: Self.pair.key) == .unreadableCertificate)
        #expect(problem(certificate: Self.pair.certificate, key: text) == .unreadableKey)
    }

    @Test func `an encrypted key is reported without asking for its passphrase`() throws {
        let directory = try TemporaryDirectory()
        let made = try Command("openssl", "genpkey", "-algorithm", "RSA", "-aes256", "-pass", "pass:x", "-out", directory.path("encrypted"))
        #expect(made.status == 0)
        let encrypted = try directory.read("encrypted")
        #expect(problem(certificate: Self.pair.certificate, key: encrypted) == .unreadableKey)
    }
}
