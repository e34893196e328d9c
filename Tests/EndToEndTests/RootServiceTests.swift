import Glibc
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

/// `serve` and `bots demo`, run by root where another user owns the files.
@Suite(.enabled(if: geteuid() == 0, "only root may give files away"))
struct RootServiceTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func path(_ name: String) -> String { workspace.directory.path(name) }

    private func give(_ path: String, to owner: String = "daemon") throws {
        #expect(try Command("chown", "-R", "\(owner):\(owner)", path).status == 0)
    }

    private func complaint(environment: [String: String] = [:], _ words: [String]) throws -> String {
        let result = try Deskgate.run(["serve"] + words, environment: environment)
        #expect(result.code == 2)
        return result.errors
    }

    private func refusal(_ file: String, place: String, line: String) -> String {
        "deskgate: root would make files beside \(path(file)), which the service of daemon could not write afterwards; \(place) belongs to daemon; as root, "
            + "or with sudo: runuser -u daemon -- \(line)\n"
    }

    @Test func `serve makes no database in the directory of another user`() throws {
        try give(workspace.directory.path)
        let line = "deskgate serve --config \(workspace.configuration)"
        #expect(
            try complaint(["--config", workspace.configuration]) == refusal("deskgate.db", place: workspace.directory.path, line: line))
        #expect(workspace.directory.contents() == ["admin-token", "app-1.key", "app-2.key", "config.json"])
    }

    @Test func `the line names the configuration of the environment`() throws {
        try give(workspace.directory.path)
        let line = "deskgate serve --config \(workspace.configuration)"
        let text = try complaint(environment: ["DESKGATE_CONFIG": workspace.configuration], [])
        #expect(text == refusal("deskgate.db", place: workspace.directory.path, line: line))
    }

    @Test func `a user without a name is named by the id`() throws {
        try give(workspace.directory.path, to: "12345")
        let text = try complaint(["--config", workspace.configuration])
        #expect(text.contains("which the service of user 12345 could not write afterwards; "))
        let line = "setpriv --reuid=12345 --regid=12345 --clear-groups deskgate serve --config \(workspace.configuration)"
        #expect(text.hasSuffix("\(workspace.directory.path) belongs to user 12345; as root, or with sudo: \(line)\n"))
    }

    @Test func `serve makes no copy of the revocations in the directory of another user`() throws {
        try File.createDirectory(path("copies"), mode: 0o700)
        try give(path("copies"))
        try workspace.configure(["store": ["path": "deskgate.db", "revocations_path": "copies/revocations"]])
        let line = "deskgate serve --config \(workspace.configuration)"
        #expect(try complaint(["--config", workspace.configuration]) == refusal("copies/revocations", place: path("copies"), line: line))
        #expect(!File.exists(path("deskgate.db")))
    }

    /// The line for the other user would say that root must serve.
    @Test func `the line follows a check where its user could not read the files`() throws {
        let state = try TemporaryDirectory()
        try workspace.configure(["store": ["path": .string(state.path("deskgate.db"))]])
        try give(state.path)
        let text = try complaint(["--config", workspace.configuration])
        let check = "deskgate check --config \(workspace.configuration) names them with their remedies"
        #expect(text.contains("; that user cannot read every file: \(check); \(state.path) belongs to daemon; as root, "))
    }

    @Test func `the service is started as the owner of the store, not of the configuration`() throws {
        let state = try TemporaryDirectory()
        try workspace.configure(["store": ["path": .string(state.path("deskgate.db"))]])
        try give(state.path)
        let result = try Deskgate.run("status", "--config", workspace.configuration)
        #expect(result.code == 2)
        #expect(result.errors.contains("; start it: runuser -u daemon -- deskgate serve --config \(workspace.configuration). Its store "))
    }

    @Test func `root serves another user's configuration whose store is root's`() throws {
        let own = try TemporaryDirectory()
        try workspace.configure(["store": ["path": .string(own.path("deskgate.db"))]])
        try give(workspace.directory.path)
        let server = try RunningServer(workspace)
        #expect(try server.stop() == .exit(0))
    }

    /// No command of root would use such a database afterwards.
    @Test func `serve makes no database that a second user could redirect`() throws {
        try File.createDirectory(path("theirs"), mode: 0o755)
        try File.createDirectory(path("theirs/others"), mode: 0o755)
        try give(path("theirs"))
        try give(path("theirs/others"), to: "bin")
        try workspace.configure(["store": ["path": "theirs/others/deskgate.db"]])
        let text = try complaint(["--config", workspace.configuration])
        let reason = "\(path("theirs/others")) belongs to bin, but \(path("theirs")) on the way to it to daemon: give both to one user "
        #expect(text.hasPrefix("deskgate: cannot take the rights of the owner of \(path("theirs/others/deskgate.db")): \(reason)"))
        #expect(!File.exists(path("theirs/others/deskgate.db")))
    }

    @Test(arguments: [0o2770, 0o777] as [mode_t])
    func `serve makes no database in a directory of root that others may write to`(_ mode: mode_t) throws {
        try File.createDirectory(path("state"), mode: 0o700)
        #expect(unsafe chmod(path("state"), mode) == 0)
        try workspace.configure(["store": ["path": "state/deskgate.db"]])
        let text = try complaint(["--config", workspace.configuration])
        let reason = "\(path("state")) is root's, but others may write to it: give it to the user of the service (chown), or "
        #expect(text.hasPrefix("deskgate: cannot take the rights of the owner of \(path("state/deskgate.db")): \(reason)"))
        #expect(!File.exists(path("state/deskgate.db")))
    }

    @Test func `a demonstration makes no database in the directory of another user`() throws {
        try give(workspace.directory.path)
        #expect(try Deskgate.run("init", "--bot-demo", path("demo")).code == 0)
        let before = workspace.directory.contents()
        let result = try Deskgate.run("bots", "demo", path("demo"))
        #expect(result.code == 2)
        #expect(result.errors.hasSuffix("; as root, or with sudo: runuser -u daemon -- deskgate bots demo \(path("demo"))\n"))
        #expect(workspace.directory.contents() == before)
    }

    @Test func `a demonstration makes no database where its configuration names another user's directory`() throws {
        try File.createDirectory(path("theirs"), mode: 0o700)
        try give(path("theirs"))
        #expect(try Deskgate.run("init", "--bot-demo", "--store", path("theirs/demo.db"), path("demo")).code == 0)
        let result = try Deskgate.run("bots", "demo", path("demo"))
        #expect(result.errors == refusal("theirs/demo.db", place: path("theirs"), line: "deskgate bots demo \(path("demo"))"))
        #expect(!File.exists(path("theirs/demo.db")))
    }
}
