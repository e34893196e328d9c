import Crypto
import JSON
import TestSupport
import Testing

/// A certificate that was renewed in its file and is not in force yet: each command reports it.
@Suite struct CertificateReloadTests {
    private static let doubt = "it presents another certificate than its file has, which is valid until 2"
    private static let remedy = "if the file was renewed, deskgate reload puts it in force; TLS failed: "

    private static let reported =
        "Warning: The certificate of the public listener was renewed in its file, and the listener presents the former one.\n"
        + "Remedy: Reload: deskgate reload.\n"

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try install(LoopbackCertificate())
    }

    private func install(_ pair: LoopbackCertificate) throws {
        try workspace.directory.write("certificate.pem", pair.certificate)
        try workspace.directory.write("key.pem", pair.key)
    }

    /// Serves with TLS on one listener, and renews its certificate.
    private func serve(listen: [(String, JSONValue)] = [], admin: [(String, JSONValue)] = []) throws -> RunningServer {
        let port = try freePorts(2)
        func listener(_ listener: JSONValue, _ members: [(String, JSONValue)]) -> JSONValue {
            guard case .object(var object) = listener else { return listener }
            for (key, value) in members { object.append(value, forKey: key) }
            return .object(object)
        }
        try workspace.configure([
            "listen": listener(Workspace.listener(port: port), listen), "admin": listener(Workspace.admin(port: port + 1), admin),
        ])
        let server = try RunningServer(configuration: workspace.configuration)
        try #require(try run("check").errors == "")
        try install(LoopbackCertificate())
        return server
    }

    private static let tls: [(String, JSONValue)] = [("tls", ["certificate": "certificate.pem", "key": "key.pem"])]

    private func run(_ command: String, _ options: String...) throws -> Deskgate.Result {
        try Deskgate.run([command, "--config", workspace.configuration] + options)
    }

    /// An environment variable names the file of trusted certificates.
    @Test func `an issuer unknown to the system must be in the file`() throws {
        let authority = try TestAuthority()
        let pair = try authority.issue(purpose: "serverAuth", issuerAddress: "http://authority.example/ca.der")
        try workspace.directory.write("certificate.pem", pair.certificate)
        try workspace.directory.write("key.pem", pair.key)
        try workspace.directory.write("authority.pem", authority.certificate)
        try workspace.configure(["admin": ["port": 9090, "tls": ["certificate": "certificate.pem", "key": "key.pem"]]])
        func warnings(trusted: String) throws -> String {
            try Deskgate.run(["check", "--config", workspace.configuration], environment: ["SSL_CERT_FILE": trusted]).errors
        }
        let file = workspace.directory.path("certificate.pem")
        let warning = "$.admin.tls.certificate: \(file) holds no certificate of its issuer (CN=authority)"
        let absent = workspace.directory.path("none.pem")
        #expect(try warnings(trusted: absent).contains(warning))
        #expect(try !warnings(trusted: workspace.directory.path("authority.pem")).contains("its issuer"))
    }

    @Test func `the certificate of the public listener is compared`() throws {
        let server = try serve(listen: Self.tls)
        let place = "$.listen.tls.certificate: the listener at \(server.publicAddress) is not accepted: \(Self.doubt)"
        let check = try run("check")
        #expect(check.code == 0)
        #expect(check.errors.hasPrefix("\(workspace.configuration): warning: \(place)"))
        #expect(check.errors.contains(Self.remedy))
        #expect(try run("check", "--json").json["warnings"]?.elements.count == 1)
        #expect(try run("doctor").output.contains("WARNING ports: \(place)"))
        #expect(eventually { (try? run("status"))?.output.contains(Self.reported) == true })
        #expect(try run("status").code == 0)
        let health = try run("health")
        #expect(health.code == 1)
        #expect(health.errors.hasPrefix("deskgate: the listener at \(server.publicAddress) is not accepted: \(Self.doubt)"))
        #expect(try Deskgate.run("reload", "--pid", "\(server.process.identifier)").code == 0)
        #expect(try run("check").errors == "")
        #expect(try run("health").code == 0)
        #expect(eventually { (try? run("status"))?.output.contains(Self.reported) == false })
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the certificate of the admin listener is compared`() throws {
        let server = try serve(admin: Self.tls)
        let place = "$.admin.tls.certificate: the listener at \(server.adminAddress) is not accepted: \(Self.doubt)"
        #expect(try run("check").errors.hasPrefix("\(workspace.configuration): warning: \(place)"))
        #expect(try run("doctor").output.contains("WARNING ports: \(place)"))
        #expect(try run("status").errors.contains(Self.doubt))
        #expect(try Deskgate.run("reload", "--pid", "\(server.process.identifier)").code == 0)
        #expect(try run("check").errors == "")
        #expect(try run("status").code == 0)
        #expect(try server.stop() == .exit(0))
    }
}
