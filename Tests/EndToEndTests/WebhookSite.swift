import Core
import HTTPServer
import JSON
import TestSupport
import Threading
import Time

/// A configuration that accepts webhooks and delivers them to a sink of the test and to the log.
final class WebhookSite: Sendable {
    static let message = "\(Markers.prefix)-what-support-wrote"
    static let pathSecret = "\(Markers.prefix)_path_secret_of_the_app"
    // 33 bytes whose base64 begins with the marker prefix.
    static let signingSecret = "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx"

    /// The timeout of a request to a sink, after which it is retried.
    private static let timeoutSeconds: Int64 = 120

    let workspace: Workspace
    private let secrets: [StandardWebhookSecret]
    private let members: JSONObject
    private let changes: Monitor<JSONObject>

    /// - Parameter changes: top-level members of the configuration that are added or replaced.
    init(
        _ sink: ScriptedServer, concurrency: Int64 = 8, log: Bool = true, drainSeconds: Int64 = 20, _ changes: JSONObject = [:]
    ) throws {
        secrets = [try StandardWebhookSecret(Self.signingSecret)]
        members = [
            "apps": [Self.app(notifiers: log ? ["log", "sink"] : ["sink"])],
            "notifiers": [
                "log": ["type": "log"],
                "sink": Self.notifier(sink, concurrency: concurrency),
            ],
            "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0],
            "shutdown": ["drain_seconds": .integer(drainSeconds)], "log": ["level": "info", "format": "json"],
        ]
        workspace = try Workspace()
        try workspace.write("path-secret", Self.pathSecret, mode: 0o600)
        try workspace.write("sink.whsec", Self.signingSecret, mode: 0o600)
        try workspace.write("other.whsec", Self.signingSecret.replacing("7Hc0", with: "8Id1"), mode: 0o600)
        self.changes = Monitor(changes)
    }

    /// Sets the changes of the configuration for the next start.
    func change(_ changes: JSONObject) {
        self.changes.update { $0 = changes }
    }

    /// The app of the configuration, with the names of its notifiers.
    static func app(notifiers: [String]) -> JSONValue {
        [
            "app_id": .string(Workspace.app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
            "webhook": ["secret": ["file": "path-secret"]], "notifiers": .array(notifiers.map { .string($0) }),
        ]
    }

    /// A notifier for a sink, with its secret in a file: `sink.whsec`, or `other.whsec` for a second one.
    static func notifier(
        _ sink: ScriptedServer, secret: String = "sink.whsec", concurrency: Int64 = 8
    ) -> JSONValue {
        [
            "type": "http", "url": .string(sink.url("/events")), "secret": ["file": .string(secret)],
            "timeout_seconds": .integer(timeoutSeconds), "concurrency": .integer(concurrency),
        ]
    }

    /// Starts the program. From then on the configuration contains the operators' port, so that commands find the service.
    func start() throws -> RunningServer {
        try configure()
        let server = try RunningServer(workspace)
        if case .tcp(_, let port) = server.adminAddress { try configure(["admin": Workspace.admin(port: port)]) }
        return server
    }

    /// Writes the configuration with its changes and with additional ones.
    func configure(_ further: JSONObject = [:]) throws {
        var configuration = further
        for member in changes.withLock({ $0 }).members + members.members where configuration[member.key] == nil {
            configuration.append(member.value, forKey: member.key)
        }
        try workspace.configure(configuration)
    }

    /// Whether a request at the sink has a valid signature for its id, time and body.
    func isGenuine(_ request: RecordedRequest, now: UnixMilliseconds) throws -> Bool {
        guard let id = request.header("webhook-id"), let timestamp = request.header("webhook-timestamp"),
            let signature = request.header("webhook-signature")
        else { return false }
        return try StandardWebhookSignature.isGenuine(
            signature: signature, id: id, timestamp: timestamp, body: request.body.span, secrets: secrets,
            now: now)
    }

    static func comment(of request: RecordedRequest) throws -> Int64? {
        guard case .object(let data)? = try jsonObject(request.text)["data"], case .object(let comment)? = data["comment"] else {
            return nil
        }
        return comment.integer("comment_id")
    }

    /// - Parameter padding: the number of bytes added to the text of support.
    static func body(_ comment: Int64, user: String = Markers.user, padding: Int = 0) -> [UInt8] {
        let object: JSONValue = [
            "ticket_id": .integer(17), "created_at": "2026-03-10T08:15:12Z", "attachments": [],
            "token": ["user_id": .string(user), "app_id": .string(Workspace.app), "device_id": "device-1", "type": "ios"],
            "comment": [
                "comment_id": .integer(comment), "body": .string(message + String(repeating: "x", count: padding)), "is_inbound": false,
            ],
            "author": ["name": "Ann", "avatar_id": 1],
        ]
        return object.serialized()
    }

    /// Posts a webhook like the help desk, and returns the status of the body; nil for a response other than 200.
    /// - Parameter user: another user when the test reads operators' lists, which contain names.
    static func post(_ comment: Int64, user: String = Markers.user, _ client: SocketClient) throws -> String? {
        let response = try send(body(comment, user: user), client)
        return response.status == 200 ? try jsonObject(response.text).string("status") : nil
    }

    /// Posts a webhook like the help desk.
    static func send(_ body: [UInt8], _ client: SocketClient) throws -> ReceivedResponse {
        try begin(body, client)
        return try client.readResponse()
    }

    /// Posts a webhook without waiting for the response.
    static func begin(_ body: [UInt8], _ client: SocketClient) throws {
        try client.send("POST /pyrus/webhook/\(pathSecret) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
    }
}
