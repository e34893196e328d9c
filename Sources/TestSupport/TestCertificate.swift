/// A certificate for 127.0.0.1 and its private key, made by the openssl command for one test.
package struct TestCertificate: Sendable {
    /// The certificate, PEM.
    package let certificate: String
    /// The private key, PEM.
    package let key: String

    /// Makes a pair.
    package init() throws {
        let directory = try TemporaryDirectory()
        let made = try Command(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test",
            "-days", "2", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", directory.path("key"),
            "-out", directory.path("certificate"))
        precondition(made.status == 0, "openssl makes a certificate")
        certificate = try directory.read("certificate")
        key = try directory.read("key")
    }

    /// A pair for tests that don't care which.
    package static let shared: TestCertificate = {
        guard let pair = try? TestCertificate() else { fatalError("the openssl command is missing") }
        return pair
    }()
}
