import Core
import Glibc
import JSON
import SQLite
import TestSupport
import Testing

/// A caller's trace continues in the log, the store and outgoing requests, with the real program.
@Suite struct TraceStoryTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00-\(trace)-00f067aa0ba902b7-01"

    private static func post(_ comment: Int64, headers: String, server: RunningServer, user: String = Markers.user) throws -> Int {
        let body = WebhookSite.body(comment, user: user)
        let client = try SocketClient(server.publicAddress)
        try client.send(
            "POST /pyrus/webhook/\(WebhookSite.pathSecret) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\(headers)\r\n")
        try client.send(body)
        return try client.readResponse().status
    }

    private static func context(_ request: RecordedRequest) throws -> TraceContext {
        let header = try #require(request.header("traceparent"))
        let context = TraceContext(traceparent: header.utf8.span)
        return try #require(context)
    }

    @Test func `a webhooks trace reaches the receiver across a restart`() throws {
        let sink = try ScriptedServer(.requests([[.respond(503, headers: ["Retry-After: 3600"])], [.respond(204)]]))
        defer { sink.stop() }
        let site = try WebhookSite(sink, ["log": ["level": "debug", "format": "json"]])
        let first = try site.start()
        #expect(try Self.post(1, headers: "traceparent: \(Self.parent)\r\ntracestate: vendor=1\r\n", server: first, user: "user-1") == 200)
        #expect(sink.waitForRequests(1))
        let line = try jsonObject(first.process.errors.line(containing: #""message":"webhook""#).text)
        #expect(line.string("trace_id") == Self.trace)
        #expect(line.string("request_id") != nil)
        let tried = try jsonObject(first.process.errors.line(containing: #""reason":"status_503","trace_id""#).text)
        #expect(tried.string("message") == "delivery attempt")
        #expect(tried.string("trace_id") == Self.trace)
        let logged = try jsonObject(first.process.errors.line(containing: #""message":"event""#).text)
        #expect(logged.string("trace_id") == Self.trace)
        #expect(try first.stop() == .exit(0))
        try makeDue(site)
        #expect(sink.requests.count == 1, "the next try is for the next process")
        let second = try site.start()
        #expect(sink.waitForRequests(2))
        let contexts = try sink.requests.map(Self.context)
        #expect(contexts.allSatisfy { $0.traceIDText == Self.trace && $0.isSampled })
        #expect(Set(contexts.map(\.spanID)).count == 2, "each attempt is a span of its own")
        #expect(!contexts.contains { $0.spanIDText == "00f067aa0ba902b7" })
        #expect(sink.requests.allSatisfy { $0.header("tracestate") == nil })
        let listed = try Deskgate.run("deliveries", "list", "--config", site.workspace.configuration, "--notifier", "sink", "--json")
        guard case .array(let found)? = try jsonObject(listed.output)["deliveries"], case .object(let delivery)? = found.first else {
            Issue.record("no delivery")
            return
        }
        #expect(delivery.string("trace_id") == Self.trace)
        let id = try #require(delivery.string("id"))
        let shown = try Deskgate.run("deliveries", "show", "--config", site.workspace.configuration, id)
        #expect(shown.output.contains("It belongs to the trace \(Self.trace)."))
        let explained = try Deskgate.run("explain", "--config", site.workspace.configuration, "--delivery", id, "--json")
        #expect(explained.output.contains(Self.trace))
        #expect(try second.stop() == .exit(0))
    }

    /// Makes all waiting deliveries due.
    private func makeDue(_ site: WebhookSite) throws {
        let connection = try Connection(path: site.workspace.directory.path("deskgate.db"), mode: .readWriteCreate)
        try connection.execute("UPDATE deliveries SET due_at = 0 WHERE state = 0")
        try connection.close()
    }

    /// An invalid or duplicate header is ignored: Deskgate then begins its own trace, which is not sampled.
    @Test(arguments: [
        "", "traceparent: \(parent.uppercased())\r\n", "traceparent: \(parent)\r\nTraceparent: \(parent)\r\n",
        "traceparent: 00-\(trace)-0000000000000000-01\r\n",
    ])
    func `without a valid header a new trace begins`(headers: String) throws {
        let sink = try ScriptedServer(.everyRequest(.respond(204)))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        let server = try site.start()
        #expect(try Self.post(1, headers: headers, server: server) == 200)
        #expect(sink.waitForRequests(1))
        let context = try Self.context(try #require(sink.requests.first))
        #expect(context.traceIDText != Self.trace)
        #expect(!context.isSampled)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a registrations trace reaches the receiver`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(204)))
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        let server = try site.start()
        let body: JSONValue = [
            "app_id": .string(Workspace.app), "user_id": .string(Markers.user), "security_key": .string(try site.workspace.key()),
            "device_id": "phone", "type": "ios", "token": "token-of-the-phone",
        ]
        let bytes = body.serialized()
        let client = try SocketClient(server.publicAddress)
        try client.send(
            "POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\ntraceparent:\t\(Self.parent) \r\n\r\n")
        try client.send(bytes)
        #expect(try client.readResponse().status == 200)
        #expect(sink.waitForRequests(1))
        let request = try #require(sink.requests.first)
        #expect(try jsonObject(request.text).string("type") == "push_token.registered")
        #expect(try Self.context(request).traceIDText == Self.trace)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `an authorizations trace reaches the backend`() throws {
        let backend = try ScriptedServer(.everyRequest(.respond(204)))
        defer { backend.stop() }
        let verify: JSONValue = [
            "mode": "key_and_backend", "url": .string(backend.url()), "secret": ["file": "verify.whsec"], "timeout_ms": 10_000,
            "cache": ["positive_seconds": 0],
        ]
        let app: JSONValue = [
            "app_id": .string(Workspace.app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]], "verify": verify,
        ]
        let workspace = try Workspace(["apps": [app], "log": ["level": "debug", "format": "json"]])
        try workspace.write("verify.whsec", "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx", mode: 0o600)
        let server = try RunningServer(workspace)
        let body = SocketClient.body(try workspace.key())
        for header in ["traceparent: \(Self.parent)\r\n", ""] {
            let client = try SocketClient(server.publicAddress)
            try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\(header)\r\n")
            try client.send(body)
            #expect(try client.readResponse().status == 200)
        }
        #expect(backend.requests.count == 2)
        #expect(try Self.context(#require(backend.requests.first)).traceIDText == Self.trace)
        #expect(backend.requests.last?.header("traceparent") == nil, "nobody follows it")
        let line = try server.process.errors.line(containing: #""message":"authorize""#)
        #expect(try jsonObject(line.text).string("trace_id") == Self.trace)
        let next = try server.process.errors.line(containing: #""message":"authorize""#, from: line.number + 1)
        #expect(try jsonObject(next.text).string("trace_id") == nil)
        #expect(try server.stop() == .exit(0))
    }

    /// A reload starts and stops the export; a collector that is down does not affect the service.
    @Test func `a reload starts the export`() throws {
        let (sink, collector) = (try ScriptedServer(.everyRequest(.respond(204))), try ScriptedServer(.everyRequest(.respond(200))))
        defer {
            sink.stop()
            collector.stop()
        }
        let site = try WebhookSite(sink)
        let server = try site.start()
        #expect(try Self.post(1, headers: "", server: server) == 200)
        #expect(sink.waitForRequests(1))
        try site.configure(["traces": ["otlp": ["url": .string(collector.url("/v1/traces"))]]])
        server.process.send(SIGHUP)
        var line = try server.process.errors.line(containing: "configuration reloaded")
        #expect(collector.requests.isEmpty)
        #expect(try Self.post(2, headers: "", server: server) == 200)
        #expect(sink.waitForRequests(2))
        #expect(collector.waitForRequests(1))
        let context = try Self.context(#require(sink.requests.last))
        #expect(context.isSampled)
        #expect(eventually { collector.requests.contains { $0.text.contains(context.spanIDText) } })
        let reported = collector.requests.map(\.text).joined()
        #expect(reported.contains(context.traceIDText))
        #expect(reported.contains("POST /pyrus/webhook/:secret"))
        #expect(reported.contains("deliver sink"))
        for secret in [WebhookSite.pathSecret, WebhookSite.message, Markers.user, "/events"] { #expect(!reported.contains(secret)) }
        let closed = try ClosedPort()
        try site.configure(["traces": ["otlp": ["url": .string("http://127.0.0.1:\(closed.port)/v1/traces")]]])
        server.process.send(SIGHUP)
        line = try server.process.errors.line(containing: "configuration reloaded", from: line.number + 1)
        #expect(try Self.post(3, headers: "", server: server) == 200)
        #expect(sink.waitForRequests(3))
        _ = try server.process.errors.line(containing: "traces cannot be exported")
        try site.configure()
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded", from: line.number + 1)
        #expect(try Self.post(4, headers: "", server: server) == 200)
        #expect(sink.waitForRequests(4))
        #expect(try !Self.context(#require(sink.requests.last)).isSampled)
        #expect(try server.stop() == .exit(0))
        withExtendedLifetime(closed) {}
    }
}
