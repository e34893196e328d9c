import Core
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import Service

/// The warning about a certificate without a chain to a trusted authority.
@Suite struct MissingIssuerTests {
    /// - Parameter isWhole: whether the file has the issuer's certificate, too.
    private func issuerWarnings(_ address: String?, isWhole: Bool) throws -> [String] {
        let directory = try ConfigurationDirectory()
        let authority = try TestAuthority()
        let pair = try authority.issue(purpose: "serverAuth", issuerAddress: address)
        try directory.scratch.write("certificate.pem", pair.certificate + (isWhole ? authority.certificate : ""))
        try directory.scratch.write("key.pem", pair.key)
        let listen = #""tls":{"certificate":"certificate.pem","key":"key.pem"}"#
        let configuration = try directory.configuration(ServiceFixture.json(listen: listen))
        return configuration.warnings(now: 0).map { "\($0)".replacing(directory.scratch.path("certificate.pem"), with: "FILE") }
    }

    @Test func `a certificate without its intermediate causes a warning`() throws {
        #expect(
            try issuerWarnings("http://authority.example/ca.der", isWhole: false) == [
                "$.listen.tls.certificate: FILE holds no certificate of its issuer (CN=authority), so browsers and help desks refuse it; "
                    + "append the intermediate certificate (certbot has both in fullchain.pem) and run deskgate reload"
            ])
        #expect(try issuerWarnings("http://authority.example/ca.der", isWhole: true) == [])
    }

    @Test func `a certificate of one's own authority causes none`() throws {
        #expect(try issuerWarnings(nil, isWhole: false) == [])
    }
}
