import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@Suite struct OperatorEventTests {
    private static let now = SystemClock.unixSeconds()
    private let pager: ScriptedServer

    init() throws {
        pager = try ScriptedServer(.everyRequest(.respond(200)))
    }

    private static func changes(
        _ sink: ScriptedServer, pager: ScriptedServer, thresholds: JSONObject = [:], notifiers: [String] = ["pager"]
    ) -> JSONObject {
        [
            "notifiers": [
                "log": ["type": "log"], "sink": WebhookSite.notifier(sink), "pager": WebhookSite.notifier(pager, secret: "other.whsec"),
            ],
            "operators": ["notifiers": .array(notifiers.map { .string($0) }), "thresholds": .object(thresholds)],
        ]
    }

    /// The app, with an expiry of its only key that does not depend on the time of the call.
    private static func apps(endingIn seconds: UInt64) -> JSONValue {
        let end = now + seconds
        return [
            [
                "app_id": .string(Workspace.app), "webhook": ["secret": ["file": "path-secret"]], "notifiers": ["sink"],
                "keys": [["id": 1, "secret": ["file": "app-1.key"], "not_after": .integer(Int64(end.rawValue))]],
            ]
        ]
    }

    /// The events at the pager: their types, with `state` if they have one. Interrupted deliveries are repeated with the same id.
    private func reported() throws -> [String] {
        var seen: Set<String> = []
        return try pager.requests.filter { seen.insert($0.header("webhook-id") ?? "").inserted }.map { request in
            let event = try jsonObject(request.text)
            #expect(event.string("user_id") == "")
            guard case .object(let data)? = event["data"] else { return "no data" }
            return (event.string("type") ?? "") + (data.string("state").map { " \($0)" } ?? "")
        }
    }

    private func isReported(_ count: Int) -> Bool { eventually { (try? reported().count) ?? 0 >= count } }

    private func kill(_ server: RunningServer) throws {
        #expect(try server.stop(SIGKILL) == .signal(SIGKILL))
    }

    @Test func `a pause of a notifier and its end are reported`() throws {
        defer { pager.stop() }
        let refusing = try ScriptedServer(.everyRequest(.awaitRelease, .respond(401)))
        let taking = try ScriptedServer(.everyRequest(.respond(200)))
        defer { for sink in [refusing, taking] { sink.stop() } }
        let site = try WebhookSite(
            refusing, log: false, Self.changes(refusing, pager: pager, thresholds: ["paused_seconds": 1]))
        var server = try site.start()
        let client = try SocketClient(server.publicAddress)
        for comment in 1...10 { #expect(try WebhookSite.post(Int64(comment), client) == "accepted") }
        // No delivery is refused before all of them wait.
        refusing.release(1000)
        #expect(pager.waitForRequests(1))
        let event = try jsonObject(try #require(pager.requests.first).text)
        #expect(event.string("type") == "operator.notifier_paused")
        #expect(event.string("app_id") == "")
        guard case .object(let data)? = event["data"] else { throw ChildProcess.Failure.missingOutput }
        #expect(data.string("notifier") == "sink")
        #expect(data.string("reason") == "status_401")
        #expect(data.string("explanation")?.isEmpty == false)
        #expect(data.string("remedy")?.isEmpty == false)
        #expect(data["waiting"] == 10)
        // It fails again after a restart, which is not reported again.
        try kill(server)
        let refused = refusing.requests.count
        server = try site.start()
        #expect(refusing.waitForRequests(refused + 10))
        try kill(server)
        site.change(Self.changes(taking, pager: pager, thresholds: ["paused_seconds": 1]))
        server = try site.start()
        #expect(taking.waitForRequests(10))
        #expect(isReported(2))
        let list = try Deskgate.run("deliveries", "list", "--notifier", "pager", "--config", site.workspace.configuration)
        #expect(list.code == 0)
        #expect(list.output.contains(" pager "))
        let shown = try Deskgate.run("deliveries", "list", "--notifier", "pager", "--json", "--config", site.workspace.configuration).json
        guard case .array(let deliveries)? = shown["deliveries"], case .object(let newest)? = deliveries.first else {
            throw ChildProcess.Failure.missingOutput
        }
        let id = try #require(newest.string("id"))
        let story = try Deskgate.run("deliveries", "show", id, "--config", site.workspace.configuration).output
        #expect(story.contains("(operator.notifier_recovered): for the operators of this service.\n"))
        let explanation = try Deskgate.run("explain", "--delivery", id, "--config", site.workspace.configuration).output
        #expect(explanation.contains("operator.notifier_recovered"))
        #expect(try server.stop() == .exit(0))
        #expect(try reported() == ["operator.notifier_paused", "operator.notifier_recovered"])
    }

    @Test func `a nearly full disk and an expiring key are reported`() throws {
        defer { pager.stop() }
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        // More than the size of any disk.
        let site = try WebhookSite(sink, log: false)
        site.change(Self.changes(sink, pager: pager, thresholds: ["disk_free_megabytes": 1_000_000_000]))
        var server = try site.start()
        #expect(pager.waitForRequests(1))
        #expect(try reported() == ["operator.disk_low began"])
        let metrics = try get(server.adminAddress, "/metrics")
        for name in ["free", "size"] { #expect(metrics.contains("\ndeskgate_disk_\(name)_bytes{file=\"store\"} ")) }
        try kill(server)
        // A restart reports nothing again, except problems that have ended in the meantime.
        let ending = Self.changes(sink, pager: pager)
        site.change(ending.merged(["apps": Self.apps(endingIn: 3 * 86_400)]))
        server = try site.start()
        #expect(isReported(3))
        #expect(try Set(reported().dropFirst()) == ["operator.disk_low ended", "operator.credential_expires began"])
        try kill(server)
        site.change(ending.merged(["apps": Self.apps(endingIn: 300 * 86_400)]))
        server = try site.start()
        #expect(isReported(4))
        #expect(try reported().last == "operator.credential_expires ended")
        #expect(try server.stop() == .exit(0))
        #expect(try reported().count == 4)
    }

    @Test func `two replicas report once`() throws {
        defer { pager.stop() }
        let database = try PostgresServer()
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let sites = try (0..<2).map { _ in try WebhookSite(sink, log: false) }
        func configure(endingIn days: UInt64) throws {
            let common: JSONObject = ["store": ["type": "postgres", "url": ["file": "database-url"]]]
            for site in sites {
                try site.workspace.write("database-url", database.url(), mode: 0o600)
                site.change(common.merged(["apps": Self.apps(endingIn: days * 86_400)]).merged(Self.changes(sink, pager: pager)))
            }
        }
        try configure(endingIn: 3)
        let replicas = try sites.map { try $0.start() }
        #expect(pager.waitForRequests(1))
        try configure(endingIn: 300)
        for (site, replica) in zip(sites, replicas) {
            try site.configure()
            replica.process.send(SIGHUP)
            _ = try replica.process.errors.line(containing: "configuration reloaded")
        }
        #expect(eventually { (try? reported().contains("operator.credential_expires ended")) == true })
        for replica in replicas { #expect(try replica.stop() == .exit(0)) }
        #expect(try reported().count { $0.hasSuffix(" began") } == 1)
        #expect(try reported().count { $0.hasSuffix(" ended") } == 1)
    }

    /// The status and the body of the response to a GET.
    private func get(_ address: ListenAddress, _ path: String) throws -> String {
        let client = try SocketClient(address)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse().text
    }
}

extension JSONObject {
    /// The members of both objects, which have different names.
    fileprivate func merged(_ other: JSONObject) -> JSONObject {
        var result = self
        for member in other.members { result.append(member.value, forKey: member.key) }
        return result
    }
}
