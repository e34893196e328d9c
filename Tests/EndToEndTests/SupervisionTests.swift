import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate serve` under a service manager (`Type=notify`, `WatchdogSec=`, `LoadCredential=`).
@Suite struct SupervisionTests {
    private static let watchdogMicroseconds: UInt64 = 2_000_000

    private func serve(_ workspace: Workspace, under manager: ServiceManager, _ more: [String: String] = [:]) throws -> RunningServer {
        try RunningServer(configuration: workspace.configuration, environment: manager.environment.merging(more) { $1 })
    }

    @Test(arguments: [false, true])
    func `reports readiness when it responds`(isAbstract: Bool) throws {
        let workspace = try Workspace()
        let manager = try ServiceManager(isAbstract: isAbstract)
        let key = try workspace.key()
        let process = try RunningServer.start(workspace.configuration, environment: manager.environment)
        let ready = try #require(manager.next())
        // The test does not wait from here on: after the notification a request must succeed at once.
        let line = try process.errors.line(containing: "serving").text
        let port = try #require(jsonObject(line).string("public")?.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(try SocketClient(.tcp(host: "127.0.0.1", port: port)).authorize(key).status == 200)
        #expect(ready["READY"] == "1")
        #expect(ready["STATUS"]?.hasPrefix("serving: 1 app, public on 127.0.0.1:\(port), admin on 127.0.0.1:") == true)
        process.send(SIGTERM)
        #expect(manager.next()?["STOPPING"] == "1")
        #expect(try process.waitForEnd() == .exit(0))
        #expect(manager.waiting().isEmpty, "without a watchdog nobody is told more")
    }

    @Test func `never reports readiness when it cannot serve`() throws {
        let other = try RunningServer(Workspace())
        guard case .tcp(_, let port) = other.publicAddress else { return }
        let workspace = try Workspace(["listen": Workspace.listener(port: port)])
        let manager = try ServiceManager()
        let process = try RunningServer.start(workspace.configuration, environment: manager.environment)
        #expect(try process.waitForEnd() == .exit(2))
        #expect(manager.waiting().isEmpty)
    }

    @Test(arguments: ["/nowhere/notify", "@nobody-listens-here", "vsock:2:1", String(repeating: "/long", count: 40)])
    func `serves without a manager that listens`(path: String) throws {
        let workspace = try Workspace()
        let server = try RunningServer(configuration: workspace.configuration, environment: ["NOTIFY_SOCKET": path])
        _ = try server.process.errors.line(containing: "the service manager gets no status of the service")
        #expect(try server.authorize(workspace.key()).status == 200)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `reports reloads`() throws {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        let server = try serve(workspace, under: manager)
        _ = manager.next()
        var before = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &before)
        try workspace.configure(["apps": [Workspace.app(1), Workspace.app(2)]])
        server.process.send(SIGHUP)
        let reloading = try #require(manager.next())
        #expect(reloading["RELOADING"] == "1")
        let at = try #require(reloading["MONOTONIC_USEC"].flatMap { UInt64($0) })
        #expect(at >= UInt64(before.tv_sec) * 1_000_000 + UInt64(before.tv_nsec) / 1000)
        let ready = try #require(manager.next())
        #expect(ready["READY"] == "1")
        #expect(ready["STATUS"]?.hasPrefix("serving: 2 apps, ") == true)
        try workspace.write("config.json", "{")
        server.process.send(SIGHUP)
        #expect(manager.next()?["RELOADING"] == "1")
        let refused = try #require(manager.next())
        #expect(refused["READY"] == "1")
        let status = "problem: reload_refused, see deskgate status. Configured: 2 apps, public on "
        #expect(refused["STATUS"]?.hasPrefix(status) == true)
        #expect(try server.stop() == .exit(0))
    }

    /// Also without a watchdog.
    @Test func `the status contains the problem while no user is allowed`() throws {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        let key = try workspace.key()
        let server = try serve(workspace, under: manager)
        #expect(manager.next()?["READY"] == "1")
        for _ in 0..<5 { #expect(try server.authorize(wellFormedKey).status == 403) }
        let problem = try #require(manager.next())
        #expect(problem["READY"] == nil)
        let status = "problem: nearly_all_denied \(Workspace.app), see deskgate status. Configured: 1 app, public on "
        #expect(problem["STATUS"]?.hasPrefix(status) == true)
        for _ in 0..<3 { #expect(try server.authorize(key).status == 200) }
        #expect(manager.next()?["STATUS"]?.hasPrefix("serving: 1 app, public on ") == true)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the watchdog is notified while the main loop runs`() throws {
        let workspace = try Workspace()
        let manager = try ServiceManager(watchdogMicroseconds: Self.watchdogMicroseconds)
        let server = try serve(workspace, under: manager)
        for _ in 0..<3 { #expect(manager.next(with: "WATCHDOG") != nil) }
        // A pipe without a writer blocks a reload, like a network file system that hangs.
        unsafe unlink(workspace.configuration)
        let made = unsafe mkfifo(workspace.configuration, 0o600)
        #expect(made == 0)
        server.process.send(SIGHUP)
        #expect(manager.next(with: "RELOADING") != nil)
        // The log is read from this denial on, because an earlier line may report that the machine was slow before the wait.
        #expect(try server.authorize(wellFormedKey).status == 403)
        var line = try server.process.errors.line(containing: #""message":"authorize""#).number
        func waitForSilence() throws {
            line = try server.process.errors.line(containing: "the main loop, which takes signals and reloads", from: line + 1).number
        }
        try waitForSilence()
        _ = manager.waiting()
        for _ in 0..<4 { try waitForSilence() }
        #expect(manager.waiting().isEmpty, "a manager would end it now")
        #expect(try status(server.publicAddress, "/livez") == 200)
        // Opening and closing the pipe ends the wait with an empty configuration.
        close(unsafe open(workspace.configuration, O_WRONLY | O_CLOEXEC))
        #expect(manager.next(with: "READY") != nil)
        #expect(manager.next(with: "WATCHDOG") != nil)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a disk that hangs does not stop the notifications`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, log: false, drainSeconds: 1)
        try site.configure()
        let manager = try ServiceManager(watchdogMicroseconds: Self.watchdogMicroseconds)
        let file = site.workspace.directory.path("slow-disk")
        let slow = ["LD_PRELOAD": Deskgate.slowDisk, "SLOW_DISK_FILE": file, "DESKGATE_TIME_LIMIT_FACTOR": "1"]
        let server = try serve(site.workspace, under: manager, slow)
        try site.workspace.directory.write("slow-disk", "600000")
        try WebhookSite.begin(WebhookSite.body(1), SocketClient(server.publicAddress))
        let status = try #require(eventuallyStatus(of: manager, beginning: "not ready (store: "))
        #expect(status.hasSuffix("admin on \(server.adminAddress)"))
        #expect(status.contains("Chats are authorized with the revocations of 20"))
        for _ in 0..<8 { #expect(manager.next(with: "WATCHDOG") != nil) }
        #expect(try server.authorize(site.workspace.key()).status == 200)
        #expect(try server.stop() == .exit(1))
    }

    private func eventuallyStatus(of manager: ServiceManager, beginning start: String) -> String? {
        while let message = manager.next(with: "STATUS") {
            if let status = message["STATUS"], status.hasPrefix(start) { return status }
        }
        return nil
    }

    @Test(arguments: [["WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"]])
    func `a watchdog for another process is ignored`(environment: [String: String]) throws {
        let workspace = try Workspace()
        let manager = try ServiceManager(watchdogMicroseconds: 100_000)
        let server = try serve(workspace, under: manager, environment)
        #expect(manager.next()?["READY"] == "1")
        // As long as another service needs that started later and notifies its watchdog at the same interval.
        let (otherWorkspace, otherManager) = (try Workspace(), try ServiceManager(watchdogMicroseconds: 100_000))
        let other = try serve(otherWorkspace, under: otherManager)
        for _ in 0..<3 { #expect(otherManager.next(with: "WATCHDOG") != nil) }
        #expect(try server.stop() == .exit(0))
        let reported = manager.waiting()
        #expect(reported.map { $0["STOPPING"] } == ["1"], "\(reported)")
        #expect(reported.allSatisfy { $0["WATCHDOG"] == nil }, "\(reported)")
        #expect(try other.stop() == .exit(0))
        withExtendedLifetime(otherWorkspace) {}
    }

    @Test func `credentials are read as secrets`() throws {
        let key: JSONValue = ["id": 1, "secret": ["credential": "app-key"]]
        let workspace = try Workspace(["apps": [["app_id": .string(Workspace.app), "keys": [key]]]])
        try workspace.directory.write("credentials/app-key", Markers.appSecrets[0], mode: 0o400)
        let environment = ["CREDENTIALS_DIRECTORY": workspace.directory.path("credentials")]
        let server = try RunningServer(configuration: workspace.configuration, environment: environment)
        let minted = try Deskgate.run(
            ["key", "mint", "--config", workspace.configuration, "--app", Workspace.app, "--user", Markers.user], environment: environment)
        #expect(try server.authorize(String(minted.output.dropLast())).status == 200)
        // A reload applies a new credential after the supervisor has replaced the file.
        try workspace.directory.write("credentials/app-key", Markers.appSecrets[1], mode: 0o400)
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try server.authorize(String(minted.output.dropLast())).status == 403)
        #expect(try server.stop() == .exit(0))
        let outside = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(outside.code == 2)
        #expect(outside.errors.contains("CREDENTIALS_DIRECTORY=/run/credentials/deskgate.service"))
    }
}
