import Bytes
import Crypto
import TestSupport
import Testing

@Suite struct CertificateKeyTests {
    @Test func `is the digest of the key's complete encoding`() throws {
        let certificate = TestCertificate.shared.certificate
        let directory = try TemporaryDirectory()
        try directory.write("certificate", certificate)
        let command =
            "openssl x509 -in \(directory.path("certificate")) -pubkey -noout | openssl pkey -pubin -outform DER | openssl dgst -sha256 -r"
        let made = try Command("sh", "-c", command)
        let digest = try #require(CertificateKey.digest(ofCertificate: certificate))
        #expect(String(made.output.prefix(64)) == Hexadecimal.text(digest.span))
    }

    @Test func `is that of the first certificate`() throws {
        let (first, second) = (TestCertificate.shared.certificate, try LoopbackCertificate().certificate)
        #expect(CertificateKey.digest(ofCertificate: first + second) == CertificateKey.digest(ofCertificate: first))
        #expect(CertificateKey.digest(ofCertificate: first) != CertificateKey.digest(ofCertificate: second))
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `is unknown without a certificate`(_ text: String) {
        #expect(CertificateKey.digest(ofCertificate: text) == nil)
    }
}
