import Core
import HTTPServer
import TestSupport
import Testing
import Time

/// Webhooks with the whole program: from the help desk's request to the sink's.
@Suite struct WebhookTests {
    private static let ok = [ScriptedStep.respond(200)]

    /// Runs the program with a sink that runs these steps for each request.
    private func withSite(
        _ script: ScriptedServer.Script, _ body: (WebhookSite, RunningServer, ScriptedServer) throws -> Void
    ) throws {
        let sink = try ScriptedServer(script)
        defer { sink.stop() }
        let site = try WebhookSite(sink)
        let server = try site.start()
        try body(site, server, sink)
        server.process.send(9)
        _ = try server.process.waitForEnd()
    }

    @Test func `arrives once with a signature`() throws {
        try withSite(.requests([Self.ok])) { site, server, sink throws in
            let client = try SocketClient(server.publicAddress)
            #expect(try WebhookSite.post(1, client) == "accepted")
            #expect(try WebhookSite.post(1, client) == "duplicate")
            #expect(sink.waitForRequests(1))
            // A delivery of the second post would arrive before this one.
            #expect(try WebhookSite.post(2, client) == "accepted")
            #expect(sink.waitForRequests(2))
            let comments = try sink.requests.map { try WebhookSite.comment(of: $0) }
            #expect(comments == [1, 2])
            for request in sink.requests {
                #expect(request.method == "POST")
                #expect(request.target == "/events")
                #expect(try site.isGenuine(request, now: SystemClock.unixMilliseconds()))
                #expect(request.header("webhook-id").flatMap { UUIDv7($0) } != nil)
                #expect(request.text.contains(WebhookSite.message))
            }
        }
    }

    @Test func `the log contains the event without its text`() throws {
        try withSite(.requests([Self.ok])) { _, server, sink throws in
            #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
            let line = try jsonObject(server.process.errors.line(containing: "comment.created").text)
            #expect(line.integer("ticket_id") == 17)
            #expect(line.integer("comment_id") == 1)
            #expect(line.string("notifier") == "log")
            #expect(sink.waitForRequests(1))
            #expect(try server.stop() == .exit(0))
            let log = try server.process.errors.text()
            #expect(!log.contains(Markers.prefix))
        }
    }

    @Test(arguments: [
        [ScriptedStep.respond(503, headers: ["Retry-After: 1"])],
        [.respond(302, headers: ["Location: /elsewhere", "Retry-After: 1"])],
    ])
    func `is retried under the same ID`(_ first: [ScriptedStep]) throws {
        try withSite(.requests([first, Self.ok])) { site, server, sink throws in
            #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
            #expect(sink.waitForRequests(2))
            let requests = sink.requests
            #expect(requests[0].header("webhook-id") == requests[1].header("webhook-id"))
            #expect(requests.map(\.target) == ["/events", "/events"])
            #expect(requests[0].body == requests[1].body)
            #expect(try site.isGenuine(requests[1], now: SystemClock.unixMilliseconds()))
        }
    }

    @Test(arguments: [
        [ScriptedStep.send("this is no HTTP\r\n\r\n"), .close], [.reset], [.close], [.send("HTTP/1.1 200 OK\r\nContent-"), .close],
    ])
    func `a malformed response causes a retry`(_ first: [ScriptedStep]) throws {
        try withSite(.requests([first, Self.ok])) { _, server, sink throws in
            #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
            #expect(sink.waitForRequests(2))
            #expect(sink.requests[0].header("webhook-id") == sink.requests[1].header("webhook-id"))
        }
    }

    @Test(arguments: [
        [ScriptedStep.hang],
        [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendForever(Array("5\r\nabcde\r\n".utf8))],
    ])
    func `a sink with endless responses delays nothing else`(_ steps: [ScriptedStep]) throws {
        try withSite(.requests([steps])) { site, server, sink throws in
            let client = try SocketClient(server.publicAddress)
            for comment in 1...20 as ClosedRange<Int64> { #expect(try WebhookSite.post(comment, client) == "accepted") }
            #expect(sink.waitForRequests(1))
            #expect(try server.authorize(site.workspace.key()).status == 200)
            for comment in 1...20 { _ = try server.process.errors.line(containing: #""comment_id":\#(comment),"#) }
        }
    }

    @Test func `a waiting delivery arrives after a restart`() throws {
        let sink = try ScriptedServer(.requests([[.hang], Self.ok]))
        defer { sink.stop() }
        let site = try WebhookSite(sink, drainSeconds: 0)
        let first = try site.start()
        #expect(try WebhookSite.post(1, SocketClient(first.publicAddress)) == "accepted")
        #expect(sink.waitForRequests(1))
        #expect(try first.stop() == .exit(0))
        let second = try site.start()
        #expect(sink.waitForRequests(2))
        #expect(sink.requests[0].header("webhook-id") == sink.requests[1].header("webhook-id"))
        #expect(try WebhookSite.post(1, SocketClient(second.publicAddress)) == "duplicate")
        #expect(try second.stop() == .exit(0))
    }
}
