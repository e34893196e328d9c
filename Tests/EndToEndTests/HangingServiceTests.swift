import Glibc
import JSON
import TestSupport
import Testing

/// Commands with a service that accepts connections without responding: they end and report the cause.
@Suite struct HangingServiceTests {
    private static let hang =
        "accepts the connection, but does not answer: its process hangs; see systemctl status deskgate and the log, and restart it"
    private static let portHang = "\(hang); or another program has the port: ss -ltnp"

    private func run(_ workspace: Workspace, _ words: String...) throws -> Deskgate.Result {
        // The limits end here, so the commands must not wait for long.
        try Deskgate.run(words + ["--config", workspace.configuration], environment: ["DESKGATE_TIME_LIMIT_FACTOR": "1"])
    }

    private func listener(_ listener: JSONValue, _ more: JSONObject) -> JSONValue {
        guard case .object(var object) = listener else { return listener }
        for member in more.members { object.append(member.value, forKey: member.key) }
        return .object(object)
    }

    @Test(arguments: [false, true]) func `a stopped process is reported as hanging`(usesTLS: Bool) throws {
        let (workspace, port) = (try Workspace(), try freePorts(2))
        try workspace.directory.write("certificate.pem", TestCertificate.shared.certificate)
        try workspace.directory.write("key.pem", TestCertificate.shared.key)
        let tls: JSONObject = usesTLS ? ["tls": ["certificate": "certificate.pem", "key": "key.pem"]] : [:]
        try workspace.configure([
            "listen": listener(Workspace.listener(port: port), tls), "admin": listener(Workspace.admin(port: port + 1), tls),
        ])
        let server = try RunningServer(configuration: workspace.configuration)
        server.process.send(SIGSTOP)
        let health = try run(workspace, "health")
        #expect(health.code == 1)
        #expect(health.errors == "deskgate: the listener at \(server.publicAddress) \(Self.portHang)\n")
        let status = try run(workspace, "status")
        #expect(status.code != 0)
        #expect(status.errors.hasPrefix("deskgate: the admin listener at \(server.adminAddress) \(Self.portHang)"), "\(status.errors)")
        #expect(!status.errors.contains("stop it"), "\(status.errors)")
        let doctor = try run(workspace, "doctor")
        #expect(doctor.code == 2)
        #expect(doctor.output.contains("PROBLEM ports: the admin listener at \(server.adminAddress) \(Self.portHang)"), "\(doctor.output)")
        server.process.send(SIGCONT)
        #expect(try run(workspace, "health").code == 0)
        #expect(try server.stop() == .exit(0))
    }

    private static let unixListeners: JSONObject = [
        "listen": ["unix": "public.sock", "max_connections": 100],
        "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]],
    ]

    @Test func `a stopped process behind Unix sockets is reported as hanging`() throws {
        let workspace = try Workspace(Self.unixListeners)
        let server = try RunningServer(workspace)
        server.process.send(SIGSTOP)
        #expect(try run(workspace, "health").errors == "deskgate: the listener at \(server.publicAddress) \(Self.hang)\n")
        #expect(try run(workspace, "status").errors.contains("the admin listener at \(server.adminAddress) \(Self.hang)"))
        #expect(try run(workspace, "check").errors == "")
        server.process.send(SIGCONT)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `mistakes in the file do not hide that the service hangs`() throws {
        let workspace = try Workspace(Self.unixListeners)
        let server = try RunningServer(workspace)
        server.process.send(SIGSTOP)
        var mistaken = Self.unixListeners
        mistaken.append(["level": "loud"], forKey: "log")
        try workspace.configure(mistaken)
        for (command, listener) in [
            ("health", "the listener at \(server.publicAddress)"), ("status", "the admin listener at \(server.adminAddress)"),
        ] {
            let errors = try run(workspace, command).errors
            #expect(errors.hasPrefix("deskgate: warning: \(workspace.configuration) has mistakes, "), "\(command)")
            #expect(errors.hasSuffix("\ndeskgate: \(listener) \(Self.hang)\n"), "\(command)")
        }
        server.process.send(SIGCONT)
        #expect(try server.stop() == .exit(0))
    }
}
