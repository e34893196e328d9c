import JSON
import TestSupport
import Testing

/// `deskgate operators test`: whether the service's own alerts reach their receivers.
@Suite struct OperatorsTestTests {
    private func site(_ sink: ScriptedServer, notifiers: [String] = ["log", "sink"]) throws -> WebhookSite {
        try WebhookSite(sink, ["operators": ["notifiers": .array(notifiers.map { .string($0) })]])
    }

    private func test(_ site: WebhookSite, _ words: String...) throws -> Deskgate.Result {
        try Deskgate.run(["operators", "test", "--config", site.workspace.configuration] + words)
    }

    @Test func `reports that all notifiers have delivered`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try site(sink)
        let server = try site.start()
        let result = try test(site)
        #expect(result.code == 0)
        #expect(result.output == "log (log): logged, which notifies no one\nsink (http): delivered\n")
        #expect(try jsonObject(try #require(sink.requests.first).text).string("type") == "operator.test")
        let json = try test(site, "--json").json
        guard case .array(let tests)? = json["notifiers"], case .object(let last)? = tests.last else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(tests.count == 2)
        #expect(last.string("notifier") == "sink")
        #expect(last.string("status") == "delivered")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `reports notifiers that were refused`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(401)))
        defer { sink.stop() }
        let site = try site(sink)
        let server = try site.start()
        let result = try test(site)
        #expect(result.code == 1)
        #expect(result.output.hasPrefix("log (log): logged, which notifies no one\nsink (http): refused: status_401: "))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `reports notifiers without a response`() throws {
        let sink = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { sink.stop() }
        // The log notifier would have a second to deliver the event, too.
        let site = try site(sink, notifiers: ["sink"])
        let server = try site.start()
        let result = try test(site, "--wait", "1")
        #expect(result.code == 1)
        #expect(result.output == "sink (http): waiting: no attempt has ended yet\n")
        sink.release()
        #expect(try server.stop() == .exit(0))
    }

    @Test func `needs a service and a notifier for operators`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try site(sink)
        let server = try site.start()
        #expect(try server.stop() == .exit(0))
        let stopped = try test(site)
        #expect(stopped.code == 2)
        #expect(stopped.errors.contains("the service does not run. Start it: deskgate serve --config "))
        site.change(["operators": ["notifiers": []]])
        try site.configure()
        let nobody = try test(site)
        #expect(nobody.code == 2)
        #expect(nobody.errors.contains("operators.notifiers names no notifier"))
    }
}
