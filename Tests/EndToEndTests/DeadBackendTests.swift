import TestSupport
import Testing

@Suite struct DeadBackendTests {
    @Test func `is reported at the default log level`() throws {
        let sink = try ScriptedServer(.requests([[.respond(503)], [.respond(200)]]))
        defer { sink.stop() }
        let server = try WebhookSite(sink).start()
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        let fails = try jsonObject(server.process.errors.line(containing: "a notifier fails").text)
        #expect(fails.string("level") == "warning")
        #expect(fails.string("notifier") == "sink")
        #expect(fails.string("reason") == "status_503")
        let remedy = "check its latest attempts (deskgate deliveries list --notifier sink), and repair its receiver"
        #expect(fails.string("remedy") == remedy)
        let again = try jsonObject(server.process.errors.line(containing: "a notifier works again").text)
        #expect(again.string("notifier") == "sink")
        #expect(try server.stop() == .exit(0))
    }
}
