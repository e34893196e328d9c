import Glibc
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing
import Threading

/// `deskgate secret rotate`
@Suite struct SecretRotateTests {
    private static let listeners: JSONObject = ["admin": ["unix": "admin.sock", "token": ["file": "admin-token"]]]

    private func rotate(_ workspace: Workspace, _ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(["secret", "rotate", "--config", workspace.configuration, "--app", Workspace.app] + words)
    }

    /// The step, its status and its reason in `--json`.
    private func reported(_ result: Deskgate.Result) throws -> [String?] {
        let json = try result.json
        return [json.string("step"), json.string("status"), json.string("reason")]
    }

    private func keys(_ workspace: Workspace) throws -> [String] {
        let json = try Deskgate.run("status", "--json", "--config", workspace.configuration).json
        guard case .array(let keys)? = json["keys"] else { return [] }
        return keys.map { key in
            guard case .object(let key) = key else { return "" }
            return "\(key.integer("key_id") ?? 0) \(key.string("state") ?? "") \(key.integer("last_used") == nil ? "unused" : "used")"
        }
    }

    /// All steps during requests with keys of the old and the new secret: no request is denied before the old secret is removed.
    @Test func `a rotation under load denies no request`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        let old = try workspace.key()
        let load = RotationLoad(server.publicAddress, clients: 3)
        load.add(old)
        var line = 0
        func reload() throws {
            #expect(load.waitForMore(100))
            server.process.send(SIGHUP)
            line = try server.process.errors.line(containing: "configuration reloaded", from: line).number + 1
            #expect(load.waitForMore(100))
        }

        #expect(try reported(rotate(workspace, "--json")) == ["add", "due", nil])
        let added = try rotate(workspace, "--apply", "--json")
        #expect(added.code == 0)
        #expect(try reported(added) == ["add", "done", nil])
        let secret = try #require(try added.json.string("secret_file"))
        #expect(secret == workspace.directory.path("app-1-2.key"))
        #expect(try Command("stat", "-c", "%a", secret).output == "600\n")
        let text = try String(workspace.read("app-1-2.key").dropLast())
        #expect(text.utf8.count == 43)
        #expect(!added.output.contains(text))
        #expect(!added.errors.contains(text))
        // The service has not reloaded it yet.
        let early = try rotate(workspace, "--apply", "--json")
        #expect(early.code == 1)
        #expect(try reported(early) == ["activate", "waits", "reload"])
        #expect(early.output.contains("if they are kept on several machines, run deskgate reload there, then run this again"))
        try reload()
        #expect(try workspace.key() != "")
        #expect(try keys(workspace) == ["1 active used", "2 verify_only unused"])

        #expect(try reported(rotate(workspace, "--check", "--json")) == ["activate", "due", nil])
        #expect(try reported(rotate(workspace, "--apply", "--json")) == ["activate", "done", nil])
        try reload()
        let new = try workspace.key()
        #expect(try Deskgate.run("key", "inspect", "--json", "--key", new).json.integer("key_id") == 2)
        load.add(new)
        #expect(load.waitForMore(100))
        #expect(try keys(workspace) == ["1 verify_only used", "2 active used"])

        // The old key is in use.
        let refused = try rotate(workspace, "--apply", "--json")
        #expect(refused.code == 1)
        #expect(try reported(refused) == ["retire", "waits", "in_use"])
        #expect(try server.authorize(old).status == 200)
        load.remove(old)
        #expect(try reported(rotate(workspace, "--apply", "--force", "--json")) == ["retire", "done", nil])
        try reload()
        load.stop()
        #expect(load.wrong == 0)
        #expect(load.right > 500)
        #expect(try server.authorize(old).status == 403)
        #expect(try server.authorize(new).status == 200)
        #expect(try keys(workspace) == ["2 active used"])
        #expect(try reported(rotate(workspace, "--json")) == ["add", "due", nil])
        #expect(try server.stop() == .exit(0))
    }

    /// Only the keys change, and the file keeps its permissions.
    @Test func `changes only the keys in the file`() throws {
        let workspace = try Workspace(Self.listeners)
        let before = try workspace.read("config.json")
        try workspace.directory.write("config.json", before.replacing("\"admin\"", with: "\n\n  \"admin\" "), mode: 0o604)
        let text = try workspace.read("config.json")
        #expect(try rotate(workspace, "--apply").code == 0)
        let edited = try workspace.read("config.json")
        // One text was inserted, and nothing else changed.
        let start = zip(text.utf8, edited.utf8).prefix { $0 == $1 }.count
        let end = zip(text.utf8.reversed(), edited.utf8.reversed()).prefix { $0 == $1 }.count
        #expect(start + end >= text.utf8.count)
        #expect(edited.contains("\n\n  \"admin\" "))
        #expect(edited.contains("app-1-2.key"))
        #expect(try Command("stat", "-c", "%a", workspace.configuration).output == "604\n")
        #expect(!File.exists(workspace.configuration + ".rotating"))
        #expect(try Deskgate.run("check", "--config", workspace.configuration).code == 0)
    }

    /// Without a service, the store contains the uses; without both, only a key can be added.
    @Test func `without a service the store is read`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        #expect(try server.authorize(workspace.key()).status == 200)
        #expect(try server.stop() == .exit(0))
        #expect(try keys(workspace) == ["1 active used"], "a restart forgets no use")
        for step in ["add", "activate"] {
            #expect(try reported(rotate(workspace, "--apply", "--json")) == [step, "done", nil])
        }
        #expect(try reported(rotate(workspace, "--json")) == ["retire", "waits", "in_use"])
        #expect(try reported(rotate(workspace, "--apply", "--unused-days", "0", "--json")) == ["retire", "done", nil])

        try workspace.configure(Self.listeners.with(["type": "memory"], for: "store"))
        #expect(try reported(rotate(workspace, "--apply", "--json")) == ["add", "done", nil])
        let unknown = try rotate(workspace, "--apply", "--json")
        #expect(try reported(unknown) == ["activate", "waits", "unknown"])
        #expect(unknown.code == 1)
        #expect(try reported(rotate(workspace, "--apply", "--force", "--json")) == ["activate", "done", nil])
    }

    @Test func `rejects a step that it cannot complete`() throws {
        let workspace = try Workspace(Self.listeners)
        let text = try workspace.read("config.json")
        try workspace.write("app-1-2.key", "taken", mode: 0o600)
        try workspace.write("config.json.rotating", "another run")
        let busy = try rotate(workspace, "--apply")
        #expect(busy.code == 1)
        #expect(busy.errors.contains("config.json.rotating exists: another run is under way, or was killed"))
        #expect(try workspace.read("config.json") == text)
        #expect(!File.exists(workspace.directory.path("app-1-2-2.key")), "the secret goes with the edit")
        try File.remove(workspace.configuration + ".rotating")
        let link = workspace.directory.path("link.json")
        #expect(unsafe symlink(workspace.configuration, link) == 0)
        let linked = try Deskgate.run("secret", "rotate", "--config", link, "--app", Workspace.app, "--apply")
        #expect(linked.code == 2)
        #expect(linked.errors.contains("is a symbolic link"))
        #expect(try rotate(workspace, "--apply", "--check").code == 2)
        #expect(try Deskgate.run("secret", "rotate", "--config", workspace.configuration, "--app", "app-9").code == 2)
        #expect(try workspace.read("config.json") == text)
        let added = try rotate(workspace, "--apply", "--json")
        #expect(try added.json.string("secret_file") == workspace.directory.path("app-1-2-2.key"), "a file is never overwritten")
        #expect(try workspace.read("app-1-2.key") == "taken\n")
    }

    @Test func `the text output contains the next step`() throws {
        let workspace = try Workspace(Self.listeners)
        #expect(
            try rotate(workspace).output
                == "app-1, step 1 of 3: add key 2, which only verifies at first. It can be done now, with --apply.\n")
        let added = try rotate(workspace, "--apply").output
        #expect(added.hasPrefix("app-1, step 1 of 3 is done: key 2 was added and only verifies (secret: "))
        #expect(added.hasSuffix("Next: run deskgate reload on every replica, then run this again to make key 2 the active one.\n"))
        let server = try RunningServer(workspace)
        let status = try Deskgate.run("status", "--config", workspace.configuration).output
        #expect(status.contains("\nAPP    KEY  STATE        NOT AFTER  LAST USED\napp-1  1    active       none       never since "))
        #expect(try rotate(workspace, "--apply").code == 0)
        let behind = try Deskgate.run("status", "--config", workspace.configuration).output
        #expect(behind.contains("The keys in force in the service are not those of the configuration file: run deskgate reload there. "))
        #expect(try server.stop() == .exit(0))
    }
}

extension JSONObject {
    /// The same object with another member.
    fileprivate func with(_ value: JSONValue, for key: String) -> JSONObject {
        var object = self
        object.append(value, forKey: key)
        return object
    }
}

/// Clients that continuously request authorization with each of the keys in turn.
private final class RotationLoad: Sendable {
    private struct State {
        var keys: [String] = []
        var right = 0
        var wrong = 0
        var underWay: [String] = []
        var isDone = false
    }

    private let state = Monitor(State())
    private let threads: Monitor<[DedicatedThread]>

    init(_ address: ListenAddress, clients: Int) {
        let state = state
        threads = Monitor((0..<clients).map { _ in startThread { Self.work(address, state) } })
    }

    deinit {
        stop()
    }

    var right: Int { state.withLock { $0.right } }

    var wrong: Int { state.withLock { $0.wrong } }

    func add(_ key: String) { state.update { $0.keys.append(key) } }

    /// Stops using a key, and returns when no request with it is running.
    func remove(_ key: String) {
        state.update { $0.keys.removeAll { $0 == key } }
        _ = state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.underWay.contains(key) ? nil : true }
    }

    /// Waits until `count` more requests have been answered.
    func waitForMore(_ count: Int) -> Bool {
        let goal = state.withLock { $0.right + $0.wrong } + count
        return state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.right + $0.wrong >= goal ? true : nil } != nil
    }

    func stop() {
        state.update { $0.isDone = true }
        for thread in threads.takeAll() { thread.join() }
    }

    private static func work(_ address: ListenAddress, _ state: Monitor<State>) {
        var client = try? SocketClient(address)
        var turn = 0
        while let key = take(state, turn) {
            turn += 1
            let status = try? client?.authorize(key).status
            if status == nil { client = try? SocketClient(address) }
            state.update { state in
                state.underWay.firstIndex(of: key).map { _ = state.underWay.remove(at: $0) }
                if status == 200 { state.right += 1 } else { state.wrong += 1 }
            }
        }
    }

    /// The next key; nil at the end.
    private static func take(_ state: Monitor<State>, _ turn: Int) -> String? {
        let key: String?? = state.wait { state in
            if state.isDone { return .some(nil) }
            guard !state.keys.isEmpty else { return nil }
            let key = state.keys[turn % state.keys.count]
            state.underWay.append(key)
            return key
        }
        return key ?? nil
    }
}
