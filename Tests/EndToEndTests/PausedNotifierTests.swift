import HTTPServer
import JSON
import TestSupport
import Testing

/// A notifier whose sink has answered 410: its status for operators, and its recovery.
@Suite struct PausedNotifierTests {
    @Test func `is shown until the configuration is reloaded`() throws {
        let sink = try ScriptedServer(.requests([[.respond(410)], [.respond(200)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        let server = try site.start()
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        #expect(try WebhookSite.post(1, user: "user-1", SocketClient(server.publicAddress)) == "accepted")
        let off = try jsonObject(server.process.errors.line(containing: "a notifier is paused").text)
        #expect(off.string("notifier") == "sink")
        #expect(off.string("reason") == "status_410")
        let remedy = "its receiver accepts no more events; ask its operator, then run deskgate reload"
        #expect(off.string("remedy") == remedy)
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#, "strangers learn no name and no reason")
        #expect(try get(server.adminAddress, "/v1/status").hasPrefix("401 "))
        let status = try Deskgate.run("status", "--json", "--config", site.workspace.configuration)
        #expect(status.code == 1)
        #expect(try status.json["paused"] == ["sink": ["reason": "status_410", "remedy": .string(remedy)]])
        let reported = try Deskgate.run("status", "--config", site.workspace.configuration)
        #expect(reported.code == 1)
        #expect(reported.output.hasPrefix("Problem: sink is paused and sends nothing: the receiver accepts no more events (status_410)."))
        #expect(reported.output.contains("\nRemedy: I\(remedy.dropFirst()).\n"))
        #expect(reported.output.contains(" is ready.\nThe configuration in force was loaded at "))
        #expect(
            eventually {
                (try? get(server.adminAddress, "/metrics"))?.contains("\ndeskgate_notifier_state{notifier=\"sink\",state=\"paused\"} 1\n")
                    == true
            })
        #expect(
            eventually {
                (try? get(server.adminAddress, "/metrics"))?.contains("\ndeskgate_notifier_state{notifier=\"log\",state=\"paused\"} 0\n")
                    == true
            })
        #expect(try WebhookSite.post(2, user: "user-1", SocketClient(server.publicAddress)) == "accepted", "it is still taken in")
        let list = try Deskgate.run("deliveries", "list", "--notifier=sink", "--config", site.workspace.configuration).output
        #expect(list.hasSuffix("\nDeliveries to sink wait: notifier paused (status_410).\n"))
        let json = try Deskgate.run("deliveries", "list", "--notifier=sink", "--json", "--config", site.workspace.configuration).json
        guard case .array(let deliveries) = json["deliveries"], case .object(let waiting)? = deliveries.first else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(waiting["due_at"] == .null)
        let story = try Deskgate.run(
            "deliveries", "show", try #require(waiting.string("id")), "--config", site.workspace.configuration)
        #expect(story.output.hasSuffix("\nIt waits: notifier paused (status_410).\n"))
        // The operators' port was written into the file for commands; with it the file could not be reloaded.
        try site.configure()
        server.process.send(1)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(sink.waitForRequests(3), "both have arrived")
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        #expect(try server.stop() == .exit(0))
        let after = try Deskgate.run("status", "--config", site.workspace.configuration)
        #expect(after.code == 1)
        let startIt =
            "Remedy: Start it: systemctl start deskgate, or deskgate serve --config \(site.workspace.configuration). "
            + "If it does not start, deskgate check and its log say why."
        #expect(after.output.hasPrefix("Problem: The service does not run.\n\(startIt)\nDeskgate is not ready.\n"))
        #expect(after.output.contains("\nReason: the service does not run.\n"))
    }

    /// Deliveries that operators give up have ended, and are counted as such.
    @Test func `its deliveries that are given up are counted`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(410)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, log: false)
        let server = try site.start()
        #expect(eventually { (try? get(server.adminAddress, "/metrics"))?.contains(Self.purged + "0\n") == true })
        #expect(try WebhookSite.post(1, user: "user-1", SocketClient(server.publicAddress)) == "accepted")
        _ = try server.process.errors.line(containing: "a notifier is paused")
        let result = try Deskgate.run(
            "deliveries", "purge", "--state=pending", "--notifier=sink", "--config", site.workspace.configuration)
        #expect(result.output == "1 delivery is marked as dead.\n")
        #expect(try get(server.adminAddress, "/metrics").contains(Self.purged + "1\n"))
        #expect(try server.stop() == .exit(0))
    }

    private static let purged = "\n" + #"deskgate_deliveries_total{notifier="sink",outcome="dead",reason="purged"} "#

    /// The status and the body of the response to a GET.
    private func get(_ address: ListenAddress, _ path: String) throws -> String {
        let client = try SocketClient(address)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let response = try client.readResponse()
        return "\(response.status) \(response.text)"
    }
}
