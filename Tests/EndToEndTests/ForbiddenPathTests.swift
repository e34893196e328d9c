import Glibc
import JSON
import POSIX
import TestSupport
import Testing

@testable import DeskgateCLI

/// Commands of a user without permission to read or create the files: the error contains the command that works.
@Suite struct ForbiddenPathTests {
    @Test(arguments: [
        (998, "deskgate", "/etc/deskgate belongs to deskgate; as root, or with sudo: runuser -u deskgate -- deskgate status"),
        (0, "root", "/etc/deskgate belongs to root; as root, or with sudo: deskgate status"),
        (
            12345, nil,
            "/etc/deskgate belongs to user 12345; as root, or with sudo: setpriv --reuid=12345 --regid=4 --clear-groups deskgate status"
        ),
        (1000, "ann", "/etc/deskgate belongs to this user; run chmod u+rwX on it"),
    ])
    func `the remedy contains the owner`(_ owner: UInt32, name: String?, remedy: String) {
        let owner = FileOwner(id: owner, name: name, group: 4)
        #expect(ForbiddenPath(place: "/etc/deskgate", owner: owner, user: 1000).remedy("deskgate status") == remedy)
    }

    @Test(arguments: [
        ("/srv/it", 0, "; if daemon is to serve, and nothing else is in /srv/it, rather give it to that user: chown -R daemon: /srv/it"),
        ("/srv/it/config.json", 0, "; if daemon is to serve, rather give it to that user: chown daemon: /srv/it/config.json"),
        ("/srv", 0, ""), ("/srv/it", 998, ""),
    ])
    func `only system directories of a configuration are given to the service's user`(_ place: String, owner: UInt32, end: String) {
        let forbidden = ForbiddenPath(place: place, owner: FileOwner(id: owner, name: "owner", group: 0), user: 1)
        #expect(forbidden.remedy(servingFrom: "/srv/it/config.json") == end)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `root's configuration can be given to the service's user`() throws {
        let workspace = try Workspace()
        let directory = workspace.directory.path
        let text = try run(["serve", "--config", workspace.configuration])
        let command = "chown -R nobody: \(directory)"
        let condition = "if the user nobody is to serve, and nothing else is in \(directory), "
        #expect(text.hasSuffix("; \(condition)rather give it to that user: \(command)\n"))
        #expect(try !run(["status", "--config", workspace.configuration]).contains("rather give it"))
        #expect(try Command("sh", "-c", command).status == 0)
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, "check", "--config", workspace.configuration]
        let check = try ChildProcess("setpriv", nobody.map { Array($0.utf8) })
        #expect(try check.waitForEnd() == .exit(0))
    }

    @Test func `a user without a name does not get root's group`() {
        let line = FileOwner(id: 12345, name: nil, group: 0).line("deskgate status")
        #expect(line == "setpriv --reuid=12345 --regid=65534 --clear-groups deskgate status")
    }

    @Test func `a path is quoted as one word of a command`() {
        #expect(Machine.chown("/srv/my chat/key", to: 12345) == "chown 12345 '/srv/my chat/key'")
    }

    @Test(arguments: [
        (["status"], "deskgate status"), (["status", "--json"], "deskgate status --json"),
        (["tokens", "list", "--user", "a b", "--app=x"], "deskgate tokens list --app x --user 'a b'"),
        (["init", "it's", "--port", "80"], #"deskgate init --port 80 'it'\''s'"#),
    ])
    func `the command can be repeated`(_ words: [String], _ line: String) throws {
        #expect(try self.line(words) == line)
    }

    @Test func `the command contains no secret`() throws {
        #expect(try line(["explain", "--key", wellFormedKey, "--config", "c"]) == "deskgate explain --config c --key -")
        #expect(try line(["key", "inspect", "--key", wellFormedKey]) == "deskgate key inspect --key -")
    }

    private func line(_ words: [String]) throws -> String {
        let found = try #require(CommandTable.find(words))
        return try Arguments(Array(found.rest), for: found.command).line
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a configuration of another user is not reported as missing`() throws {
        let workspace = try Workspace()
        let (directory, configuration) = (workspace.directory.path, workspace.configuration)
        let line = "; as root, or with sudo: runuser -u daemon -- deskgate"
        #expect(try Command("chown", "-R", "daemon:daemon", directory).status == 0)
        for words in [["status"], ["check"], ["deliveries", "list", "--all"], ["doctor"], ["serve"]] {
            let whole = (words + ["--config", configuration]).joined(separator: " ")
            let text = try run(words + ["--config", configuration])
            let ordered = words.count > 2 ? "deliveries list --config \(configuration) --all" : whole
            #expect(text == "deskgate: \(configuration) may not be read by this user; \(directory) belongs to daemon\(line) \(ordered)\n")
        }
        #expect(unsafe chmod(directory, 0o755) == 0)
        let text = try run(["status", "--config", configuration])
        #expect(
            text == "deskgate: \(configuration) exists, but this user may not read it; \(configuration) belongs to daemon\(line) "
                + "status --config \(configuration)\n")
        let named = try run(["status"], ["DESKGATE_CONFIG=\(configuration)"])
        #expect(named.hasSuffix("\(line) status --config \(configuration)\n"))
        #expect(unsafe chmod(configuration, 0o644) == 0)
        let token = workspace.directory.path("admin-token")
        let secret =
            "cannot read \(token): Permission denied; \(token) belongs to daemon: if daemon serves, run this as that user, otherwise "
        #expect(try run(["status", "--config", configuration]).contains("$.admin.token.file: \(secret)"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `an inaccessible directory is distinguished from an inaccessible file`() throws {
        let directory = try TemporaryDirectory()
        #expect(unsafe chmod(directory.path, 0o755) == 0)
        try directory.write("live/key.pem", TestCertificate.shared.key)
        let live = directory.path("live")
        #expect(unsafe chmod(live, 0o700) == 0)
        let json = #"{"listen": {"tls": {"certificate": "live/key.pem", "key": "live/key.pem"}}, "apps": []}"#
        try directory.write("config.json", json, mode: 0o644)
        let text = try run(["check", "--config", directory.path("config.json")])
        #expect(
            text.contains(
                "$.listen.tls.key: cannot read \(live)/key.pem: Permission denied; \(live) belongs to root and is closed to this user: if "
                    + "root serves, run this as that user, otherwise let the user that serves enter the directory, or copy the file to "
                    + "where that user may read it, at each renewal, too\n"))
    }

    @Test(.enabled(if: getuid() == 0 && privilegedPorts > 443, "only root can become another user, and port 443 is not everybody's"))
    func `the error for a port below 1024 contains the missing capability`() throws {
        let workspace = try Workspace(["listen": ["port": 443], "allow_insecure_secrets": true])
        #expect(try Command("chown", "-R", "65534:65534", workspace.directory.path).status == 0)
        let text = try run(["serve", "--config", workspace.configuration])
        #expect(
            text == "deskgate: cannot listen on 127.0.0.1:443: Permission denied; ports below 1024 need "
                + "AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit, or root\n")
    }

    /// The first port that all users may use (ip(7), ip_unprivileged_port_start).
    private static let privilegedPorts: Int = {
        let text = try? File.read("/proc/sys/net/ipv4/ip_unprivileged_port_start", limit: 16).bytes
        return text.flatMap { Int(String(decoding: $0.dropLast(), as: UTF8.self)) } ?? 0
    }()

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a socket of another user is reported with the command that works`() throws {
        let workspace = try Workspace([
            "listen": ["unix": "public.sock", "max_connections": 100],
            "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]], "allow_insecure_secrets": true,
        ])
        #expect(try Command("chmod", "-R", "a+rX", workspace.directory.path).status == 0)
        let server = try RunningServer(workspace)
        let socket = workspace.directory.path("admin.sock")
        #expect(try Command("chown", "daemon:daemon", socket).status == 0)
        let text =
            "cannot ask the admin listener at unix:\(socket): Permission denied; run the command as the user that the service runs as; as root, "
            + "or with sudo: runuser -u daemon -- deskgate …\n"
        #expect(try run(["status", "--config", workspace.configuration]) == "deskgate: \(text)")
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, "doctor", "--config", workspace.configuration]
        let doctor = try ChildProcess("setpriv", nobody.map { Array($0.utf8) })
        #expect(try doctor.waitForEnd() == .exit(2))
        let ports = try doctor.output.text().split(separator: "\n").filter { $0.contains(" ports: ") }
        #expect(ports.map { "\($0)\n" } == ["PROBLEM ports: \(text)"])
        #expect(try server.stop() == .exit(0))
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a secret in another user's directory is rejected with the command that works`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Command("chown", "daemon:daemon", scratch.path).status == 0)
        let file = scratch.path("new.key")
        let text = try run(["secret", "new", "--out", file])
        let line = "runuser -u daemon -- deskgate secret new --out \(file)\n"
        #expect(
            text.hasPrefix(
                "deskgate: --out: cannot make \(file): Permission denied; \(scratch.path) belongs to daemon; as root, or with sudo: \(line)"
            ))
        #expect(scratch.contents() == [])
    }

    /// Runs a command as the user nobody, and returns its standard error.
    private func run(_ words: [String], _ environment: [String] = []) throws -> String {
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path]
        let process = try ChildProcess("env", (environment + nobody + words).map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(2))
        return try process.errors.text()
    }
}
