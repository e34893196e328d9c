import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

@Suite struct ServeStartTests {
    private static let wrongPEM = """
        -----BEGIN CERTIFICATE-----
        \(Markers.stray)
        -----END CERTIFICATE-----
        """

    @Test func `responds once it reports that it serves`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        #expect(try server.authorize(workspace.key()).status == 200)
        #expect(try status(server.publicAddress, "/readyz") == 200)
        #expect(try status(server.adminAddress, "/metrics") == 200)
        #expect(try status(server.publicAddress, "/metrics") == 404)
        #expect(try server.stop() == .exit(0))
        #expect(try server.process.output.text().isEmpty)
    }

    /// /proc shows the limit, and the files there of a process without core dumps belong to root (proc(5)).
    @Test func `leaves no core dump`() throws {
        let server = try RunningServer(Workspace())
        let limits = String(decoding: try File.read("/proc/\(server.process.identifier)/limits", limit: 1 << 16).bytes, as: UTF8.self)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").filter { $0 == "0" }.count == 2)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a port in use is reported`() throws {
        let first = try RunningServer(Workspace())
        guard case .tcp(_, let port) = first.publicAddress, case .tcp(_, let adminPort) = first.adminAddress else { return }
        func remedy(_ port: UInt16) -> String {
            "it is already in use; stop the process that \"ss -ltnp sport = :\(port)\" shows, or choose another port"
        }
        let onPublic = try Workspace(["listen": Workspace.listener(port: port)])
        #expect(try RunningServer.complaint(of: onPublic) == "deskgate: cannot listen on 127.0.0.1:\(port): \(remedy(port))\n")
        let onAdmin = try Workspace(["admin": Workspace.admin(port: adminPort)])
        #expect(try RunningServer.complaint(of: onAdmin) == "deskgate: cannot listen on 127.0.0.1:\(adminPort): \(remedy(adminPort))\n")
        #expect(try status(first.publicAddress, "/livez") == 200)
        #expect(try first.stop() == .exit(0))
    }

    @Test func `a second service does not affect the running one`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let first = try RunningServer(workspace)
        let second = try RunningServer.start(workspace.configuration)
        #expect(try second.waitForEnd() == .exit(2))
        let lines = try second.errors.text().split(separator: "\n")
        let user = "\(workspace.directory.path("deskgate.db")) is used by process \(first.process.identifier) (deskgate)"
        #expect(lines.last == "deskgate: the service runs already: \(user); keep it, and check it with deskgate status")
        #expect(try first.stop() == .exit(0))
    }

    @Test func `a Unix socket in use is reported`() throws {
        // Without a store file, which the first service would lock before any listener is opened.
        var members = Workspace.unixListeners
        members.append(["type": "memory"], forKey: "store")
        let workspace = try Workspace(members)
        let first = try RunningServer(workspace)
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.hasPrefix("deskgate: cannot listen on unix:\(workspace.directory.path("admin.sock")): it is already in use;"))
        #expect(try status(first.publicAddress, "/livez") == 200)
        #expect(try first.stop() == .exit(0))
    }

    @Test(arguments: ["missing/public.sock", "app-1.key/public.sock", "app-1.key"])
    func `a Unix socket that cannot be created is reported`(_ path: String) throws {
        let workspace = try Workspace(["listen": ["unix": .string(path), "max_connections": 100]])
        let secret = try workspace.read("app-1.key")
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.hasPrefix("deskgate: cannot listen on unix:\(workspace.directory.path(path)): "))
        #expect(try workspace.read("app-1.key") == secret)
    }

    @Test func `a Unix socket path that is too long is reported`() throws {
        let workspace = try Workspace(["listen": ["unix": .string(String(repeating: "s", count: 200)), "max_connections": 100]])
        let errors = try RunningServer.complaint(of: workspace)
        #expect(errors.withoutPlaces.hasPrefix("\(workspace.configuration): $.listen.unix: expected at most 107 bytes"))
    }

    @Test func `a host of another machine is reported`() throws {
        let workspace = try Workspace(["listen": ["host": "192.0.2.1", "port": 0, "max_connections": 100]])
        #expect(try RunningServer.complaint(of: workspace).hasPrefix("deskgate: cannot listen on 192.0.2.1:0: "))
    }

    @Test func `a missing secret file is reported`() throws {
        let keys: JSONValue = [["id": 1, "secret": ["file": "missing.key"]]]
        let workspace = try Workspace(["apps": [["app_id": "app-1", "keys": keys]]])
        let file = workspace.directory.path("missing.key")
        #expect(
            try RunningServer.complaint(of: workspace).withoutPlaces
                == "\(workspace.configuration): $.apps[0].keys[0].secret.file (app_id \"app-1\"): cannot read \(file): "
                + "No such file or directory; put it back, or, if none is in use yet, make one with: deskgate secret new --out \(file)\n")
    }

    @Test func `a missing configuration is reported`() throws {
        let process = try RunningServer.start("/nonexistent/config.json")
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.errors.text() == "/nonexistent/config.json: $: no such file; \(absenceRemedy("/nonexistent"))\n")
    }

    @Test func `a malformed certificate is reported`() throws {
        let tls: JSONValue = ["certificate": "certificate.pem", "key": "key.pem"]
        let workspace = try Workspace(["listen": ["host": "127.0.0.1", "port": 0, "max_connections": 100, "tls": tls]])
        try workspace.write("certificate.pem", Self.wrongPEM)
        try workspace.write("key.pem", Self.wrongPEM.replacing("CERTIFICATE", with: "PRIVATE KEY"), mode: 0o600)
        #expect(
            try RunningServer.complaint(of: workspace).withoutPlaces
                == "\(workspace.configuration): $.listen.tls.certificate: expected a certificate in PEM\n")
    }
}
