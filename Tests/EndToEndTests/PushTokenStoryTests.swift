import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@Suite struct PushTokenStoryTests {
    static let user = "user-1"
    // As long as a token of iOS, with a marker: only the sink may receive it.
    private static let token = "\(Markers.prefix)-push-token-" + String(repeating: "0aF9", count: 12)
    private static let masked = "mkZ9…0aF9(68)"

    @Test func `a device registers, gets a push and signs out`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, ["notifiers": Self.notifiers(sink)])
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        let key = try site.workspace.key(user: Self.user)

        #expect(try Self.register(Self.token, key: key, client: client).text == #"{"status":"registered"}"#)
        let second = try Self.register(Self.token, key: key, client: client)
        #expect(second.status == 429)
        let seconds = try #require(try jsonObject(second.text).integer("retry_after"))
        #expect((1...300).contains(seconds))
        #expect(second.headers["retry-after"] == "\(seconds)")

        #expect(try WebhookSite.send(WebhookSite.body(1, user: Self.user), client).text == #"{"status":"accepted"}"#)
        #expect(sink.waitForRequests(2))
        let reported = try sink.requests.map { try jsonObject($0.text) }
        let registration = try #require(reported.first { $0.string("type") == "push_token.registered" })
        #expect(Self.data(registration).string("token") == Self.token)
        let comment = try #require(reported.first { $0.string("type") == "comment.created" })
        #expect(
            Self.data(comment)["target"] == ["device_id": "device-1", "type": "ios", "token": .string(Self.token)])
        for request in sink.requests { #expect(try site.isGenuine(request, now: SystemClock.unixMilliseconds())) }
        for event in ["push_token.registered", "comment.created"] {
            let line = try jsonObject(server.process.errors.line(containing: event).text)
            #expect(line.string("token") == Self.masked, "\(event)")
        }
        let list = try tokens(site, "list")
        #expect(list.output.contains(Self.masked))

        #expect(try Self.register(nil, key: key, client: client).text == #"{"status":"removed"}"#)
        #expect(sink.waitForRequests(3))
        let removal = try jsonObject(sink.requests[2].text)
        #expect(removal.string("type") == "push_token.removed")
        #expect(Self.data(removal).string("reason") == "unsubscribed")
        #expect(try WebhookSite.send(WebhookSite.body(2, user: Self.user), client).text == #"{"status":"accepted"}"#)
        let ended = try deliveries(site, of: 2)
        #expect(ended.map { $0.string("state") } == ["no_target", "no_target"], "for the log and for the sink")
        #expect(ended.map { $0.integer("attempts") } == [0, 0])
        let story = try Deskgate.run(
            "deliveries", "show", "--config", site.workspace.configuration, try #require(ended.first?.string("id")))
        #expect(story.output.hasSuffix("without an attempt: there was no registered device that this notifier serves.\n"))
        #expect(try server.stop() == .exit(0))
        #expect(sink.requests.count == 3)
        #expect(!(try server.process.errors.text()).contains(Markers.prefix))
    }

    @Test func `an operator removes a token of a running service`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, ["notifiers": Self.notifiers(sink)])
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        let key = try site.workspace.key(user: Self.user)
        #expect(try Self.register(Self.token, key: key, client: client).status == 200)
        #expect(sink.waitForRequests(1))
        #expect(try tokens(site, "remove", "--user", Self.user).output == "1 push token is removed.\n")
        #expect(sink.waitForRequests(2), "and the backend hears of it")
        #expect(Self.data(try jsonObject(sink.requests[1].text)).string("reason") == "operator")
        #expect(try tokens(site, "list").output == "No push token matches.\n")
        #expect(try Self.register(Self.token, key: key, client: client).status == 429, "a removal gives no new registration")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a restart keeps devices and limits`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, ["notifiers": Self.notifiers(sink)])
        let key = try site.workspace.key(user: Self.user)
        let first = try site.start()
        #expect(try Self.register(Self.token, key: key, client: SocketClient(first.publicAddress)).status == 200)
        first.process.send(9)
        _ = try first.process.waitForEnd()
        let second = try site.start()
        let client = try SocketClient(second.publicAddress)
        #expect(try Self.register(Self.token, key: key, client: client).status == 429)
        #expect(try WebhookSite.send(WebhookSite.body(1, user: Self.user), client).status == 200)
        let hasArrived = eventually {
            sink.requests.contains { request in
                (try? jsonObject(request.text)).map { Self.data($0)["target"] != nil } ?? false
            }
        }
        #expect(hasArrived)
        #expect(try second.stop() == .exit(0))
    }

    private static func notifiers(_ sink: ScriptedServer) -> JSONValue {
        var notifier: JSONObject = [:]
        if case .object(let members) = WebhookSite.notifier(sink) { notifier = members }
        notifier.append(true, forKey: "requires_device")
        return ["log": ["type": "log", "requires_device": true], "sink": .object(notifier)]
    }

    /// Registers like the help desk's SDK; nil signs out.
    static func register(_ token: String?, key: String, client: SocketClient) throws -> ReceivedResponse {
        let object: JSONValue = [
            "app_id": .string(Workspace.app), "user_id": .string(user), "security_key": .string(key), "instance_id": "device-1",
            "version": 2, "token": token.map { .string($0) } ?? .null, "type": "ios",
        ]
        let body = object.serialized()
        let head = "POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; charset=utf-8\r\n"
        try client.send(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
        return try client.readResponse()
    }

    private static func data(_ event: JSONObject) -> JSONObject {
        if case .object(let data) = event["data"] { data } else { [:] }
    }

    private func tokens(_ site: WebhookSite, _ arguments: String...) throws -> Deskgate.Result {
        try Deskgate.run(
            ["tokens", arguments[0], "--config", site.workspace.configuration, "--app", Workspace.app] + arguments.dropFirst())
    }

    private func deliveries(_ site: WebhookSite, of comment: Int) throws -> [JSONObject] {
        let result = try Deskgate.run(
            "deliveries", "list", "--json", "--config", site.workspace.configuration, "--comment", "\(comment)")
        guard case .array(let found) = try result.json["deliveries"] else { throw ChildProcess.Failure.missingOutput }
        return found.compactMap { if case .object(let delivery) = $0 { delivery } else { nil } }
    }
}
