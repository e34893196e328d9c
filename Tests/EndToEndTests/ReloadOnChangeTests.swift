import Glibc
import JSON
import POSIX
import TestSupport
import Testing

/// `reload.on_change`: changes of the files by Kubernetes, editors and other programs are applied automatically.
@Suite struct ReloadOnChangeTests {
    private static let reload: JSONObject = ["reload": ["on_change": true]]

    private static func configuration(_ apps: JSONValue...) -> JSONObject {
        var changes = reload
        changes.append(.array(apps), forKey: "apps")
        return changes
    }

    private static func text(_ workspace: Workspace, _ apps: JSONValue...) throws -> String {
        var changes = reload
        changes.append(.array(apps), forKey: "apps")
        try workspace.configure(changes)
        return try workspace.read("config.json")
    }

    private func wait(_ server: RunningServer, _ text: String, from start: Int = 0) throws -> Int {
        try server.process.errors.line(containing: text, from: start).number + 1
    }

    /// A secret mounted by Kubernetes: `NAME -> ..data/NAME`, and `..data` is a link to a directory that is replaced as a whole.
    @Test func `a secret mounted by Kubernetes is reloaded`() throws {
        let workspace = try Workspace()
        let mount = try MountedSecret()
        var files = ["config.json": try Self.text(workspace, Workspace.app(1)), "app-1.key": Markers.appSecrets[0] + "\n"]
        files["admin-token"] = Markers.adminToken + "\n"
        try mount.publish(files)
        let server = try RunningServer(configuration: mount.directory.path("config.json"))
        let (first, second) = (try workspace.key(), try key(ofSecret: 1, app: "app-1"))
        #expect(try server.authorize(first).status == 200)
        var line = 0
        // Twice, to test that the new directory is watched after a change.
        for round in 0..<2 {
            files["app-1.key"] = Markers.appSecrets[1 - round] + "\n"
            try mount.publish(files)
            line = try wait(server, "configuration reloaded", from: line)
            #expect(try server.authorize(first).status == (round == 0 ? 403 : 200))
            #expect(try server.authorize(second).status == (round == 0 ? 200 : 403))
        }
        files["config.json"] = try Self.text(workspace, Workspace.app(1), Workspace.app(2))
        files["app-2.key"] = Markers.appSecrets[1] + "\n"
        try mount.publish(files)
        line = try wait(server, "configuration reloaded", from: line)
        #expect(try server.authorize(key(ofSecret: 1, app: "app-2"), app: "app-2").status == 200)
        #expect(try server.stop() == .exit(0))
    }

    /// Editors and careful programs write another file, and then rename it.
    @Test func `files that are renamed into place are reloaded`() throws {
        let workspace = try Workspace(Self.reload)
        let server = try RunningServer(workspace)
        let next = try Self.text(workspace, Workspace.app(1), Workspace.app(2))
        try workspace.write("next", next)
        try File.rename(workspace.directory.path("next"), to: workspace.configuration)
        let line = try wait(server, "configuration reloaded")
        #expect(try server.authorize(workspace.key(app: "app-2"), app: "app-2").status == 200)
        let key = try workspace.key()
        try workspace.write("next", String(Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        try File.rename(workspace.directory.path("next"), to: workspace.directory.path("app-1.key"))
        _ = try wait(server, "configuration reloaded", from: line)
        #expect(try server.authorize(key).status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a half-written file is rejected and the next change is tried`() throws {
        let admin: JSONValue = ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]]
        let workspace = try Workspace(["reload": ["on_change": true], "admin": admin])
        let server = try RunningServer(workspace)
        let (whole, key) = (try workspace.read("config.json"), try workspace.key())
        try workspace.write("config.json", String(whole.prefix(whole.count / 2)))
        let refused = try server.process.errors.line(containing: "configuration not reloaded")
        #expect(try server.authorize(key).status == 200)
        // The command reads the same file, so the invalid one is moved away for it.
        try workspace.write("other.json", whole)
        func status(_ options: String...) throws -> Deskgate.Result {
            try Deskgate.run(["status", "--config", workspace.directory.path("other.json")] + options)
        }
        guard case .object(let reported)? = try status("--json").json["configuration"], case .object(let why)? = reported["refused"] else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(why["reasons"] == [.string(try jsonObject(refused.text).string("reason") ?? "")])
        #expect(try status().output.contains("\nThe last reload was refused at "))
        try workspace.write("config.json", whole)
        _ = try wait(server, "configuration reloaded", from: refused.number)
        guard case .object(let then)? = try status("--json").json["configuration"] else { throw ChildProcess.Failure.missingOutput }
        #expect(then["refused"] == .null)
        let shown = try status()
        #expect(shown.code == 0)
        #expect(shown.output.contains("\nThe configuration in force was loaded at \(then.string("loaded_at") ?? "").\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a removed file changes nothing until it is restored`() throws {
        let workspace = try Workspace(Self.reload)
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        try File.remove(workspace.directory.path("app-1.key"))
        let line = try wait(server, "configuration not reloaded")
        #expect(try server.authorize(key).status == 200)
        try File.remove(workspace.configuration)
        let next = try wait(server, "no such file; if there was one, put it back: ", from: line)
        try workspace.write("app-1.key", Markers.appSecrets[1], mode: 0o600)
        try workspace.configure(Self.reload)
        _ = try wait(server, "configuration reloaded", from: next)
        #expect(try server.authorize(key).status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a renewed certificate is presented`() throws {
        let (first, second) = (try TestCertificate(), try TestCertificate())
        let workspace = try Workspace()
        func install(_ pair: TestCertificate) throws {
            try workspace.directory.write("certificate.pem", pair.certificate)
            try workspace.directory.write("key.pem", pair.key)
        }
        try install(first)
        let tls: JSONValue = ["certificate": "certificate.pem", "key": "key.pem"]
        try workspace.configure(["reload": ["on_change": true], "listen": ["host": "127.0.0.1", "port": 0, "tls": tls]])
        let server = try RunningServer(workspace)
        try install(second)
        _ = try wait(server, "certificate renewed")
        let script = "openssl s_client -connect \(server.publicAddress) </dev/null 2>/dev/null | openssl x509"
        #expect(try Command("sh", "-c", script).output == second.certificate)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `is off by default`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        try workspace.configure(Self.configuration(Workspace.app(1), Workspace.app(2)))
        // A signal enables it; no line shows the file's earlier state before that.
        server.process.send(SIGHUP)
        let line = try wait(server, "configuration reloaded")
        try workspace.configure(Self.configuration(Workspace.app(1)))
        _ = try wait(server, "configuration reloaded", from: line)
        #expect(try server.stop() == .exit(0))
        let lines = try server.process.errors.text().split(separator: "\n").filter { $0.contains("configuration reloaded") }
        #expect(lines.count == 2)
    }

    private static let mayForbidWatches =
        (try? Command("unshare", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances").status) == 0

    private func start(_ workspace: Workspace, after preparation: String) throws -> ChildProcess {
        let script = "cd \"$1\" && \(preparation) && exec \"$0\" serve --config \"$1/config.json\""
        let words = ["--map-root-user", "--mount", "sh", "-c", script, Deskgate.path, workspace.directory.path]
        let process = try ChildProcess("unshare", words.map { Array($0.utf8) })
        _ = try process.errors.line(containing: "serving")
        return process
    }

    /// The kernel refuses watches when others have used up the limit.
    @Test(.enabled(if: mayForbidWatches, "unshare(1) is not permitted"))
    func `files are read every few seconds if they cannot be watched`() throws {
        let workspace = try Workspace(Self.reload)
        let process = try start(workspace, after: "echo 0 > /proc/sys/user/max_inotify_instances")
        let reported = try jsonObject(process.errors.line(containing: "cannot be watched").text)
        #expect(reported.string("level") == "warning")
        #expect(reported.string("reason") == "inotify: Too many open files")
        #expect(reported.string("remedy")?.hasPrefix("raise fs.inotify.max_user_instances (sysctl), ") == true)
        try workspace.configure(Self.configuration(Workspace.app(1), Workspace.app(2)))
        _ = try process.errors.line(containing: "configuration reloaded")
        process.send(SIGTERM)
        #expect(try process.waitForEnd() == .exit(0))
        #expect(try process.errors.text().split(separator: "\n").filter { $0.contains("cannot be watched") }.count == 1)
    }

    /// Docker can mount a single file of the host into a container.
    @Test(.enabled(if: mayForbidWatches, "unshare(1) is not permitted"))
    func `a file that is mounted alone is reloaded`() throws {
        let workspace = try Workspace(Self.reload)
        try workspace.write("mounted", workspace.read("config.json"))
        try workspace.write("next", Self.text(workspace, Workspace.app(1), Workspace.app(2)))
        let process = try start(workspace, after: "mount --bind mounted config.json")
        // Written in place: the container would not see another file with that name.
        #expect(try Command("cp", workspace.directory.path("next"), workspace.directory.path("mounted")).status == 0)
        let line = try jsonObject(process.errors.line(containing: "configuration reloaded").text)
        #expect(line.integer("apps") == 2)
        process.send(SIGTERM)
        #expect(try process.waitForEnd() == .exit(0))
    }

    /// Keys whose result does not change: of an app that stays, and of an app that never exists.
    private func load(_ server: RunningServer, _ workspace: Workspace) throws -> AuthorizeLoad {
        let key = try workspace.key()
        return AuthorizeLoad(
            server.publicAddress,
            [(key, Workspace.app, 200), (key, Workspace.app, 200), (try self.key(ofSecret: 1, app: Workspace.app), Workspace.app, 403)])
    }

    @Test func `a burst of changes under load gives no wrong response`() throws {
        let workspace = try Workspace(Self.reload)
        let server = try RunningServer(workspace)
        let load = try load(server, workspace)
        let texts = [try Self.text(workspace, Workspace.app(1), Workspace.app(2)), try Self.text(workspace, Workspace.app(1))]
        for number in 1...99 {
            try workspace.write("next", texts[number % 2])
            try File.rename(workspace.directory.path("next"), to: workspace.configuration)
            #expect(load.waitForMore(3))
        }
        let last = try self.key(ofSecret: 1, app: "app-2")
        try workspace.configure(Self.configuration(Workspace.app(2), Workspace.app(1)))
        #expect(eventually { (try? server.authorize(last, app: "app-2").status) == 200 })
        #expect(load.waitForMore(100))
        #expect(load.stop() == [])
        #expect(try server.stop() == .exit(0))
        #expect(try !server.process.errors.text().contains("configuration not reloaded"))
    }

    @Test(arguments: [false, true]) func `a storm of signals under load gives no wrong response`(_ followsChanges: Bool) throws {
        let workspace = try Workspace(["reload": ["on_change": .bool(followsChanges)]])
        let server = try RunningServer(workspace)
        let load = try load(server, workspace)
        for number in 1...100 {
            if number.isMultiple(of: 10) {
                try workspace.write("next", try workspace.read("config.json") + String(repeating: " ", count: number))
                try File.rename(workspace.directory.path("next"), to: workspace.configuration)
            }
            server.process.send(SIGHUP)
            #expect(load.waitForMore(3))
        }
        #expect(load.stop() == [])
        #expect(try server.stop() == .exit(0))
        let text = try server.process.errors.text()
        #expect(text.contains("configuration reloaded"))
        #expect(!text.contains("configuration not reloaded"))
    }

    /// A key for `Markers.user` of an app whose secret is the marker of this number.
    private func key(ofSecret number: Int, app: String) throws -> String {
        let workspace = try Workspace()
        try workspace.write("app-1.key", Markers.appSecrets[number], mode: 0o600)
        try workspace.write("app-2.key", Markers.appSecrets[number], mode: 0o600)
        try workspace.configure(["apps": [["app_id": .string(app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]]]]])
        return try workspace.key(app: app)
    }
}

/// A directory as Kubernetes mounts it into a container.
private final class MountedSecret {
    let directory: TemporaryDirectory
    private var version = 0

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes a directory with all files, and makes `..data` a link to it in one step.
    func publish(_ files: [String: String]) throws {
        version += 1
        let next = "..2026_\(version)"
        for (name, text) in files {
            try directory.write("\(next)/\(name)", text, mode: 0o600)
            if !File.exists(directory.path(name)) { unsafe symlink("..data/\(name)", directory.path(name)) }
        }
        unsafe symlink(next, directory.path("..data_tmp"))
        try File.rename(directory.path("..data_tmp"), to: directory.path("..data"))
        let former = directory.path("..2026_\(version - 1)")
        for name in files.keys { unsafe unlink("\(former)/\(name)") }
        unsafe rmdir(former)
    }
}
