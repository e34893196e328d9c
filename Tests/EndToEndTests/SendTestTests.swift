import JSON
import TestSupport
import Testing
import Time

/// `deskgate check --live --send-test`: whether a backend accepts Deskgate's signed events.
@Suite struct SendTestTests {
    @Test(
        arguments: [
            (200, 0, "good"),
            (
                401, 2,
                "bad: status_401: the receiver does not take the signature: keep the body and the headers that it verifies: deskgate webhook "
                    + "verify --notifier sink --body FILE --id VALUE --timestamp VALUE --signature VALUE --explain tells whether it has "
                    + "another body, or another secret than \"secret\" names"
            ),
            (500, 1, "unknown: status_500: the receiver has not taken the event: check \"url\", and look at the receiver's log"),
        ] as [(Int, Int32, String)])
    func `a receiver gets a test event`(status: Int, code: Int32, verdict: String) throws {
        let sink = try ScriptedServer(.requests([[.respond(status)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        try site.configure()
        let result = try Deskgate.run("check", "--config", site.workspace.configuration, "--live", "--send-test")
        #expect(result.code == code)
        #expect(result.output.contains("\nsink (http): \(verdict)\n"))
        let request = try #require(sink.requests.first)
        #expect(try site.isGenuine(request, now: SystemClock.unixMilliseconds()))
        let event = try jsonObject(request.text)
        #expect(event.string("type") == "operator.test")
        #expect(event.string("app_id") == Workspace.app)
        #expect(event["data"] == ["notifier": "sink"])
    }

    @Test func `no receiver is called without the option`() throws {
        let sink = try ScriptedServer(.requests([[.respond(200)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        try site.configure()
        let result = try Deskgate.run("check", "--config", site.workspace.configuration, "--live")
        #expect(result.code == 0)
        #expect(result.output.contains("\nsink (http): only a delivery shows it\n"))
        #expect(sink.requests.isEmpty)
        #expect(try Deskgate.run("check", "--config", site.workspace.configuration, "--send-test").code == 2)
    }
}
