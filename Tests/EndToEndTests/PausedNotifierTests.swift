import HTTPServer
import JSON
import TestSupport
import Testing

/// A notifier whose sink has answered 410: what operators see of it, and how it comes back.
@Suite struct PausedNotifierTests {
    @Test func isShownUntilTheConfigurationIsReloaded() throws {
        let sink = try ScriptedServer(.requests([[.respond(410)], [.respond(200)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        let server = try site.start()
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        let off = try jsonObject(server.process.errors.line(containing: "a notifier is switched off").text)
        #expect(off.string("notifier") == "sink")
        #expect(off.string("reason") == "status_410")
        let remedy = "its receiver wants nothing more; ask whoever runs it, then reload the configuration (SIGHUP)"
        #expect(off.string("remedy") == remedy)
        let paused = #"{"sink":{"reason":"status_410","remedy":"\#(remedy)"}}"#
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready","paused":\#(paused)}"#)
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
        #expect(try WebhookSite.post(2, SocketClient(server.publicAddress)) == "accepted", "it is still taken in")
        // The operators' port was written into the file for commands; with it the file could not be reloaded.
        try site.configure()
        server.process.send(1)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(sink.waitForRequests(3), "both have arrived")
        #expect(try get(server.publicAddress, "/readyz") == #"200 {"status":"ready"}"#)
        #expect(try server.stop() == .exit(0))
    }

    /// The status and the body of what a GET is answered.
    private func get(_ address: ListenAddress, _ path: String) throws -> String {
        let client = try SocketClient(address)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let response = try client.readResponse()
        return "\(response.status) \(response.text)"
    }
}
