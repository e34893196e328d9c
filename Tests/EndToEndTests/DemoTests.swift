import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

/// `deskgate demo`
@Suite struct DemoTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    @Test(arguments: [2, 15] as [Int32])
    func `fills each view and stops all its parts`(_ signal: Int32) throws {
        let demo = try RunningDemo(in: scratch)
        try checkNotifiersAndDeadLetters(demo)
        try checkPeopleAndKeys(demo)
        try checkAnswers(demo)
        try checkSendbird(demo)
        let ports = try demo.ports()
        #expect(ports.count == 10, "two listeners, a receiver, five providers and Sendbird's two APIs")
        let sockets = try ListeningSockets(on: ports)
        demo.process.send(signal)
        #expect(try demo.process.waitForEnd() == .exit(0))
        #expect(sockets.areGone())
        #expect(try demo.process.errors.text().isEmpty)
        try checkThatNothingIsTold(demo)
    }

    private func checkNotifiersAndDeadLetters(_ demo: RunningDemo) throws {
        func paused() throws -> [JSONValue] { try demo.list("/v1/notifiers", "notifiers").filter { $0["state"]?.text == "paused" } }
        let notifiers = try demo.list("/v1/notifiers", "notifiers")
        #expect(notifiers.count == 11)
        #expect(try paused().map { $0["name"]?.text } == ["apns-couriers", "billing"])
        #expect(
            eventually { (try? paused().allSatisfy { $0["remedy"]?.text != nil && $0["pending"]?.integer ?? 0 > 0 }) == true })
        #expect(notifiers.contains { $0["credential_expires_at"]?.integer != nil })
        expectAll(["invalid_argument", "hms_80100016", "unregistered"], "reason", in: demo, path: "/v1/deliveries/reasons", list: "groups")
        let delivered = "/v1/deliveries?state=delivered&limit=1000"
        expectAll(["log", "backend", "fcm", "hms", "rustore"], "notifier", in: demo, path: delivered, list: "deliveries")
        // The delivery to the receiver that failed at first is retried.
        #expect(eventually { (try? demo.retried("crm")) == true })
    }

    /// Waits until each of these texts is the value of this member in a list.
    private func expectAll(_ texts: Set<String>, _ member: String, in demo: RunningDemo, path: String, list: String) {
        var missing = texts
        let areThere = eventually {
            missing.subtract((try? demo.list(path, list))?.compactMap { $0[member]?.text } ?? [])
            return missing.isEmpty
        }
        #expect(areThere, "\(path): \(missing)")
    }

    private func checkPeopleAndKeys(_ demo: RunningDemo) throws {
        for (user, mayChat, reason, tokens) in [("user-1", true, nil, 1), ("user-3", false, "blocked", 0)] {
            let answer = try demo.ask("/v1/users?app_id=shop&user_id=\(user)")
            #expect(answer["may_chat"] == .bool(mayChat))
            #expect(answer["reason"]?.text == reason)
            #expect(answer["push_tokens"]?.elements.count == tokens)
        }
        let revocations = try demo.ask("/v1/revocations")["revocations"]?.elements ?? []
        #expect(Set(revocations.compactMap { $0["kind"]?.text }) == ["block", "user", "security_key"])
        let status = try demo.ask("/v1/status")
        let keys = status["keys"]?.elements ?? []
        #expect(keys.count == 6)
        #expect(keys.filter { $0["state"]?.text == "verify_only" }.count == 2)
        #expect(keys.contains { $0["not_after"]?.integer != nil })
        expectAll(["notifier_paused", "credential_ends", "configuration_warning"], "kind", in: demo, path: "/v1/status", list: "problems")
        #expect(eventually { (try? demo.ask("/v1/explain?app_id=couriers&comment_id=7101")["outcome"]?.text) == "problem" })
    }

    /// Expects responses of each kind, and further ones.
    private func checkAnswers(_ demo: RunningDemo) throws {
        for reason in ["revoked", "expired", "wrong_mac"] {
            let isCounted = try demo.count("deskgate_authorize_requests_total", "result=\"denied\"", "reason=\"\(reason)\"") > 0
            #expect(isCounted, "\(reason)")
        }
        for result in ["malformed", "shadowed", "authorized"] {
            #expect(try demo.count("deskgate_authorize_requests_total", "result=\"\(result)\"") > 0, "\(result)")
        }
        let before = try (demo.count("deskgate_authorize_requests_total"), demo.count("deskgate_webhook_events_total"))
        #expect(eventually { (try? demo.count("deskgate_authorize_requests_total")) ?? 0 > before.0 })
        #expect(eventually { (try? demo.count("deskgate_webhook_events_total")) ?? 0 > before.1 })
        #expect(try Command("sh", "-c", try #require(demo.reported["request"]?.text)).output.contains("200 OK"))
    }

    /// Checks the app of Sendbird Desk: its customers have tickets, sessions and pushes.
    private func checkSendbird(_ demo: RunningDemo) throws {
        let calls = try demo.list("/v1/bots/calls?app_id=market", "calls")
        #expect(calls.first?["function"] == "connect_to_person")
        #expect(calls.first?["outcome"] == "succeeded")
        #expect(calls.contains { $0["function"] == "get_opening_hours" })
        // Every three minutes another ticket is closed, and a customer opens a new one.
        #expect(try demo.list("/v1/tickets?app_id=market&state=closed", "tickets").count >= 3)
        for score in [2, 4, 5] {
            let isCounted = eventually {
                (try? demo.count("deskgate_ticket_ratings_total", "app=\"market\"", "score=\"\(score)\"")) ?? 0 >= 1
            }
            #expect(isCounted, "\(score)")
        }
        #expect(eventually { (try? demo.ask("/v1/tickets/count?app_id=market")["open"]?.integer) == 3 })
        let expected: Set = [
            "comment.created", "ticket.created", "ticket.assigned", "ticket.closed", "ticket.closure_confirmed", "ticket.closure_declined",
            "ticket.rating_requested", "ticket.rated", "user.signed_out",
        ]
        expectAll(expected, "type", in: demo, path: "/v1/deliveries?app_id=market&limit=1000", list: "deliveries")
        #expect(eventually { (try? demo.pushed("comment.created", to: ["apns", "fcm"])) == true })
        for result in ["issued", "kept", "denied"] {
            #expect(try demo.count("deskgate_session_token_requests_total", "app=\"market\"", "result=\"\(result)\"") > 0, "\(result)")
        }
        let steps = try demo.ask("/v1/explain?app_id=market&user_id=customer-1")["steps"]?.elements ?? []
        let kept = steps.first { $0["step"]?.text == "session_token" }
        #expect(kept?["text"]?.text?.hasPrefix("The last session token was issued at ") == true)
        #expect(try demo.ask("/v1/explain?app_id=market&user_id=customer-4")["finding"]?.text?.contains("blocked") == true)
    }

    /// Expects that neither its output nor its log contains a secret or a message text.
    private func checkThatNothingIsTold(_ demo: RunningDemo) throws {
        let log = try demo.read(try #require(demo.reported["log"]?.text))
        let said = try demo.process.output.text() + log
        let secrets = scratch.contents().filter { $0.hasPrefix("demo/secrets/") }
        #expect(secrets.count == 18)
        for name in secrets {
            let text = try scratch.read(name)
            for line in text.split(separator: "\n") { #expect(!said.contains(line), "\(name)") }
        }
        #expect(log.contains("serving"))
        #expect(!log.contains("invoice-1043"))
        #expect(!log.contains("dgk1."))
        #expect(scratch.contents().contains("demo/config.json"))
    }

    @Test func `prints the next steps`() throws {
        let process = try RunningDemo.start(in: scratch)
        let page = try process.output.line(containing: "http://127.0.0.1:").text
        #expect(page.hasPrefix("  The page:   http://127.0.0.1:"))
        let token = try process.output.line(containing: "cat ").text
        #expect(token.hasSuffix("  cat '\(scratch.path("demo"))/secrets/admin-token'"))
        _ = try process.output.line(containing: "Search user-3")
        let setting = try process.output.line(containing: "export DESKGATE_CONFIG=").text
        let reload = try process.output.line(containing: "reload --pid").text
        #expect(reload == "  \(Deskgate.path) reload --pid \(process.identifier)")
        let reloaded = try Command("sh", "-c", "\(setting)\n\(reload)").output
        #expect(reloaded.hasPrefix("reloaded \(scratch.path("demo"))/config.json: "))
        process.send(2)
        #expect(try process.waitForEnd() == .exit(0))
    }

    @Test(arguments: ["config.json", "secrets", "deskgate.db"])
    func `rejects a directory in use`(_ name: String) throws {
        try scratch.write(name, "as it was")
        let result = try Deskgate.run("demo", "--directory", scratch.path)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: --directory: \(scratch.path(name)) exists already, and nothing was changed"))
        #expect(scratch.contents() == [name])
        #expect(try scratch.read(name) == "as it was")
    }

    @Test func `reports a port in use`() throws {
        let demo = try RunningDemo(in: scratch)
        let port = try #require(demo.reported["public"]?.text?.split(separator: ":").last)
        let result = try Deskgate.run("demo", "--directory", scratch.path("other"), "--port", String(port))
        #expect(result.code == 2)
        #expect(result.errors.contains("--port: cannot listen on 127.0.0.1:\(port)"))
        #expect(!scratch.contents().contains("other"))
    }
}

/// `deskgate demo --json`, ready when its views have contents.
final class RunningDemo {
    let process: ChildProcess
    let reported: JSONValue
    private let admin: ListenAddress
    private let token: String

    init(in scratch: TemporaryDirectory) throws {
        process = try Self.start(in: scratch, "--json")
        reported = JSONValue.object(try jsonObject(process.output.line(containing: "page").text))
        token = try scratch.read("demo/secrets/admin-token").filter { $0 != "\n" }
        admin = .tcp(host: "127.0.0.1", port: try #require(Self.port(in: reported["page"]?.text)))
    }

    deinit { process.send(9) }

    /// Whether an event of this type has reached phones by each of these notifiers.
    func pushed(_ type: String, to notifiers: Set<String>) throws -> Bool {
        let delivered = try ask("/v1/deliveries?app_id=market&state=delivered&type=\(type)&limit=1000")["deliveries"]?.elements ?? []
        return Set(delivered.compactMap { $0["notifier"]?.text }).isSuperset(of: notifiers)
    }

    /// Starts the demonstration, and waits for its first output.
    static func start(in scratch: TemporaryDirectory, _ options: String...) throws -> ChildProcess {
        let port = try freePorts(2)
        let words = ["demo", "--directory", scratch.path("demo"), "--port", "\(port)"] + options
        let process = try ChildProcess(Deskgate.path, words.map { Array($0.utf8) })
        _ = try process.output.line(containing: "127.0.0.1")
        return process
    }

    func ask(_ path: String) throws -> JSONValue {
        try #require(JSONValue(parsing: get(path).body))
    }

    /// The elements of a list in the response.
    func list(_ path: String, _ name: String) throws -> [JSONValue] { try ask(path)[name]?.elements ?? [] }

    /// The sum of a metric's series whose lines contain all these texts.
    func count(_ metric: String, _ texts: String...) throws -> Double {
        try get("/metrics").text.split(separator: "\n")
            .filter { line in line.hasPrefix("\(metric){") && texts.allSatisfy { line.contains($0) } }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }

    /// Whether a notifier's delivery was attempted more than once.
    func retried(_ notifier: String) throws -> Bool {
        try ask("/v1/deliveries?notifier=\(notifier)&limit=1000")["deliveries"]?.elements.contains { $0["attempts"]?.integer ?? 0 > 1 }
            == true
    }

    /// All ports in its configuration.
    func ports() throws -> Set<UInt16> {
        let text = try read(try #require(reported["configuration"]?.text))
        let configuration = try #require(JSONValue(parsing: Array(text.utf8)))
        let own = ["listen", "admin"].compactMap { configuration[$0]?["port"]?.integer }.map { UInt16($0) }
        let addresses = text.matches(of: /127\.0\.0\.1:(\d+)/).compactMap { UInt16($0.1) }
        return Set(own + addresses)
    }

    func read(_ path: String) throws -> String {
        String(decoding: try File.read(path, limit: 1 << 24).bytes, as: UTF8.self)
    }

    private func get(_ path: String) throws -> ReceivedResponse {
        let client = try SocketClient(admin)
        try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
        return try client.readResponse()
    }

    private static func port(in url: String?) -> UInt16? {
        url?.split(separator: ":").last.flatMap { UInt16($0.filter(\.isNumber)) }
    }
}
