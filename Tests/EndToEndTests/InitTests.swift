import Glibc
import JSON
import TestSupport
import Testing

/// `deskgate init`
@Suite struct InitTests {
    private static let files = ["config.json", "secrets/admin-token", "secrets/app-1.key", "secrets/webhook-1.key"]

    @Test func `creates files that only the owner can read and prints the next steps`() throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("init", scratch.path("new"))
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasSuffix("\nThen serve it:\n  deskgate serve --config \(scratch.path("new"))/config.json\n"))
        #expect(scratch.contents() == ["new", "new/config.json", "new/secrets"] + Self.files.dropFirst().map { "new/\($0)" })
        #expect(result.output.contains("where SECRET is in \(scratch.path("new"))/secrets/webhook-1.key\n"))
        #expect(mode(scratch.path("new")) == 0o700)
        #expect(mode(scratch.path("new/secrets")) == 0o700)
        for file in Self.files.dropFirst() { #expect(mode(scratch.path("new/\(file)")) == 0o600) }
        #expect(mode(scratch.path("new/config.json")) == 0o640)
        try chooseFreePorts(scratch.path("new/config.json"))
        let check = try Deskgate.run("check", "--config", scratch.path("new/config.json"))
        #expect(check.code == 0)
        #expect(check.errors.contains(": warning: $.apps[0].notifiers (app_id \"my-app\"): no one is notified of this app's replies, "))
    }

    @Test func `secrets differ each time and are not shown`() throws {
        let scratch = try TemporaryDirectory()
        var secrets: Set<String> = []
        for name in ["a", "b"] {
            let output = try Deskgate.run("init", scratch.path(name)).output
            for file in Self.files.dropFirst() {
                let secret = try scratch.read("\(name)/\(file)").dropLast()
                secrets.insert(String(secret))
                #expect(secret.utf8.count == 43)
                let isShown = output.contains(secret)
                #expect(!isShown)
            }
        }
        #expect(secrets.count == 6)
    }

    @Test func `the result is printed as JSON`() throws {
        let scratch = try TemporaryDirectory()
        let root = scratch.path("new")
        let result = try Deskgate.run("init", "--json", "--port", "28100", root)
        #expect(
            try result.json == [
                "configuration": .string("\(root)/config.json"), "admin_token": .string("\(root)/secrets/admin-token"),
                "app_secret": .string("\(root)/secrets/app-1.key"), "port": 28100, "admin_port": 28101,
                "start": .string("deskgate serve --config \(root)/config.json"), "webhook_secret": .string("\(root)/secrets/webhook-1.key"),
            ])
    }

    @Test func `a missing parent directory is reported with the command that creates it`() throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("init", scratch.path("a/b/c"))
        #expect(result.code == 2)
        let line = "mkdir -p \(scratch.path("a/b"))\n"
        #expect(result.errors == "deskgate: cannot make \(scratch.path("a/b/c")): No such file or directory; first run \(line)")
    }

    @Test func `the database is in the reported directory`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path("new"), "--store", scratch.path("state/own.db")).code == 0)
        let configuration = try jsonObject(scratch.read("new/config.json"))
        #expect(configuration["store"] == ["type": "sqlite", "path": .string(scratch.path("state/own.db"))])
    }

    @Test func `no key of a new configuration is valid for more than a week`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path("new")).code == 0)
        let configuration = try jsonObject(scratch.read("new/config.json"))
        #expect(configuration["security_keys"] == ["longest_life_seconds": 604_800])
        let mint = ["key", "mint", "--config", scratch.path("new/config.json"), "--app", "my-app", "--user", Markers.user, "--ttl"]
        #expect(try Deskgate.run(mint + ["7d"]).code == 0)
        #expect(try Deskgate.run(mint + ["8d"]).errors.hasPrefix("deskgate: --ttl: A key may live at most 604800 seconds"))
    }

    @Test func `the current directory is the default`() throws {
        let scratch = try TemporaryDirectory()
        let process = try ChildProcess("/usr/bin/env", ["-C", scratch.path, Deskgate.path, "init"].map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(0))
        #expect(try process.output.text().contains("Made config.json, and fresh secrets in secrets "))
        #expect(scratch.contents() == ["config.json", "secrets"] + Self.files.dropFirst())
    }

    @Test func `the app is used unchanged`() throws {
        let scratch = try TemporaryDirectory()
        let app = "Zm9v~YmFy-\"ü\"\\=="
        #expect(try Deskgate.run("init", scratch.path, "--app", app).code == 0)
        try chooseFreePorts(scratch.path("config.json"))
        #expect(try Deskgate.run("check", "--json", "--config", scratch.path("config.json")).json["apps"] == [.string(app)])
    }

    @Test(arguments: ["", "a\u{1}b", String(repeating: "a", count: 256)])
    func `an invalid app is rejected`(_ app: String) throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("init", scratch.path, "--app", app)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --app: "))
        #expect(result.errors.contains("; expected a string of 1 to 255 UTF-16 code units.\n"))
        #expect(scratch.contents().isEmpty)
    }

    @Test(arguments: files)
    func `existing files are never overwritten`(_ file: String) throws {
        let scratch = try TemporaryDirectory()
        unsafe mkdir(scratch.path("secrets"), 0o700)
        try scratch.write(file, "kept")
        let before = scratch.contents()
        let result = try Deskgate.run("init", scratch.path)
        #expect(result.code == 1)
        #expect(result.output.isEmpty)
        let remedy =
            file == "config.json"
            ? "start its service: deskgate serve --config \(scratch.path(file))"
            : Self.remedy(beside: [scratch.path(file)], in: scratch)
        let text = "\(scratch.path(file)) exists already; nothing was changed; name another directory, or \(remedy)"
        #expect(result.errors == "deskgate: \(text)\n")
        #expect(try scratch.read(file) == "kept")
        #expect(scratch.contents() == before)
    }

    @Test(arguments: files)
    func `never follows a dangling link`(_ file: String) throws {
        let scratch = try TemporaryDirectory()
        unsafe mkdir(scratch.path("secrets"), 0o700)
        unsafe symlink(scratch.path("elsewhere"), scratch.path(file))
        let before = scratch.contents()
        let result = try Deskgate.run("init", scratch.path)
        #expect(result.code == 1)
        #expect(scratch.contents() == before)
    }

    @Test func `a second time changes nothing`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path).code == 0)
        let before = try Self.files.map { try scratch.read($0) }
        #expect(try Deskgate.run("init", scratch.path, "--app", "another").code == 1)
        #expect(try Self.files.map { try scratch.read($0) } == before)
    }

    @Test func `a directory without write permission is reported`() throws {
        let scratch = try TemporaryDirectory()
        try scratch.write("file", "")
        for place in ["missing/new", "file/new", "file"] {
            let result = try Deskgate.run("init", scratch.path(place))
            #expect(result.code == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("deskgate: cannot make \(scratch.path(place))"))
        }
        #expect(try Deskgate.run("init", "").errors.hasPrefix("deskgate: DIR: is empty; name a directory\n"))
        #expect(scratch.contents() == ["file"])
    }

    @Test func `a service starts with the created files`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path).code == 0)
        try chooseFreePorts(scratch.path("config.json"))
        let server = try RunningServer(configuration: scratch.path("config.json"))
        let minted = try Deskgate.run("key", "mint", "--config", scratch.path("config.json"), "--app", "my-app", "--user", Markers.user)
        #expect(try server.authorize(String(minted.output.dropLast()), app: "my-app").status == 200)
        let secret = String(try scratch.read("secrets/webhook-1.key").dropLast())
        let body =
            #"{"ticket_id":1,"token":{"app_id":"my-app","user_id":"u","device_id":"d","type":"ios"},"#
            + #""comment":{"comment_id":2,"body":"x"},"author":{"name":"Ann"},"created_at":"2026-03-10T08:15:12Z"}"#
        let client = try SocketClient(server.publicAddress)
        try client.send("POST /pyrus/webhook/\(secret) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.readResponse().text == #"{"status":"accepted"}"#)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `an app of Sendbird waits for its tokens`() throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run("init", scratch.path("new"), "--help-desk", "sendbird", "--app", "APP-1")
        #expect(result.code == 0)
        #expect(result.output.contains("https://YOUR-HOST/sendbird/desk-webhook/APP-1\n"))
        #expect(scratch.contents() == ["new", "new/config.json", "new/secrets", "new/secrets/admin-token", "new/secrets/app-1.key"])
        try chooseFreePorts(scratch.path("new/config.json"))
        let check = try Deskgate.run("check", "--config", scratch.path("new/config.json"))
        #expect(check.code == 2)
        for name in ["sendbird-chat-token", "sendbird-desk-token"] {
            #expect(result.output.contains("into \(scratch.path("new/secrets/\(name)")).\n"))
            #expect(check.errors.contains(name))
            try scratch.write("new/secrets/\(name)", "a-token-of-sendbird-for-\(name)\n", mode: 0o600)
        }
        #expect(try Deskgate.run("check", "--config", scratch.path("new/config.json")).code == 0)
        let unknown = try Deskgate.run("init", scratch.path("other"), "--help-desk", "zendesk")
        #expect(unknown.code == 2)
        #expect(unknown.errors.hasPrefix("deskgate: --help-desk: expected pyrus or sendbird."))
    }

    @Test func `ports are chosen as a pair`() throws {
        let scratch = try TemporaryDirectory()
        let first = try Deskgate.run("init", scratch.path("a"))
        #expect(first.code == 0)
        let usual = try ports(scratch.read("a/config.json"))
        // Other programs may use the default ports at the moment.
        let said = usual == [8080, 9090] ? "" : "The usual ports are taken, so it has \(usual[0]) and \(usual[1]).\n"
        #expect(first.output.hasPrefix("\(said)Made "))
        #expect(try Deskgate.run("init", scratch.path("b"), "--port", "28100").code == 0)
        let chosen = try ports(scratch.read("b/config.json"))
        #expect(chosen == [28100, 28101])
        for port in ["0", "65535", "x"] {
            let result = try Deskgate.run("init", scratch.path("c"), "--port", port)
            #expect(result.code == 2)
            #expect(result.errors.hasPrefix("deskgate: --port: expected a number from 1 to 65534\n  --port N "))
        }
        #expect(!scratch.contents().contains("c"))
    }

    @Test func `all remaining files without a configuration are reported`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path).code == 0)
        unsafe unlink(scratch.path("config.json"))
        let result = try Deskgate.run("init", scratch.path)
        #expect(result.code == 1)
        let left = Self.files.dropFirst().map { scratch.path($0) }
        #expect(result.errors.hasSuffix(", or \(Self.remedy(beside: left, in: scratch))\n"))
    }

    private static func remedy(beside left: [String], in scratch: TemporaryDirectory) -> String {
        "if \(scratch.path("config.json")) is lost, put it back: \(costOfNewOne); otherwise move away \(left.joined(separator: ", "))"
    }

    @Test(arguments: [nil, "other.db"]) func `an existing database is reported`(_ store: String?) throws {
        let scratch = try TemporaryDirectory()
        let database = scratch.path(store ?? "deskgate.db")
        try scratch.write(store ?? "deskgate.db", "")
        let result = try Deskgate.run(["init", scratch.path] + (store.map { ["--store", $0] } ?? []))
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("\(database) exists already: if its configuration is lost, put it back: \(costOfNewOne).\n\n"))
    }

    /// It may be free when the service starts.
    @Test(arguments: [0, 1]) func `a requested port in use is reported and written`(_ offset: UInt16) throws {
        let scratch = try TemporaryDirectory()
        let port = try freePorts(2)
        let holder = try ScriptedServer(.everyRequest(.respond(404)), port: port + offset)
        defer { holder.stop() }
        let result = try Deskgate.run("init", scratch.path("a"), "--port", "\(port)")
        #expect(result.code == 0)
        let reason = "cannot listen on 127.0.0.1:\(port + offset): it is already in use; stop the process that "
        #expect(result.output.hasPrefix("Made \(scratch.path("a"))/config.json"))
        let start = "deskgate serve --config \(scratch.path("a"))/config.json"
        #expect(result.output.contains("\nThen serve it:\n  \(start)\nThe service could not start now: \(reason)"))
        #expect(try ports(scratch.read("a/config.json")) == [Int64(port), Int64(port) + 1])
    }

    @Test func `a status before the first start begins with the command that starts the service`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path).code == 0)
        let configuration = scratch.path("config.json")
        try chooseFreePorts(configuration)
        let result = try Deskgate.run("status", "--config", configuration)
        #expect(result.code == 2)
        let start = "the service does not run; start it: deskgate serve --config \(configuration). "
        let reason = "Its store cannot be used: there is no store at \(scratch.path("deskgate.db")) yet"
        #expect(result.errors == "deskgate: \(start)\(reason)\n")
    }

    @Test func `a health check before the first start ends with the command that starts the service`() throws {
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", "--port", "\(try freePorts(2))", scratch.path).code == 0)
        let configuration = scratch.path("config.json")
        let result = try Deskgate.run("health", "--config", configuration)
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("deskgate: nothing answers at 127.0.0.1:"))
        #expect(result.errors.hasSuffix("; start it: deskgate serve --config \(configuration)\n"))
    }

    @Test func `free ports replace default ports in use`() throws {
        let scratch = try TemporaryDirectory()
        // Another process with the port may end at any time.
        guard let holder = try? ScriptedServer(.everyRequest(.respond(404)), port: 8080) else { return }
        defer { holder.stop() }
        let result = try Deskgate.run("init", scratch.path("a"))
        let chosen = try ports(scratch.read("a/config.json"))
        #expect(chosen[0] != 8080)
        #expect(chosen[1] != 9090)
        #expect(result.output.hasPrefix("The usual ports are taken, so it has \(chosen[0]) and \(chosen[1]).\nMade "))
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away"))
    func `files created by root belong to the directory's owner`() throws {
        let scratch = try TemporaryDirectory()
        let (user, group) = try daemon()
        #expect(unsafe chown(scratch.path, user, group) == 0)
        let result = try Deskgate.run("init", scratch.path)
        #expect(result.code == 0)
        for file in Self.files + ["secrets"] {
            var status = stat()
            unsafe lstat(scratch.path(file), &status)
            #expect(status.st_uid == user, "\(file)")
            #expect(status.st_gid == group, "\(file)")
        }
        #expect(result.output.hasSuffix("\n  runuser -u daemon -- deskgate serve --config \(scratch.path)/config.json\n"))
    }

    @Test(.enabled(if: getuid() == 0, "only root may give files away"))
    func `a service of a directory whose owner has no name is started with the id`() throws {
        let scratch = try TemporaryDirectory()
        #expect(unsafe chown(scratch.path, 12_345, 12_346) == 0)
        let result = try Deskgate.run("init", scratch.path)
        let line = "setpriv --reuid=12345 --regid=12346 --clear-groups deskgate serve --config \(scratch.path)/config.json"
        #expect(result.output.hasSuffix("\n  \(line)\n"))
        let serve = try Deskgate.run("serve", "--config", scratch.path("config.json"))
        #expect(serve.code == 2)
        #expect(serve.errors.hasSuffix("; as root, or with sudo: \(line)\n"))
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a directory of another user is rejected with the command that works`() throws {
        let scratch = try TemporaryDirectory()
        let (user, group) = try daemon()
        #expect(unsafe chown(scratch.path, user, group) == 0)
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", Deskgate.path, "init", scratch.path, "--app", "app-1"]
        let process = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(2))
        #expect(
            try process.errors.text()
                == "deskgate: cannot make \(scratch.path)/secrets: Permission denied; \(scratch.path) belongs to daemon; "
                + "as root, or with sudo: runuser -u daemon -- deskgate init --app app-1 \(scratch.path)\n")
        #expect(scratch.contents() == [])
    }

    private func daemon() throws -> (user: uid_t, group: gid_t) {
        let entry = unsafe getpwnam("daemon").map { unsafe (user: $0.pointee.pw_uid, group: $0.pointee.pw_gid) }
        return try #require(entry)
    }

    private func ports(_ text: String) throws -> [Int64] {
        let configuration = try jsonObject(text)
        return ["listen", "admin"].compactMap { name in
            if case .object(let listener)? = configuration[name] { listener.integer("port") } else { nil }
        }
    }

    /// Changes the ports to ones that the system chooses, so that tests do not use the same.
    private func chooseFreePorts(_ path: String) throws {
        #expect(try Command("sed", "-i", #"s/"port": [0-9]*/"port": 0/"#, path).status == 0)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        unsafe lstat(path, &status)
        return status.st_mode & 0o7777
    }
}
