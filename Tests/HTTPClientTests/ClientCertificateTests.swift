import TestSupport
import Testing

@testable import HTTPClient

/// openssl's own server, which requires a client certificate.
@Suite struct ClientCertificateTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("certificate", TestCertificate.shared.certificate)
        try directory.write("key", TestCertificate.shared.key)
        try directory.write("both", TestCertificate.shared.certificate + TestCertificate.shared.key)
    }

    private func exchange(_ change: (inout ClientSettings) -> Void) throws -> Result<ClientResponse, ClientError> {
        let arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", directory.path("certificate"), "-key", directory.path("key"), "-CAfile",
            directory.path("certificate"), "-Verify", "1", "-verify_return_error", "-naccept", "1", "-www",
        ]
        let server = try ChildProcess("openssl", arguments.map { Array($0.utf8) }, errors: .joined)
        let line = try server.output.line(containing: "ACCEPT").text
        let port = try #require(line.split(separator: ":").last)
        var settings = ClientSettings(certificateAuthorities: directory.path("certificate"))
        change(&settings)
        let client = try Client(settings: settings)
        defer { client.close() }
        return client.exchange(request("https://127.0.0.1:\(port)/"))
    }

    @Test func `presents its certificate`() throws {
        let result = try exchange { settings in
            settings.clientCertificate = directory.path("certificate")
            settings.clientKey = directory.path("key")
        }
        #expect(result.status == 200)
    }

    @Test func `finds the key in the certificate's file`() throws {
        #expect(try exchange { $0.clientCertificate = directory.path("both") }.status == 200)
    }

    @Test func `is rejected without a certificate`() throws {
        #expect(try exchange { _ in }.failure != nil)
    }

    @Test func `reports a certificate that cannot be read`() throws {
        guard case .tls? = try exchange({ $0.clientCertificate = directory.path("missing") }).failure else {
            Issue.record("the certificate is missing")
            return
        }
    }
}
