import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// A simulated Sendbird, simulated phones and a backend for events, with a configuration that uses all of them.
final class SendbirdSite: Sendable {
    static let app = "APP-1"
    static let user = "customer-1"

    let sendbird: SimulatedSendbird
    let phones: PushSite
    let backend: ScriptedServer

    var chat: SimulatedChat { sendbird.chat }
    var workspace: Workspace { phones.workspace }

    /// - Parameters:
    ///   - members: members added to the default ones of the app's `sendbird`, or replacing them.
    ///   - tellsOfTickets: whether Desk sends webhooks.
    ///   - database: replaces the SQLite file.
    init(_ members: JSONObject = [:], tellsOfTickets: Bool = true, database: PostgresServer? = nil) throws {
        phones = try PushSite()
        backend = try ScriptedServer(.everyRequest(.respond(200)))
        let port = try freePort()
        var settings = SimulatedSendbirdSettings()
        settings.chat.appID = Self.app
        settings.chat.webhookURL = "http://127.0.0.1:\(port)/sendbird/chat-webhook/\(Self.app)"
        if tellsOfTickets { settings.desk.webhookURL = "http://127.0.0.1:\(port)/sendbird/desk-webhook/\(Self.app)" }
        sendbird = try SimulatedSendbird(settings)
        let files = try SimulatorFiles(directory: workspace.directory.path("sim"))
        try files.write(sendbird)
        try workspace.write("sink.whsec", WebhookSite.signingSecret, mode: 0o600)
        var settingsOfApp = try jsonObject(workspace.read("sim/sendbird.json")).replacing(members)
        for member in members.members where settingsOfApp[member.key] == nil { settingsOfApp.append(member.value, forKey: member.key) }
        for name in ["tickets", "relay"] { settingsOfApp.append(true, forKey: name) }
        settingsOfApp.append(["limits": [["per": "user", "max": 1000, "window_seconds": 60]]], forKey: "session_tokens")
        try phones.configure(
            publicPort: port,
            app: [
                "app_id": .string(Self.app), "help_desk": "sendbird", "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
                "sendbird": .object(settingsOfApp), "notifiers": ["log", "backend", "sendbird"], "routes": .object(PushSite.routes),
            ], others: ["backend": WebhookSite.notifier(backend), "sendbird": ["type": "sendbird"]], database: database)
    }

    deinit {
        sendbird.stop()
        backend.stop()
    }

    func call(
        _ server: RunningServer, path: String, members: JSONObject = [:], user: String = user
    ) throws -> ReceivedResponse {
        var body: JSONObject = [
            "app_id": .string(Self.app), "user_id": .string(user), "security_key": .string(try workspace.key(app: Self.app, user: user)),
        ]
        for member in members.members { body.append(member.value, forKey: member.key) }
        let bytes = JSONValue.object(body).serialized()
        let client = try SocketClient(server.publicAddress)
        try client.send("POST /sendbird/\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n")
        try client.send(bytes)
        return try client.readResponse()
    }

    /// Registers a token of an iPhone, or signs it out.
    func register(_ server: RunningServer, token: String? = PushSite.token) throws -> String {
        try call(
            server, path: "push-token", members: ["instance_id": "device-1", "type": "ios", "token": token.map { .string($0) } ?? .null]
        ).text
    }

    /// Creates a ticket of the user with a message, which an agent has accepted.
    /// - Returns: the ticket's number and channel.
    func ticket(_ server: RunningServer) throws -> (id: Int64, channel: String) {
        #expect(try call(server, path: "session-token").status == 200, "with which Chat knows the user")
        let made = try call(server, path: "tickets/create", members: ["title": "Order 7", "message": "Where is it?"])
        let json = try jsonObject(made.text)
        #expect(made.status == 201)
        #expect(json["message"] == "sent")
        let id = try #require(json["ticket"]?["ticket_id"]?.integer)
        #expect(sendbird.desk.perform(.assign, onTicket: id))
        return (id, json["ticket"]?["channel"]?.text ?? "")
    }

    /// The backend's events, in the order of their first arrival.
    /// - Parameter prefix: the beginning of their types.
    func events(_ prefix: String) throws -> [JSONObject] {
        var seen: Set<String> = []
        let requests = backend.requests.filter { seen.insert($0.header("webhook-id") ?? "").inserted }
        return try requests.map { try jsonObject($0.text) }.filter { $0.string("type")?.hasPrefix(prefix) ?? false }
    }

    /// Waits until the backend has an event.
    /// - Returns: the event's data.
    func event(_ type: String) throws -> JSONValue {
        #expect(eventually { (try? events(type).isEmpty) == false }, "\(type)")
        return try #require(events(type).first?["data"])
    }

    func operate(_ server: RunningServer, _ path: String) throws -> Int {
        try administer(server, path: path, members: ["app_id": .string(Self.app), "user_id": .string(Self.user)]).status
    }

    /// The answer to a request at the admin listener.
    /// - Parameter token: by default one with every permission.
    func administer(
        _ server: RunningServer, path: String, members: JSONObject, token: String = Markers.adminToken
    ) throws -> ReceivedResponse {
        let body = String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
        let client = try SocketClient(server.adminAddress)
        try client.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }

    /// Stops the service, and expects that its log contains no secret, no push token and none of these texts.
    func end(_ server: RunningServer, hiding texts: [String] = []) throws {
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        for secret in [sendbird.chat.token, sendbird.desk.token, PushSite.token] + texts { #expect(!log.contains(secret)) }
    }
}
