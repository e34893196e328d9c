import JSON
import POSIX
import TestSupport
import Testing
import Time

/// `deskgate doctor`
@Suite struct DoctorTests {
    /// The service can be queried for its problems.
    private static let listeners: JSONObject = [
        "listen": ["unix": "public.sock", "max_connections": 100],
        "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]],
    ]

    @Test func `a running service has no problems`() throws {
        let workspace = try Workspace(Self.listeners)
        let before = try examine(workspace)
        #expect(before.code == 2)
        #expect(before.states("ports") == ["problem"])
        let silence = "the service does not run: nothing answers at unix:\(workspace.directory.path("public.sock")): "
        #expect(before.message("ports")?.hasPrefix(silence) == true)
        let start = "deskgate serve --config \(workspace.configuration)"
        let admin = ", and no program listens at unix:\(workspace.directory.path("admin.sock")). Start it: \(start). If it does not start, "
        #expect(before.message("ports")?.contains(admin) == true)
        #expect(before.message("store") == "\(workspace.directory.path("deskgate.db")) will be made by the first start")
        let server = try RunningServer(workspace)
        let findings = try examine(workspace)
        #expect(
            findings.message("configuration")
                == "\(workspace.configuration) is valid; other users cannot change it or the other files (2) that it names"
        )
        #expect(findings.message("ports") == "the service answers on unix:\(workspace.directory.path("public.sock")) and is ready")
        #expect(findings.messages("service") == ["the service that runs finds nothing wrong"])
        #expect(before.messages("service").map { $0.hasPrefix("not asked: no service answers at ") } == [true])
        #expect(findings.messages("store").last == "no page of \(workspace.directory.path("deskgate.db")) is damaged")
        #expect(findings.messages("limits").contains { $0.wholeMatch(of: /\d+ MB are free in .*/) != nil })
        #expect(findings.list.allSatisfy { $0.state != "problem" })
        #expect(try server.stop() == .exit(0))
    }

    /// Each check also reads the store, and its readers are no service.
    @Test func `a stopped service's store is not reported as in use`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        #expect(try RunningServer(workspace).stop() == .exit(0))
        for _ in 1...5 {
            let findings = try examine(workspace)
            #expect(findings.states("ports") == ["problem"])
            #expect(findings.message("ports")?.hasPrefix("the service does not run: ") == true)
        }
    }

    @Test func `a port chosen by the system does not identify the service`() throws {
        let workspace = try Workspace()
        let findings = try examine(workspace)
        #expect(findings.states("ports") == ["ok"])
        #expect(findings.message("ports")?.hasPrefix("the service does not seem to run: ") == true)
    }

    @Test func `the ports of a service that waits for its store are its own`() throws {
        let port = try freePorts(2)
        let workspace = try Workspace([
            "listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1), "store": ["path": "missing/deskgate.db"],
        ])
        let server = try RunningServer(workspace)
        let findings = try examine(workspace)
        #expect(findings.messages("ports") == ["127.0.0.1:\(port) answers, but is not ready; deskgate status shows why"])
        #expect(try server.stop() == .exit(0))
    }

    /// The service is ready, as `status` shows.
    @Test func `a listener without room for the doctor is not reported as unready`() throws {
        let port = try freePorts(2)
        let listen: JSONValue = ["host": "127.0.0.1", "port": .integer(Int64(port)), "max_connections": 1]
        let workspace = try Workspace(["listen": listen, "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        let client = try SocketClient(server.publicAddress)
        // The server would close an idle connection for the doctor's.
        try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        let refusal = "the listener at 127.0.0.1:\(port) refuses the request (too_many_connections); deskgate status shows why"
        #expect(try examine(workspace).messages("ports") == [refusal])
        try client.send("{}")
        _ = try client.readResponse()
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a foreign process at the admin listener's port is reported`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let stranger = try ScriptedServer(.everyRequest(.respond(404)))
        defer { stranger.stop() }
        try workspace.configure(["admin": Workspace.admin(port: stranger.port)])
        let held =
            "127.0.0.1:\(stranger.port) is held by a process that has not proven to know an admin token (it answered with the status 404)"
        #expect(try examine(workspace).messages("ports").last?.hasPrefix(held) == true)
        #expect(try server.stop() == .exit(0))
        let obstacle = try #require(try examine(workspace).message("ports"))
        #expect(obstacle.hasPrefix("$.admin: cannot listen on 127.0.0.1:\(stranger.port): it is already in use; "))
        #expect(obstacle.hasSuffix("; it has not proven to know an admin token: it answered with the status 404"))
    }

    @Test func `a public listener that is not in force is reported with the one that is`() throws {
        let port = try freePorts(3)
        let workspace = try Workspace(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        try workspace.configure(["listen": Workspace.listener(port: port + 2), "admin": Workspace.admin(port: port + 1)])
        let finding = try #require(try examine(workspace).message("ports"))
        #expect(finding.hasPrefix("nothing answers at 127.0.0.1:\(port + 2)"))
        #expect(finding.contains(", because the service that runs has another listener in force ($.listen.port is \(port)); restart it, "))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the process with other listeners in force is reported`() throws {
        let port = try freePorts(4)
        let workspace = try Workspace(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        try workspace.configure(["listen": Workspace.listener(port: port + 2), "admin": Workspace.admin(port: port + 3)])
        let findings = try examine(workspace)
        let user = "\(workspace.directory.path("deskgate.db")) is used by process \(server.process.identifier) (deskgate), "
        let finding = try #require(findings.message("ports"))
        #expect(finding.hasPrefix("\(user)which has another configuration in force: nothing answers at 127.0.0.1:\(port + 2): "))
        #expect(finding.hasSuffix(". Name its file (--config), or restart it"))
        let admin = "127.0.0.1:\(port + 3), where the configuration has its admin listener"
        #expect(findings.message("service") == "not asked: no service answers at \(admin)")
        let difference = try Deskgate.run("config", "show", "--diff", "--config", workspace.configuration)
        #expect(difference.code == 2)
        #expect(difference.errors.hasPrefix("deskgate: \(user)and nothing answers at 127.0.0.1:\(port + 3), where "))
        #expect(difference.errors.hasSuffix(" that the service was started with (--config), or restart it to take this one over\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `an admin listener that is not in force is reported, without the advice to stop the service`() throws {
        let port = try freePorts(3)
        let workspace = try Workspace(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 1)])
        let server = try RunningServer(workspace)
        try workspace.configure(["listen": Workspace.listener(port: port), "admin": Workspace.admin(port: port + 2)])
        let findings = try examine(workspace)
        #expect(findings.states("ports") == ["ok", "warning"])
        let text = "nothing answers at 127.0.0.1:\(port + 2) ($.admin), so the service that runs has another configuration in force; "
        #expect(findings.messages("ports").last?.hasPrefix(text) == true)
        #expect(findings.message("service")?.hasPrefix("not asked: no service answers at 127.0.0.1:\(port + 2), ") == true)
        let status = try Deskgate.run("status", "--config", workspace.configuration)
        #expect(status.code == 2)
        #expect(status.errors.contains("is used by process \(server.process.identifier) (deskgate), and nothing answers at "))
        #expect(!status.errors.contains("stop it"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `keys of the file that are not in force are reported`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        try workspace.write("app-1.key", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        let findings = try examine(workspace)
        #expect(findings.states("service") == ["warning"])
        let text = "The keys in force in the service are not those of the configuration file: run deskgate reload there. "
        #expect(findings.message("service")?.hasPrefix(text) == true)
        #expect(findings.message("service")?.contains("A secret of the environment, which may be another one in this shell, ") == true)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `problems of the running service are reported`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        for _ in 0..<5 { #expect(try server.authorize(key, app: "app-2").status == 403) }
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        #expect(findings.states("service") == ["problem"])
        let text = "5 authorizations within 10 minutes named an app_id that is not configured (unknown_app) and were answered 403. "
        #expect(findings.message("service")?.hasPrefix(text + "The nearest configured app_id is app-1. Compare the app_id") == true)
        let status = try Deskgate.run("status", "--config", workspace.configuration)
        #expect(status.code == 1)
        #expect(status.output.hasPrefix("Problem: \(text)The nearest configured app_id is app-1.\nRemedy: Compare the app_id"))
        #expect(try Deskgate.run("status", "--json", "--config", workspace.configuration).code == 1)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `mistakes of the configuration are reported first`() throws {
        let workspace = try Workspace(["log": ["level": "loud"], "shutdown": ["drain_seconds": -1]])
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        #expect(findings.states("configuration") == ["problem", "problem"])
        #expect(findings.messages("configuration").allSatisfy { $0.withoutPlaces.hasPrefix("\(workspace.configuration): $.") })
        #expect(findings.list.prefix(3).map(\.check) == ["configuration", "configuration", "clock"])
    }

    @Test func `insecure secrets are reported`() throws {
        let findings = try examine(Workspace(["allow_insecure_secrets": true]))
        #expect(findings.states("configuration").prefix(2) == ["ok", "warning"])
        #expect(findings.messages("configuration")[1].contains("$.allow_insecure_secrets allows weak"))
    }

    @Test func `a database moved away from the running service is not reported as a first start`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        let path = workspace.directory.path("deskgate.db")
        try File.rename(path, to: "\(path).moved")
        #expect(eventually { (try? showsTheLoss(of: path, workspace)) == true })
        let asked = try statusRequests(server)
        let findings = try examine(workspace)
        #expect(try statusRequests(server) == asked + 1)
        #expect(findings.code == 2)
        let remedy = "put the database back, as the service itself says, before you restart: a start would not find it"
        let loss = "\(path) is missing, but the service that runs has opened it; \(remedy)"
        #expect(findings.messages("store") == [loss])
        #expect(findings.messages("service").contains { $0.contains("Put it back before you restart") })
        var mistaken = Self.listeners
        mistaken.append(["path": "deskgate.db"], forKey: "store")
        mistaken.append(["level": "loud"], forKey: "log")
        try workspace.configure(mistaken)
        #expect(try examine(workspace).messages("store") == [loss], "beside a mistake")
        try File.rename("\(path).moved", to: path)
        #expect(eventually { (try? showsTheLoss(of: path, workspace)) == false })
        #expect(try server.stop() == .exit(0))
    }

    private func statusRequests(_ server: RunningServer) throws -> Int {
        let text = try PushSite.get(server.adminAddress, "/metrics")
        let count = text.firstMatch(of: /\ndeskgate_http_requests_total{listener="admin",route="\/v1\/status",code="200"} ([0-9]+)\n/)
        return try #require(count.flatMap { Int($0.1) })
    }

    private func showsTheLoss(of path: String, _ workspace: Workspace) throws -> Bool {
        try Deskgate.run("status", "--config", workspace.configuration).output.contains("the database \(path) was moved")
    }

    @Test func `a database that the running service has not opened is not reported as opened`() throws {
        let workspace = try Workspace(Self.listeners)
        let server = try RunningServer(workspace)
        let path = workspace.directory.path("deskgate.db")
        try File.rename(path, to: "\(path).moved")
        #expect(eventually { (try? showsTheLoss(of: path, workspace)) == true })
        var changed = Self.listeners
        changed.append(["path": "other.db"], forKey: "store")
        try workspace.configure(changed)
        #expect(try !examine(workspace).messages("store").contains { $0.contains("has opened it") })
        try File.rename("\(path).moved", to: path)
        #expect(eventually { (try? showsTheLoss(of: path, workspace)) == false })
        #expect(try server.stop() == .exit(0))
    }

    @Test func `damage of the store is found`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        #expect(try RunningServer(workspace).stop() == .exit(0))
        let path = workspace.directory.path("deskgate.db")
        // Each page except the first, which identifies the file.
        let damage = try Command("sh", "-c", "yes | dd of='\(path)' bs=4096 seek=1 count=4 conv=notrunc iflag=fullblock")
        #expect(damage.status == 0)
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        #expect(findings.states("store").contains("problem"))
        #expect(findings.messages("store").contains { $0.hasPrefix("\(path) is damaged: ") && $0.hasSuffix("deskgate store restore") })
    }

    @Test func `a store that cannot be searched for damage is a finding`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        try workspace.write("deskgate.db", String(repeating: "no database ", count: 1000), mode: 0o600)
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        let message = try #require(findings.messages("store").first { $0.hasPrefix("not searched for damage: ") })
        #expect(message.contains(workspace.directory.path("deskgate.db")))
    }

    @Test func `a clock behind the store is found`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        #expect(try RunningServer(workspace).stop() == .exit(0))
        #expect(try Command("touch", "-d", "+2 hours", workspace.directory.path("deskgate.db")).status == 0)
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        #expect(findings.messages("clock").contains { $0.wholeMatch(of: /the store was written 7\d\d\d s after now: .*/) != nil })
    }

    @Test func `obstacles to a start are found`() throws {
        let workspace = try Workspace([
            "listen": ["unix": "nowhere/public.sock"], "admin": ["unix": "admin.sock"], "store": ["path": "missing/deskgate.db"],
        ])
        let findings = try examine(workspace)
        #expect(findings.code == 2)
        #expect(findings.states("ports") == ["problem"])
        #expect(findings.states("store") == ["problem"])
        #expect(findings.message("store")?.hasPrefix("$.store.path: there is no directory ") == true)
    }

    @Test func `open files and memory are counted`() throws {
        let workspace = try Workspace([
            "listen": ["unix": "public.sock", "max_connections": 1_000_000], "admin": ["unix": "admin.sock", "max_connections": 1_000_000],
            "store": ["minimum_free_megabytes": 1_000_000],
        ])
        let words = "ulimit -n 200 && exec '\(Deskgate.path)' doctor --json --config '\(workspace.configuration)'"
        let findings = try Findings(code: 2, Command("sh", "-c", words).output)
        let files = "200 open files are allowed here, but 2000064 are wanted: 2000000 for max_connections and 0 "
        #expect(findings.messages("limits")[0].hasPrefix(files))
        #expect(findings.messages("limits").last?.contains("events are refused below 1000000 (store.minimum_free_megabytes)") == true)
    }

    @Test(.enabled(if: Deskgate.mayHideNameServers, "unshare(1) is not permitted"))
    func `hosts and providers are called`() throws {
        let workspace = try Workspace([
            "notifiers": [
                "backend": ["type": "http", "url": "https://events.invalid/", "secret": ["file": "signing"]],
                "shop": ["type": "rustore", "project_id": "p", "token": ["file": "token"], "url": "http://127.0.0.1:1"],
            ]
        ])
        try workspace.write("signing", String(try Deskgate.run("secret", "new", "--signing").output.dropLast()), mode: 0o600)
        try workspace.write("token", String(try Deskgate.run("secret", "new").output.dropLast()), mode: 0o600)
        let result = try Deskgate.runWithoutNameServers("doctor", "--json", "--config", workspace.configuration)
        let findings = try Findings(code: result.code, result.text)
        #expect(findings.states("dns") == ["problem"])
        #expect(findings.message("dns")?.hasPrefix("events.invalid ($.notifiers.backend) ") == true)
        #expect(findings.states("providers") == ["warning"])
        #expect(findings.message("providers")?.hasPrefix("shop (rustore): ") == true)
    }

    @Test func `colors are only for terminals`() throws {
        let workspace = try Workspace(["log": ["level": "loud"]])
        let words = "'\(Deskgate.path)' doctor --config '\(workspace.configuration)'"
        func output(_ variables: String) throws -> String {
            try Command("env", "-u", "NO_COLOR", "script", "-qec", "\(variables) \(words)", "/dev/null").output
        }
        #expect(try output("TERM=xterm").contains("\u{1B}[31mPROBLEM\u{1B}[0m configuration: "))
        for plain in [try output("TERM=xterm NO_COLOR=1"), try output("TERM=dumb"), try Command("sh", "-c", words).output] {
            #expect(plain.contains("PROBLEM configuration: "))
            #expect(!plain.contains("\u{1B}"))
        }
    }

    private func examine(_ workspace: Workspace) throws -> Findings {
        let result = try Deskgate.run("doctor", "--json", "--config", workspace.configuration)
        return try Findings(code: result.code, result.output)
    }
}

private struct Findings {
    let code: Int32
    private(set) var list: [(check: String, state: String, message: String)] = []

    init(code: Int32, _ output: String) throws {
        self.code = code
        let json = try jsonObject(output)
        #expect(json.string("status") == ["ok", "warning", "problem"][Int(code)])
        guard case .array(let findings)? = json["findings"] else { return }
        for case .object(let finding) in findings {
            list.append((finding.string("check") ?? "", finding.string("state") ?? "", finding.string("message") ?? ""))
        }
    }

    func states(_ check: String) -> [String] { list.filter { $0.check == check }.map(\.state) }

    func messages(_ check: String) -> [String] { list.filter { $0.check == check }.map(\.message) }

    func message(_ check: String) -> String? { messages(check).first }
}
