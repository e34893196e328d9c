import Glibc
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

@Suite struct SendbirdFaultTests {
    private let site: SendbirdSite

    init() throws {
        site = try SendbirdSite()
    }

    private func fail(_ request: String, _ effect: Fault.Effect) {
        site.sendbird.faults.add(Fault(effect, at: .sendbirdChat, token: request))
    }

    /// Whether each of these series is above zero. The number of repeated requests to Sendbird depends on the machine's speed.
    private func isCounted(_ server: RunningServer, _ series: String...) throws -> Bool {
        try series.allSatisfy { try PushSite.value(of: $0, server) ?? 0 > 0 }
    }

    /// A fault, the response to a request for a session token, its `result` in metrics, the outcome of the call, and the log's `reason`.
    struct Case: Sendable {
        let effect: Fault.Effect
        let status: Int
        let retryAfter: String
        let result: String
        let outcome: String
        let reason: String
    }

    @Test(arguments: [
        Case(
            effect: .answer(Fault.Answer(429, retryAfter: "1")), status: 429, retryAfter: "1", result: "throttled",
            outcome: "rate_limited", reason: "rate_limited"),
        Case(
            effect: .answer(Fault.Answer(503)), status: 503, retryAfter: "5", result: "unavailable", outcome: "unavailable",
            reason: "status_503"),
        Case(
            effect: .stallStream, status: 503, retryAfter: "5", result: "unavailable", outcome: "unavailable", reason: "timeout"),
    ])
    func `a session token is issued after the fault`(_ fault: Case) throws {
        let server = try RunningServer(site.workspace)
        fail("issue_session_token", fault.effect)
        let refused = try site.call(server, path: "session-token")
        #expect(refused.status == fault.status)
        #expect(refused.headers["retry-after"] == fault.retryAfter)
        #expect(eventually { (try? site.call(server, path: "session-token").status) == 200 })
        #expect(site.chat.sessions(of: SendbirdSite.user).count == 1)
        #expect(
            try isCounted(
                server, #"deskgate_session_token_requests_total{app="APP-1",result="\#(fault.result)"}"#,
                #"deskgate_help_desk_requests_total{app="APP-1",request="issue_session_token",outcome="\#(fault.outcome)"}"#))
        try site.end(server)
        let log = try server.process.errors.text().split(separator: "\n").filter { $0.contains(#""route":"/sendbird/session-token""#) }
        #expect(log.contains { $0.contains(#""reason":"\#(fault.reason)""#) })
    }

    @Test func `an answer to support is sent after the fault`() throws {
        let server = try RunningServer(site.workspace)
        let (id, channel) = try site.ticket(server)
        let asked = try #require(site.chat.post(.closureInquiry(text: "May we close it?"), in: channel))
        let answer: JSONObject = ["ticket_id": .integer(id), "message_id": .integer(asked), "confirmed": true]
        fail("update_message", .answer(Fault.Answer(500)))
        let away = try site.call(server, path: "tickets/confirm", members: answer)
        #expect(away.status == 503)
        #expect(away.headers["retry-after"] == "5")
        #expect(away.text.contains("help_desk_unavailable"))
        #expect(site.chat.message(asked, in: channel)?["data"]?.text?.contains("WAITING") == true)
        fail("view_message", .answer(Fault.Answer(429, retryAfter: "1")))
        let throttled = try site.call(server, path: "tickets/confirm", members: answer)
        #expect(throttled.status == 429)
        #expect(throttled.headers["retry-after"] == "1")
        #expect(throttled.text.contains("too_many_requests"))
        #expect(eventually { (try? site.call(server, path: "tickets/confirm", members: answer).status) == 200 })
        #expect(site.chat.message(asked, in: channel)?["data"]?.text?.contains("CONFIRMED") == true)
        #expect(
            try isCounted(
                server, #"deskgate_ticket_requests_total{app="APP-1",result="unavailable"}"#,
                #"deskgate_help_desk_requests_total{app="APP-1",request="answer_message",outcome="unavailable"}"#,
                #"deskgate_help_desk_requests_total{app="APP-1",request="view_message",outcome="rate_limited"}"#))
        try site.end(server)
        let log = try server.process.errors.text().split(separator: "\n")
        #expect(log.contains { $0.contains("customer's call") && $0.contains(#""reason":"status_500""#) && $0.contains(#""warning""#) })
    }

    /// The relay retries until Sendbird has the token, and does not delay another person's.
    @Test func `a push token arrives after the fault`() throws {
        let server = try RunningServer(site.workspace)
        fail("add_push_token", .answer(Fault.Answer(429, retryAfter: "1")))
        #expect(try site.register(server) == #"{"status":"registered"}"#)
        #expect(eventually { site.chat.pushTokens(of: SendbirdSite.user, "apns") == [PushSite.token] })
        let shown = try PushSite.get(server.adminAddress, "/v1/deliveries?notifier=sendbird")
        #expect(eventually { (try? PushSite.get(server.adminAddress, "/v1/deliveries?notifier=sendbird"))?.contains("delivered") == true })
        #expect(!shown.contains(PushSite.token))
        try site.end(server)
    }

    /// Desk does not respond when a message arrives, and the process is killed before Desk does.
    @Test func `a message is held until Desk reports the customer`() throws {
        let site = try SendbirdSite(tellsOfTickets: false)
        // The response must arrive within the five seconds of Chat.
        let environment = ["DESKGATE_TIME_LIMIT_FACTOR": "1"]
        let first = try RunningServer(configuration: site.workspace.configuration, environment: environment)
        #expect(try site.register(first) == #"{"status":"registered"}"#)
        let channel = try site.ticket(first).channel
        site.sendbird.faults.add(Fault(.stallStream, at: .sendbirdDesk, token: "list_tickets", times: nil))
        let message = try #require(site.chat.post(.agent(text: "How can I help?"), in: channel))
        let webhooks = try #require(site.chat.webhooks)
        #expect(webhooks.wait(for: 2, milliseconds: WaitLimit.milliseconds))
        #expect(webhooks.sent.map(\.status) == [200, 200], "that of the customer's message, and this one")
        #expect(try isCounted(first, #"deskgate_webhook_events_total{app="APP-1",result="held"}"#))
        let explained = try PushSite.get(first.adminAddress, "/v1/explain?app_id=\(SendbirdSite.app)&comment_id=\(message)")
        #expect(explained.contains("the help desk has not named its user"))
        #expect(try first.stop(SIGKILL) == .signal(SIGKILL))
        site.sendbird.faults.removeAll()
        let second = try RunningServer(configuration: site.workspace.configuration, environment: environment)
        let recorder = site.phones.simulators.recorder
        #expect(recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(recorder.pushes.map(\.body) == ["How can I help?"])
        #expect(try site.event("comment.created")["comment"]?["comment_id"] == .integer(message))
        #expect(try site.events("message.held").isEmpty, "nobody else is told of it")
        try site.end(second, hiding: ["How can I help?"])
    }

    /// Desk's webhook is answered within its second, also while Chat hangs.
    @Test func `webhooks are not delayed`() throws {
        let server = try RunningServer(site.workspace)
        site.chat.meet(SendbirdSite.user)
        for _ in 0..<4 { fail("issue_session_token", .stallStream) }
        let hanging = try (1...4).map { number -> SocketClient in
            let user = "customer-\(number)"
            let key = try site.workspace.key(app: SendbirdSite.app, user: user)
            let body = #"{"app_id":"\#(SendbirdSite.app)","user_id":"\#(user)","security_key":"\#(key)"}"#
            let client = try SocketClient(server.publicAddress)
            try client.send("POST /sendbird/session-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return client
        }
        #expect(eventually { site.sendbird.faults.remaining == 0 }, "all of them wait for Chat")
        #expect(try site.call(server, path: "tickets/create", members: ["title": "Order 7"]).status == 201)
        let webhooks = try #require(site.sendbird.desk.webhooks)
        #expect(webhooks.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        #expect(webhooks.sent.map(\.status) == [200])
        for client in hanging { #expect(try client.readResponse().status == 503) }
        try site.end(server)
    }
}
