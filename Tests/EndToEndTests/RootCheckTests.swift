import Glibc
import JSON
import POSIX
import TestSupport
import Testing

/// `check` and `doctor`, run by root, check the files with the permissions of the service's user.
@Suite(.enabled(if: getuid() == 0, "only root may give files away"))
struct RootCheckTests {
    private let workspace: Workspace
    private var directory: String { workspace.directory.path }

    init() throws {
        workspace = try Workspace()
        #expect(try Command("chown", "-R", "daemon:daemon", workspace.directory.path).status == 0)
    }

    private func path(_ name: String) -> String { workspace.directory.path(name) }

    private func giveToRoot(_ name: String) {
        #expect(unsafe chown(path(name), 0, 0) == 0)
    }

    private func check(_ file: String? = nil) throws -> Deskgate.Result {
        try Deskgate.run("check", "--config", file ?? workspace.configuration)
    }

    private func problem(_ key: String, file: String, user: String = "daemon", remedy: String) -> String {
        "\(key): \(file) cannot be read by \(user), who as the owner of \(directory) controls \(path("deskgate.db")) and so is taken for the user "
            + "that serves; \(remedy)"
    }

    @Test func `files of the service's user are accepted`() throws {
        let result = try check()
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test(arguments: [
        ("admin-token", "$.admin.token.file"), ("app-1.key", "$.apps[0].keys[0].secret.file"), ("config.json", "$"),
    ])
    func `a file that only root can read is reported with its chown command`(name: String, key: String) throws {
        giveToRoot(name)
        #expect(unsafe chmod(path(name), 0o600) == 0)
        let expected = problem(key, file: path(name), remedy: "run chown daemon: \(path(name))")
        let result = try check()
        #expect(result.code == 2)
        #expect(result.errors == "\(workspace.configuration): \(expected)\n")
        let doctor = try Deskgate.run("doctor", "--config", workspace.configuration)
        #expect(doctor.code == 2)
        #expect(doctor.output.contains("PROBLEM configuration: \(workspace.configuration): \(expected)\n"))
        #expect(!doctor.output.contains("\(workspace.configuration) is valid"))
        #expect(try Command("sh", "-c", "chown daemon: \(path(name))").status == 0)
        #expect(try check().code == 0)
    }

    @Test func `a file of root that the user's group may read is accepted`() throws {
        let group = unsafe getpwnam("daemon").map { unsafe $0.pointee.pw_gid }
        #expect(unsafe chown(path("app-1.key"), 0, try #require(group)) == 0)
        #expect(unsafe chmod(path("app-1.key"), 0o640) == 0)
        let result = try check()
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test func `a directory that only root may enter is reported instead of its files`() throws {
        try File.createDirectory(path("secrets"), mode: 0o700)
        try workspace.write("secrets/admin-token", Markers.adminToken, mode: 0o600)
        try workspace.configure(["admin": ["host": "127.0.0.1", "port": 0, "token": ["file": "secrets/admin-token"]]])
        #expect(try Command("chown", "daemon:", workspace.configuration).status == 0)
        let expected = problem("$.admin.token.file", file: path("secrets/admin-token"), remedy: "run chown daemon: \(path("secrets"))")
        #expect(try check().errors == "\(workspace.configuration): \(expected)\n")
    }

    @Test func `no chown is suggested for a directory of root elsewhere`() throws {
        let own = try TemporaryDirectory()
        try own.write("admin-token", "\(Markers.adminToken)\n")
        let file = own.path("admin-token")
        try workspace.configure(["admin": ["host": "127.0.0.1", "port": 0, "token": ["file": .string(file)]]])
        #expect(try Command("chown", "daemon:", workspace.configuration).status == 0)
        let remedy = "this user may not enter \(own.path), \(copy)"
        #expect(try check().errors == "\(workspace.configuration): \(problem("$.admin.token.file", file: file, remedy: remedy))\n")
    }

    private var copy: String { "so put a copy of the file into \(directory) and give that to this user (chown)" }

    /// Other programs may use it, for example a TLS key.
    @Test func `no chown is suggested for a file of root elsewhere`() throws {
        let own = try TemporaryDirectory()
        #expect(unsafe chmod(own.path, 0o755) == 0)
        try own.write("admin-token", "\(Markers.adminToken)\n", mode: 0o600)
        let file = own.path("admin-token")
        try workspace.configure(["admin": ["host": "127.0.0.1", "port": 0, "token": ["file": .string(file)]]])
        #expect(try Command("chown", "daemon:", workspace.configuration).status == 0)
        let remedy = "this user may not read \(file), \(copy)"
        #expect(try check().errors == "\(workspace.configuration): \(problem("$.admin.token.file", file: file, remedy: remedy))\n")
    }

    /// root cannot see the groups that a unit adds (SupplementaryGroups=).
    @Test func `a file that a group may read causes a warning`() throws {
        let file = path("admin-token")
        #expect(unsafe chown(file, 0, 12_345) == 0)
        #expect(unsafe chmod(file, 0o640) == 0)
        let condition = "unless the unit gives this user the group of \(file) (SupplementaryGroups=), "
        let warning = problem("$.admin.token.file", file: file, remedy: "\(condition)run chown daemon: \(file)")
        let result = try check()
        #expect(result.code == 0)
        #expect(result.errors.contains("\(workspace.configuration): warning: \(warning)\n"))
        let doctor = try Deskgate.run("doctor", "--config", workspace.configuration)
        #expect(doctor.output.contains(" configuration: \(workspace.configuration): \(warning)\n"))
        #expect(!doctor.output.contains("PROBLEM configuration"))
    }

    @Test func `the chown command for a user without a name contains the id`() throws {
        #expect(try Command("chown", "-R", "12345:12345", directory).status == 0)
        giveToRoot("admin-token")
        let expected = problem(
            "$.admin.token.file", file: path("admin-token"), user: "user 12345", remedy: "run chown 12345 \(path("admin-token"))")
        #expect(try check().errors == "\(workspace.configuration): \(expected)\n")
    }

    @Test func `a database that only root can write is reported with its chown command`() throws {
        try workspace.directory.write("deskgate.db-shm", "", mode: 0o644)
        giveToRoot("deskgate.db-shm")
        let file = path("deskgate.db-shm")
        let expected = "$.store.path: \(file) cannot be written by daemon; run chown daemon: \(file)"
        #expect(try check().errors == "\(workspace.configuration): \(expected)\n")
    }

    @Test(arguments: [false, true])
    func `a writable directory for the store is reported before the first start and after it`(hasStarted: Bool) throws {
        let state = try TemporaryDirectory()
        #expect(unsafe chmod(state.path, 0o777) == 0)
        if hasStarted { try state.write("deskgate.db", "") }
        let file = state.path("deskgate.db")
        try workspace.configure(["store": ["path": .string(file)]])
        let reason = "\(state.path) is root's, but others may write to it: give it to the user of the service (chown), or let only root "
        let expected = "$.store.path: cannot take the rights of the owner of \(file): \(reason)write to it (chmod go-w)\n"
        let result = try check()
        #expect(result.code == 2)
        #expect(result.errors == "\(workspace.configuration): \(expected)")
        let doctor = try Deskgate.run("doctor", "--config", workspace.configuration)
        #expect(doctor.output.contains("PROBLEM store: \(expected)"))
    }

    /// A start would be refused, so no command may suggest it.
    @Test func `commands report a writable directory for the store instead of suggesting a start`() throws {
        let state = try TemporaryDirectory()
        #expect(unsafe chmod(state.path, 0o777) == 0)
        let file = state.path("deskgate.db")
        try workspace.configure(["store": ["path": .string(file)]])
        let reason = "cannot take the rights of the owner of \(file): \(state.path) is root's, but others may write to it: "
        for words in [["status"], ["store", "status"]] {
            let errors = try Deskgate.run(words + ["--config", workspace.configuration]).errors
            #expect(errors.contains(reason), "\(words)")
            #expect(errors.hasSuffix("(chmod go-w)\n"), "\(words)")
            #expect(!errors.contains("start it"), "\(words)")
        }
        try workspace.configure(["store": ["path": .string(file)], "listen": ["unix": "public.sock", "max_connections": 100]])
        let doctor = try Deskgate.run("doctor", "--config", workspace.configuration).output
        #expect(doctor.contains("PROBLEM ports: the service does not run: nothing answers at unix:\(path("public.sock")): "))
        #expect(doctor.contains(". A start would fail because of its store, see below\n"))
    }

    @Test func `a copy of the revocations that a second user could redirect is reported`() throws {
        let copies = try TemporaryDirectory()
        #expect(unsafe chmod(copies.path, 0o777) == 0)
        let file = copies.path("revocations")
        try workspace.configure(["store": ["path": "deskgate.db", "revocations_path": .string(file)]])
        #expect(try Command("chown", "daemon:", workspace.configuration).status == 0)
        let result = try check()
        let problem = "$.store.revocations_path: cannot take the rights of the owner of \(file): "
        #expect(result.errors.hasPrefix("\(workspace.configuration): \(problem)"))
    }

    /// The files belong to another user who deploys them, and the service's user may read them.
    @Test func `the service's user is the owner of the store's path, not of the configuration`() throws {
        let state = try TemporaryDirectory()
        #expect(try Command("chown", "daemon:daemon", state.path).status == 0)
        try workspace.configure(["store": ["path": .string(state.path("deskgate.db"))]])
        #expect(try Command("chown", "-R", "bin:bin", directory).status == 0)
        #expect(try Command("sh", "-c", "chown root:daemon \(directory)/*").status == 0)
        #expect(try Command("sh", "-c", "chmod 755 \(directory); chmod 640 \(directory)/*").status == 0)
        let result = try check()
        #expect(result.code == 0, "\(result.errors)")
        giveToRoot("admin-token")
        let refused = try check()
        #expect(refused.code == 2)
        let reason = "daemon, who as the owner of \(state.path) controls \(state.path("deskgate.db")) and so is taken "
        #expect(refused.errors.contains("$.admin.token.file: \(path("admin-token")) cannot be read by \(reason)"))
    }

    @Test func `root's configuration may name files that only root can read`() throws {
        #expect(try Command("chown", "-R", "root:root", directory).status == 0)
        #expect(try check().code == 0)
    }
}
