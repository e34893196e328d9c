import Postgres
import TestSupport
import Testing

/// A server for the name `localhost` with a certificate of the test's own authority.
@Suite struct TLSTests {
    private let server: PostgresServer
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let authority = ["-x509", "-subj", "/CN=test authority", "-keyout", directory.path("ca.key"), "-out", directory.path("ca.pem")]
        try Self.openSSL(["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"] + authority)
        server = try PostgresServer()
        let key = "\(server.directory)/server.key"
        let certificate = "\(server.directory)/server.pem"
        try Self.openSSL(
            ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-x509", "-subj", "/CN=localhost"]
                + ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
                + ["-CA", directory.path("ca.pem"), "-CAkey", directory.path("ca.key"), "-keyout", key, "-out", certificate])
        try server.take(ownershipOf: ["server.key", "server.pem"])
        try server.sql(
            "ALTER SYSTEM SET ssl_cert_file = '\(certificate)'", "ALTER SYSTEM SET ssl_key_file = '\(key)'", "ALTER SYSTEM SET ssl = on",
            "SELECT pg_reload_conf()")
        let (server, authorities) = (server, directory.path("ca.pem"))
        // The reload is asynchronous.
        try #require(
            eventually { (try? Self.connect(server, host: "localhost", query: "sslmode=verify-full&sslrootcert=\(authorities)")) != nil })
    }

    private static func openSSL(_ arguments: [String]) throws {
        let process = try ChildProcess("openssl", arguments.map { Array($0.utf8) }, errors: .joined)
        let status = try process.exitCode()
        let output = try process.output.text()
        try #require(status == 0, "openssl: \(output)")
    }

    private static func connect(_ server: PostgresServer, host: String, query: String) throws(PostgresError) -> Connection {
        try Connection(try ConnectionSettings("postgres://postgres@\(host):\(server.port)/postgres?\(query)"), by: .deferrable)
    }

    @Test func `the server's certificate is verified`() throws {
        let authorities = "sslrootcert=\(directory.path("ca.pem"))"
        let verified = try Self.connect(server, host: "localhost", query: "sslmode=verify-full&\(authorities)")
        #expect(verified.isEncrypted)
        #expect(try verified.number("SELECT 1") == 1)
        let otherName = failure { () throws(PostgresError) in
            _ = try Self.connect(server, host: "127.0.0.1", query: "sslmode=verify-full&\(authorities)")
        }
        #expect(otherName?.failure == .notVerified)
        #expect(otherName?.isRetryable == false)
        #expect(otherName?.remedy?.contains("sslrootcert") == true)
        // The system does not trust the test's authority.
        let unknown = failure { () throws(PostgresError) in _ = try Self.connect(server, host: "localhost", query: "sslmode=verify-full") }
        #expect(unknown?.failure == .notVerified)
        #expect(unknown?.message.contains("certificate verify failed") == true)
        let missing = failure { () throws(PostgresError) in
            _ = try Self.connect(server, host: "localhost", query: "sslmode=verify-full&sslrootcert=/nowhere.pem")
        }
        #expect(missing?.failure == .notVerified)
        #expect(try Self.connect(server, host: "127.0.0.1", query: "sslmode=require").isEncrypted)
        let plain = try PostgresServer.shared.get()
        let noTLS = failure { () throws(PostgresError) in _ = try Self.connect(plain, host: "127.0.0.1", query: "sslmode=require") }
        #expect(noTLS?.failure == .notVerified)
        #expect(noTLS?.isConnectionLost == true)
    }
}
