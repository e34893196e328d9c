import HTTPServer
import JSON
import TestSupport
import Testing
import Time

/// `deskgate deliveries show` explains the result of a webhook while the service runs, as text and as JSON.
@Suite struct DeliveryStoryTests {
    /// The attempts in a delivery's explanation, each as its outcome and reason, and its end.
    private struct Story: Equatable {
        let state: String?
        let reason: String?
        let tries: [String]
    }

    @Test func `explains a delivery at the first attempt`() throws {
        try withSite(.everyRequest(.respond(204))) { site, server in
            try post(1, server)
            try expect(site, comment: 1, expected: Story(state: "delivered", reason: "status_204", tries: ["delivered status_204"])) {
                json in
                "It arrived at \(text(json, "ended_at")), after 1 attempt."
            }
        }
    }

    @Test func `a log line is not reported as a delivery`() throws {
        try withSite(.everyRequest(.respond(200)), changes: ["apps": [WebhookSite.app(notifiers: ["log"])]]) { site, server in
            try post(1, server)
            let id = try #require(try delivery(site, of: 1).string("id"))
            #expect(eventually { (try? show(site, id).output)?.contains(", after 1 attempt; no one was notified.\n") == true })
            #expect(try show(site, id).output.hasPrefix("Delivery \(id) to the notifier log is logged.\n"))
            let list = try Deskgate.run("deliveries", "list", "--config", site.workspace.configuration).output
            #expect(list.contains("logged"))
            #expect(!list.contains("delivered"))
        }
    }

    @Test func `explains a delivery after a retry`() throws {
        try withSite(.requests([[.respond(503, headers: ["Retry-After: 1"])], [.respond(200)]])) { site, server in
            try post(1, server)
            let tries = ["retry status_503", "delivered status_200"]
            try expect(site, comment: 1, expected: Story(state: "delivered", reason: "status_200", tries: tries)) { json in
                "It arrived at \(text(json, "ended_at")), after 2 attempts."
            }
        }
    }

    @Test func `explains a pending delivery`() throws {
        try withSite(.everyRequest(.respond(429, headers: ["Retry-After: 3600"]))) { site, server in
            try post(1, server)
            try expect(site, comment: 1, expected: Story(state: "pending", reason: "status_429", tries: ["retry status_429"])) { json in
                "The next attempt is due at \(text(json, "due_at"))."
            }
        }
    }

    /// It dies after the first response, because the next attempt would come after its expiry for any time of the first one.
    @Test func `explains a dead delivery`() throws {
        let sink = ScriptedServer.Script.everyRequest(.respond(500, headers: ["Retry-After: 3600"]))
        try withSite(sink, changes: ["deliveries": ["expire_after_seconds": 3600]]) { site, server in
            try post(1, server)
            try expect(site, comment: 1, expected: Story(state: "dead", reason: "expired", tries: ["expired status_500"])) { json in
                "It was given up at \(text(json, "ended_at")), after 1 attempt: expired."
            }
            let result = try Deskgate.run("deliveries", "list", "--config", site.workspace.configuration, "--reason", "expired")
            #expect(result.output.split(separator: "\n").count == 2)
        }
    }

    /// It waits behind another delivery, which the sink holds until the second has expired.
    @Test func `explains a delivery that expired without an attempt`() throws {
        let sink = try ScriptedServer(.requests([[.hang], [.awaitRelease, .respond(200)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink, concurrency: 1, log: false, drainSeconds: 0)
        let first = try site.start()
        try post(1, first)
        #expect(sink.waitForRequests(1))
        #expect(try first.stop() == .exit(0))
        site.change(["deliveries": ["expire_after_seconds": 1]])
        let second = try site.start()
        #expect(sink.waitForRequests(2))
        try post(2, second)
        let end = SystemClock.unixMilliseconds() + 1001
        #expect(eventually { SystemClock.unixMilliseconds() > end })
        sink.release()
        try expect(site, comment: 2, expected: Story(state: "dead", reason: "expired", tries: [])) { json in
            "It was given up at \(text(json, "ended_at")), without an attempt: expired."
        }
        let tries = ["retry stopped", "delivered status_200"]
        try expect(site, comment: 1, expected: Story(state: "delivered", reason: "status_200", tries: tries)) { json in
            "It arrived at \(text(json, "ended_at")), after 2 attempts."
        }
        #expect(try second.stop() == .exit(0))
    }

    private func withSite(
        _ script: ScriptedServer.Script, changes: JSONObject = [:], body: (WebhookSite, RunningServer) throws -> Void
    ) throws {
        let sink = try ScriptedServer(script)
        defer { sink.stop() }
        let site = try WebhookSite(sink, log: false, changes)
        let server = try site.start()
        try body(site, server)
        #expect(try server.stop() == .exit(0))
    }

    /// Waits until a comment's delivery has this explanation, and compares the text with it.
    private func expect(_ site: WebhookSite, comment: Int64, expected: Story, end: (JSONObject) -> String) throws {
        let id = try #require(try delivery(site, of: comment).string("id"))
        var json: JSONObject = [:]
        let isAsExpected = eventually {
            json = (try? show(site, id, "--json").json) ?? [:]
            return story(json) == expected
        }
        #expect(isAsExpected, "it is \(story(json))")
        let lines = try show(site, id).output.split(separator: "\n").map(String.init)
        #expect(lines.first == "Delivery \(id) to the notifier sink is \(expected.state ?? "").")
        #expect(lines.contains("It was received at \(text(json, "received_at")), and stored before that was confirmed."))
        let isForgotten = expected.state == "delivered"
        #expect(json["data_kept"] == .bool(!isForgotten))
        let forgotten = isForgotten ? ["Its data is deleted, because no delivery needs it any more."] : []
        let trace = ["It belongs to the trace \(text(json, "trace_id"))."]
        #expect(Array(lines.dropFirst(5)) == trace + forgotten + tries(json).map(sentence) + [end(json)])
        #expect(!lines.contains { $0.contains(WebhookSite.message) })
    }

    /// Posts a webhook for a user whose name commands may print; their output is searched for the names of others.
    private func post(_ comment: Int64, _ server: RunningServer) throws {
        let response = try WebhookSite.send(WebhookSite.body(comment, user: "user-1"), SocketClient(server.publicAddress))
        #expect(response.text == #"{"status":"accepted"}"#)
    }

    private func show(_ site: WebhookSite, _ arguments: String...) throws -> Deskgate.Result {
        try Deskgate.run(["deliveries", "show", "--config", site.workspace.configuration] + arguments)
    }

    private func delivery(_ site: WebhookSite, of comment: Int64) throws -> JSONObject {
        let arguments = ["deliveries", "list", "--json", "--config", site.workspace.configuration, "--comment", "\(comment)"]
        guard case .array(let deliveries) = try Deskgate.run(arguments).json["deliveries"], case .object(let only)? = deliveries.first
        else { throw ChildProcess.Failure.missingOutput }
        #expect(deliveries.count == 1)
        return only
    }

    private func story(_ json: JSONObject) -> Story {
        Story(
            state: json.string("state"), reason: json.string("reason"),
            tries: tries(json).map { "\(text($0, "outcome")) \(text($0, "reason"))" })
    }

    private func tries(_ json: JSONObject) -> [JSONObject] {
        guard case .array(let values) = json["tries"] else { return [] }
        return values.compactMap { if case .object(let attempt) = $0 { attempt } else { nil } }
    }

    private func sentence(_ attempt: JSONObject) -> String {
        let meaning = [
            "delivered": "it arrived", "retry": "it did not arrive, and may later",
            "expired": "it did not arrive, and there was no time left for another",
        ]
        return
            "Attempt \(attempt.integer("number") ?? 0) began at \(text(attempt, "started_at")) and ended at \(text(attempt, "ended_at")): "
            + "\(meaning[text(attempt, "outcome")] ?? "unknown") (\(text(attempt, "reason")))."
    }

    private func text(_ json: JSONObject, _ key: String) -> String { json.string(key) ?? "" }
}
