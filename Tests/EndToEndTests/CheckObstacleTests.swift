import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate check` finds obstacles to a start of `serve` or to opening its store.
@Suite struct CheckObstacleTests {
    private func check(_ workspace: Workspace) throws -> Deskgate.Result {
        try Deskgate.run("check", "--config", workspace.configuration)
    }

    private func expectFound(_ problem: String, in workspace: Workspace) throws {
        let result = try check(workspace)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors == "\(workspace.configuration): \(problem)\n")
        #expect(try Deskgate.run("check", "--json", "--config", workspace.configuration).json.string("status") == "invalid")
    }

    private func expect(_ problem: String, of workspace: Workspace) throws {
        try expectFound(problem, in: workspace)
        let served = try RunningServer.start(workspace.configuration)
        #expect(try served.waitForEnd() == .exit(2))
    }

    @Test func `a port of another process is reported`() throws {
        let other = try RunningServer(Workspace())
        guard case .tcp(_, let port) = other.publicAddress else { return }
        try expect(
            "$.listen: cannot listen on 127.0.0.1:\(port): it is already in use; stop the process that \"ss -ltnp sport = :\(port)\" shows, "
                + "or choose another port", of: Workspace(["listen": Workspace.listener(port: port)]))
        try expect(
            "$.admin: cannot listen on 127.0.0.1:\(port): it is already in use; stop the process that \"ss -ltnp sport = :\(port)\" shows, "
                + "or choose another port; it has not proven to know an admin token: it answered with the status 404",
            of: Workspace(["admin": Workspace.admin(port: port)]))
        #expect(try other.stop() == .exit(0))
    }

    @Test func `ports of the running service are its own`() throws {
        let port = try freePorts(2)
        let workspace = try Workspace(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        #expect(try check(workspace).code == 0)
        #expect(try server.stop() == .exit(0))
        #expect(try check(workspace).code == 0)
    }

    /// The store's lock does not identify the service then, so its admin listener does.
    @Test func `ports are the service's own while it waits for its store`() throws {
        let port = try freePorts(2)
        let workspace = try Workspace([
            "listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1), "store": ["path": "missing/deskgate.db"],
        ])
        let server = try RunningServer(workspace)
        let missing = workspace.directory.path("missing")
        try expectFound("$.store.path: there is no directory \(missing); make it with: mkdir -m 700 \(missing)", in: workspace)
        #expect(try server.stop() == .exit(0))
    }

    /// The running service has the former token until the reload that follows `check`.
    @Test func `ports are the service's own after its token has changed`() throws {
        let port = try freePorts(2)
        let workspace = try Workspace(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        let token = try Deskgate.run("secret", "new").output.dropLast()
        try workspace.write("admin-token", String(token), mode: 0o600)
        #expect(try check(workspace).code == 0)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `sockets of the running service are its own`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        #expect(try check(workspace).code == 0)
        let server = try RunningServer(workspace)
        #expect(try check(workspace).code == 0)
        let other = try Workspace([
            "listen": ["unix": .string(workspace.directory.path("public.sock")), "max_connections": 100]
        ])
        try expect(
            "$.listen.unix: another process listens on \(workspace.directory.path("public.sock")); stop it or give another path", of: other)
        #expect(try server.stop(SIGKILL) == .signal(SIGKILL))
        #expect(try check(workspace).code == 0, "a socket that was left behind is taken over")
    }

    @Test func `an address of another machine is reported`() throws {
        try expect(
            "$.listen: cannot listen on 192.0.2.1:0: Cannot assign requested address; give an address of this machine",
            of: Workspace(["listen": ["host": "192.0.2.1", "port": 0, "max_connections": 100]]))
    }

    @Test(.enabled(if: Deskgate.mayHideNameServers, "unshare(1) is not permitted"))
    func `an unknown host name is reported`() throws {
        let workspace = try Workspace(["listen": ["host": "deskgate.invalid", "port": 0, "max_connections": 100]])
        let result = try Deskgate.runWithoutNameServers("check", "--config", workspace.configuration)
        #expect(result.code == 2)
        #expect(result.text.hasPrefix("\(workspace.configuration): $.listen: cannot listen on deskgate.invalid:0: "))
        #expect(result.text.hasSuffix("; give an address of this machine\n"))
    }

    @Test func `missing directories are reported`() throws {
        let workspace = try Workspace(["store": ["type": "sqlite", "path": "missing/deskgate.db"]])
        let missing = workspace.directory.path("missing")
        // Authorization still works, and the service waits for the store.
        try expectFound("$.store.path: there is no directory \(missing); make it with: mkdir -m 700 \(missing)", in: workspace)
        try workspace.configure(["listen": ["unix": "missing/public.sock", "max_connections": 100]])
        try expect("$.listen.unix: there is no directory \(missing); make it with: mkdir -m 700 \(missing)", of: workspace)
    }

    @Test func `a file at the path of a socket is reported`() throws {
        let workspace = try Workspace(["listen": ["unix": "app-1.key", "max_connections": 100]])
        try expect("$.listen.unix: \(workspace.directory.path("app-1.key")) exists and is no socket; give another path", of: workspace)
    }

    /// Root may write everywhere, so the command runs as the user nobody, who may read the directory.
    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `directories without write permission are reported`() throws {
        let workspace = try Workspace()
        let directory = workspace.directory.path
        for name in ["app-1.key", "app-2.key", "admin-token"] { unsafe chown(workspace.directory.path(name), 65534, 65534) }
        unsafe chmod(workspace.configuration, 0o644)
        unsafe chmod(directory, 0o755)
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, "check", "--config", workspace.configuration]
        let process = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(2))
        #expect(
            try process.errors.text()
                == "\(workspace.configuration): $.store.path: this user cannot write into \(directory); chown it to the user that serves\n")
        unsafe chown(directory, 65534, 65534)
        try workspace.directory.write("deskgate.db-wal", "", mode: 0o600)
        let again = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try again.waitForEnd() == .exit(2))
        #expect(
            try again.errors.text()
                == "\(workspace.configuration): $.store.path: \(directory)/deskgate.db-wal cannot be written by this user; "
                + "chown it to the user that serves\n")
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `status has check's remedy for a database owned by root`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let (directory, database) = (workspace.directory.path, workspace.directory.path("deskgate.db"))
        try workspace.directory.write("deskgate.db", "", mode: 0o600)
        for name in ["app-1.key", "app-2.key", "admin-token", "config.json"] { unsafe chown(workspace.directory.path(name), 65534, 65534) }
        unsafe chown(directory, 65534, 65534)
        unsafe chmod(directory, 0o755)
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, "status", "--config", workspace.configuration]
        let own = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try own.waitForEnd() == .exit(2))
        let text = try own.errors.text()
        #expect(text.hasSuffix("cannot open \(database): Permission denied; chown it to the user that serves\n"), "\(text)")
        let byRoot = try Deskgate.run("status", "--config", workspace.configuration).errors
        #expect(byRoot.contains("; run chown "), "\(byRoot)")
        #expect(byRoot.hasSuffix(" \(database)\n"), "\(byRoot)")
    }

    /// A secret that the service's group may read, and that another user owns.
    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a secret that belongs to another user keeps the service from starting`() throws {
        let workspace = try Workspace()
        for name in ["app-1.key", "app-2.key", "admin-token"] { unsafe chown(workspace.directory.path(name), 65534, 65534) }
        let secret = workspace.directory.path("app-1.key")
        unsafe chmod(secret, 0o640)
        unsafe chown(secret, 12345, 65534)
        unsafe chmod(workspace.configuration, 0o644)
        unsafe chmod(workspace.directory.path, 0o755)
        func run(_ command: String) throws -> ChildProcess {
            let words = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, command, "--config", workspace.configuration]
            return try ChildProcess("setpriv", words.map { Array($0.utf8) })
        }
        let check = try run("check")
        #expect(try check.waitForEnd() == .exit(2))
        #expect(try check.errors.text().contains("\(secret) belongs to "))
        #expect(try run("serve").waitForEnd() == .exit(2))
    }
}
