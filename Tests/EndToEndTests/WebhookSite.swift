import Core
import HTTPServer
import JSON
import TestSupport

/// A configuration that takes webhooks and delivers them to a sink of the test and to the log.
final class WebhookSite: Sendable {
    static let message = "\(Markers.prefix)-what-support-wrote"
    private static let pathSecret = "\(Markers.prefix)_path_secret_of_the_app"
    // 33 bytes, whose base64 begins as the markers do.
    private static let signingSecret = "whsec_\(Markers.prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDEx"

    let workspace: Workspace
    private let secrets: [StandardWebhookSecret]

    init(_ sink: ScriptedServer, timeoutSeconds: Int64 = 20, log: Bool = true, drainSeconds: Int64 = 5) throws {
        secrets = [try StandardWebhookSecret(Self.signingSecret)]
        let http: JSONValue = [
            "type": "http", "url": .string(sink.url("/events")), "secret": ["file": "sink.whsec"],
            "timeout_seconds": .integer(timeoutSeconds), "concurrency": 8, "requires_device": false,
        ]
        let app: JSONValue = [
            "app_id": .string(Workspace.app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]],
            "webhook": ["secret": ["file": "path-secret"]], "notifiers": log ? ["log", "sink"] : ["sink"],
        ]
        workspace = try Workspace([
            "apps": [app], "notifiers": ["log": ["type": "log", "requires_device": false], "sink": http],
            "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0],
            "shutdown": ["drain_seconds": .integer(drainSeconds)], "log": ["level": "info", "format": "json"],
        ])
        try workspace.write("path-secret", Self.pathSecret, mode: 0o600)
        try workspace.write("sink.whsec", Self.signingSecret, mode: 0o600)
    }

    func start() throws -> RunningServer {
        try RunningServer(workspace)
    }

    /// Whether a request at the sink carries a signature of ours for its id, time and body.
    func isGenuine(_ request: RecordedRequest, nowMilliseconds: UInt64) throws -> Bool {
        guard let id = request.header("webhook-id"), let timestamp = request.header("webhook-timestamp"),
            let signature = request.header("webhook-signature")
        else { return false }
        return try StandardWebhookSignature.isGenuine(
            signature: signature, id: id, timestamp: timestamp, body: request.body.span, secrets: secrets,
            nowMilliseconds: nowMilliseconds)
    }

    /// Which comment a request at the sink tells of.
    static func comment(of request: RecordedRequest) throws -> Int64? {
        guard case .object(let data)? = try jsonObject(request.text)["data"], case .object(let comment)? = data["comment"] else {
            return nil
        }
        return comment.integer("comment_id")
    }

    static func body(_ comment: Int64) -> [UInt8] {
        let object: JSONValue = [
            "ticket_id": .integer(17), "created_at": "2026-03-10T08:15:12Z", "attachments": [],
            "token": ["user_id": .string(Markers.user), "app_id": .string(Workspace.app), "device_id": "device-1", "type": "ios"],
            "comment": ["comment_id": .integer(comment), "body": .string(message), "is_inbound": false],
            "author": ["name": "Ann", "avatar_id": 1],
        ]
        return object.serialized()
    }

    /// Posts a webhook as the help desk does, and reads the answer's status; nil for what is not 200.
    static func post(_ comment: Int64, _ client: SocketClient) throws -> String? {
        let body = body(comment)
        try client.send("POST /pyrus/webhook/\(pathSecret) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        let response = try client.readResponse()
        return response.status == 200 ? try jsonObject(response.text).string("status") : nil
    }
}
