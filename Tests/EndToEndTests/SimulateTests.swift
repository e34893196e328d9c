import JSON
import TestSupport
import Testing

/// `deskgate simulate`
@Suite struct SimulateTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func start(_ options: String...) throws -> ChildProcess {
        let arguments = ["simulate", "--directory", directory.path("sim")] + options
        return try ChildProcess(Deskgate.path, arguments.map { Array($0.utf8) })
    }

    /// Posts a push to the simulated RuStore.
    private func push(_ url: String) throws -> String {
        let token = try directory.read("sim/rustore-token").split(separator: "\n")[0]
        // Not among the arguments, which every user of the machine can read.
        try directory.write("header", "Authorization: Bearer \(token)\n")
        return try Command(
            "curl", "-sS", "--cacert", directory.path("sim/ca.pem"), "-H", "@\(directory.path("header"))", "-w", "%{http_code}", "-o",
            "/dev/null", "--data", #"{"message":{"token":"device-123456789","notification":{"title":"Anna","body":"Hello\u0007"}}}"#,
            "\(url)/v1/projects/simulated-project/messages:send"
        ).output
    }

    private func rustore(_ ready: JSONObject) -> String {
        guard case .object(let urls)? = ready["urls"] else { return "" }
        return urls.string("rustore") ?? ""
    }

    @Test func `prints shown notifications as JSON`() throws {
        let process = try start("--json", "--fault", #"{"provider":"rustore","answer":{"status":503}}"#)
        let ready = try jsonObject(process.output.line(containing: "ready").text)
        #expect(ready.string("event") == "ready")
        let url = rustore(ready)
        #expect(try push(url) == "503")
        #expect(try push(url) == "200")
        let shown = try jsonObject(process.output.line(containing: "push").text)
        #expect(shown.string("provider") == "rustore")
        #expect(shown.string("title") == "Anna")
        process.send(15)
        #expect(try process.waitForEnd() == .exit(0))
    }

    @Test func `prints shown notifications as text`() throws {
        let process = try start()
        let line = try process.output.line(containing: "RuStore").text
        let url = try #require(line.split(separator: " ").last.map { String($0) })
        _ = try process.output.line(containing: "follows")
        #expect(try push(url) == "200")
        let shown = try process.output.line(containing: "Anna").text
        #expect(shown == "RuStore       device-1…  Anna: Hello ")
        process.send(2)
        #expect(try process.waitForEnd() == .exit(0))
    }

    @Test func `writes the files of a configuration`() throws {
        let process = try start("--json")
        let ready = try jsonObject(process.output.line(containing: "ready").text)
        let names = [
            "apns.p8", "ca.pem", "hms-secret", "notifiers.json", "rustore-token", "sendbird-chat-token", "sendbird-desk-token",
            "sendbird.json", "service-account.json",
        ]
        #expect(directory.contents() == ["sim"] + names.map { "sim/\($0)" })
        let modes = try Command("stat", "-c", "%a", directory.path("sim/apns.p8"), directory.path("sim/ca.pem"))
        #expect(modes.output == "600\n600\n")
        let notifiers = try jsonObject(directory.read("sim/notifiers.json"))
        #expect(notifiers.keys == ["apns", "fcm", "hms", "rustore"])
        var url: String?
        if case .object(let notifier)? = notifiers["rustore"] { url = notifier.string("url") }
        #expect(url == rustore(ready))
        process.send(15)
        #expect(try process.waitForEnd() == .exit(0))
    }

    /// Sends a request to the simulated Desk or Chat.
    private func ask(_ ready: JSONObject, api: String, path: String, body: String) throws -> JSONObject {
        let token = try directory.read("sim/sendbird-\(api)-token").split(separator: "\n")[0]
        try directory.write("header", "\(api == "desk" ? "SENDBIRDDESKAPITOKEN" : "Api-Token"): \(token)\n")
        let url = ready["urls"]?["sendbird-\(api)"]?.text ?? ""
        return try jsonObject(Command("curl", "-sS", "-H", "@\(directory.path("header"))", "--data", body, "\(url)/\(path)").output)
    }

    @Test func `the webhooks of Sendbird are printed`() throws {
        let receiver = try ScriptedServer(.everyRequest(.respond(200)))
        defer { receiver.stop() }
        let process = try start(
            "--json", "--chat-webhook", receiver.url("/chat"), "--desk-webhook", receiver.url("/desk"), "--sendbird-app", "APP-1",
            "--sendbird-rate", "1000", "--fault", #"{"provider":"sendbird-chat","match":{"token":"post"},"answer":{"status":500}}"#)
        let ready = try jsonObject(process.output.line(containing: "ready").text)
        _ = try ask(ready, api: "chat", path: "v3/users", body: #"{"user_id":"user-1","nickname":"","profile_url":""}"#)
        let customer = try ask(ready, api: "desk", path: "platform/v1/customers", body: #"{"sendbirdId":"user-1"}"#).integer("id") ?? 0
        let ticket = try ask(ready, api: "desk", path: "platform/v1/tickets", body: #"{"channelName":"Order 7","customerId":\#(customer)}"#)
        let act = "simulated/channels/\(ticket.string("channelUrl") ?? "")/agent"
        #expect(try ask(ready, api: "chat", path: act, body: "{}")["error"] == true, "as the fault says")
        #expect(try ask(ready, api: "chat", path: act, body: "{}").integer("message_id") != nil)
        let reported = try jsonObject(process.output.line(containing: "message_send").text)
        #expect(reported.string("provider") == "sendbird-chat")
        #expect(reported.integer("status") == 200)
        #expect(reported.integer("tries") ?? 0 >= 1)
        #expect(try jsonObject(process.output.line(containing: "TICKET.CREATED").text).string("provider") == "sendbird-desk")
        #expect(receiver.requests.contains { $0.target == "/chat" && $0.text.contains(#""app_id":"APP-1""#) })
        process.send(15)
        #expect(try process.waitForEnd() == .exit(0))
    }

    @Test func `reports an invalid fault`() throws {
        let result = try Deskgate.run("simulate", "--directory", directory.path("sim"), "--fault", #"{"stall":"all"}"#)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --fault: fault: stall must be one of stream, connection\n"))
        #expect(directory.contents().isEmpty)
    }

    @Test func `reports a port in use`() throws {
        let process = try start("--json")
        let url = rustore(try jsonObject(process.output.line(containing: "ready").text))
        let port = try #require(url.split(separator: ":").last.map { String($0) })
        let result = try Deskgate.run("simulate", "--directory", directory.path("other"), "--fcm-port", port)
        #expect(result.code == 2)
        #expect(result.errors.contains("cannot listen on 127.0.0.1:\(port)"))
    }

    /// Their ports are closed, and `init --simulator` would write them into a configuration.
    @Test func `the notifiers of an earlier run are removed before the simulators start`() throws {
        let occupied = try ScriptedServer(.everyRequest(.respond(200)))
        defer { occupied.stop() }
        try directory.write("sim/notifiers.json", "{}")
        #expect(try Deskgate.run("simulate", "--directory", directory.path("sim"), "--fcm-port", "\(occupied.port)").code == 2)
        #expect(directory.contents() == ["sim"])
    }
}
