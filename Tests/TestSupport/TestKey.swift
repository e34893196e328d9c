/// A key pair in PEM, created by the openssl command, so that no private key is in the repository.
package struct TestKey: Sendable {
    /// The private key: PKCS#8, unless `traditional` says otherwise.
    package let privatePEM: String
    /// The public key: SubjectPublicKeyInfo.
    package let publicPEM: String
    /// The private key in the older form of its kind: SEC 1 for EC, PKCS#1 for RSA; empty for other kinds.
    package let traditionalPEM: String

    /// Creates a pair.
    /// - Parameters:
    ///   - algorithm: the value of `openssl genpkey -algorithm`.
    ///   - options: the values of `-pkeyopt`.
    package init(algorithm: String, options: String...) throws {
        let directory = try TemporaryDirectory()
        let key = directory.path("key")
        let arguments = ["genpkey", "-algorithm", algorithm, "-out", key] + options.flatMap { ["-pkeyopt", $0] }
        let made = try ChildProcess("openssl", arguments.map { Array($0.utf8) }, errors: .joined).exitCode()
        let published = try Command("openssl", "pkey", "-in", key, "-pubout", "-out", directory.path("public"))
        precondition(made == 0 && published.status == 0, "openssl makes a key")
        privatePEM = try directory.read("key")
        publicPEM = try directory.read("public")
        guard ["EC", "RSA"].contains(algorithm) else {
            traditionalPEM = ""
            return
        }
        let converted = try Command("openssl", "pkey", "-in", key, "-traditional", "-out", directory.path("traditional"))
        precondition(converted.status == 0, "openssl converts a key")
        traditionalPEM = try directory.read("traditional")
    }

    /// Creates a pair on P-256, like APNs's.
    package static func p256() throws -> TestKey {
        try TestKey(algorithm: "EC", options: "ec_paramgen_curve:P-256", "ec_param_enc:named_curve")
    }

    /// Creates a 2048-bit RSA pair, like those of Google's service accounts; takes a fraction of a second.
    package static func rsa2048() throws -> TestKey {
        try TestKey(algorithm: "RSA", options: "rsa_keygen_bits:2048")
    }

    /// A pair on P-256, shared by tests that accept any.
    package static let sharedP256 = shared(p256)
    /// An RSA pair, shared by tests that accept any.
    package static let sharedRSA = shared(rsa2048)

    private static func shared(_ make: () throws -> TestKey) -> TestKey {
        guard let key = try? make() else { fatalError("the openssl command is missing") }
        return key
    }
}

/// A certificate for 127.0.0.1 and its private key, created by the openssl command for one test.
package struct TestCertificate: Sendable {
    package let certificate: String
    package let key: String

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

    /// A pair shared by tests that accept any.
    package static let shared: TestCertificate = {
        guard let pair = try? TestCertificate() else { fatalError("the openssl command is missing") }
        return pair
    }()
}
