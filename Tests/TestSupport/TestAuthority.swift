/// An authority that issues certificates, created by the openssl command for one test.
package struct TestAuthority: Sendable {
    package let certificate: String
    private let key: String

    package init() throws {
        let directory = try TemporaryDirectory()
        let made = try Command(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=authority",
            "-days", "2", "-addext", "keyUsage=critical,keyCertSign", "-keyout", directory.path("key"),
            "-out", directory.path("certificate"))
        precondition(made.status == 0, "openssl makes an authority")
        certificate = try directory.read("certificate")
        key = try directory.read("key")
    }

    /// Issues a certificate.
    /// - Parameters:
    ///   - purpose: the value of `extendedKeyUsage`.
    ///   - isExpired: whether the certificate has expired.
    ///   - issuerAddress: the URL of the authority's certificate, which the certificate then contains.
    /// - Returns: the certificate and its private key, PEM.
    package func issue(
        purpose: String = "clientAuth", isExpired: Bool = false, issuerAddress: String? = nil
    ) throws -> (certificate: String, key: String) {
        let directory = try TemporaryDirectory()
        try directory.write("authority", certificate)
        try directory.write("authority-key", key)
        try directory.write(
            "extensions",
            "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=\(purpose)\n"
                + (issuerAddress.map { "authorityInfoAccess=caIssuers;URI:\($0)\n" } ?? ""))
        let asked = try Command(
            "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=caller",
            "-keyout", directory.path("key"), "-out", directory.path("request"))
        // openssl accepts a negative number of days, so the certificate ends before it begins.
        let issued = try Command(
            "openssl", "x509", "-req", "-in", directory.path("request"), "-CA", directory.path("authority"), "-CAkey",
            directory.path("authority-key"), "-CAcreateserial", "-days", isExpired ? "-1" : "2", "-extfile", directory.path("extensions"),
            "-out", directory.path("certificate"))
        precondition(asked.status == 0 && issued.status == 0, "openssl issues a certificate")
        return (try directory.read("certificate"), try directory.read("key"))
    }
}
