import Crypto
import Testing
import Time

@Suite struct CertificateExpiryTests {
    @Test func `is read from the certificate`() throws {
        let before = SystemClock.unixSeconds().rawValue
        let certificate = try LoopbackCertificate().certificate
        let after = SystemClock.unixSeconds().rawValue
        let expiry = try #require(CertificatePair.expiry(ofCertificate: certificate))
        let life: UInt64 = 30 * 86_400
        #expect((before + life...after + life).contains(expiry))
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `is unknown without a certificate`(_ text: String) {
        #expect(CertificatePair.expiry(ofCertificate: text) == nil)
    }
}
