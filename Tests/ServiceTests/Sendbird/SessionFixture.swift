import Core
import HTTPServer
import JSON
import Observability
import TestSupport
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Sendbird
@testable import Service

/// The service with an app of Sendbird, whose platform is a scripted server. Its clocks advance only when the test moves them.
final class SessionFixture {
    static let path = "/sendbird/session-token"
    static let secrets = [TestSecret.text(31), TestSecret.text(32), TestSecret.text(33), "session-secret"]

    let directory: ConfigurationDirectory
    let log: TestLog
    private let elapsed = Monitor<UInt64>(0)

    init() throws {
        directory = try ConfigurationDirectory()
        for (name, number) in [("CHAT", 31), ("OLD", 32), ("DESK", 33)] { directory.environment[name] = TestSecret.text(number) }
        log = try TestLog(in: directory.scratch, level: .debug)
    }

    /// Advances all clocks.
    func pass(milliseconds: UInt64) {
        elapsed.update { $0 += milliseconds }
    }

    /// Serves `shop` of Sendbird, and `bank` of Pyrus.
    /// - Parameters:
    ///   - sessions: the object `session_tokens`; empty for none.
    ///   - members: additional members of `shop`, each followed by a comma.
    ///   - apps: additional apps, each preceded by a comma.
    ///   - port: the port of Sendbird Chat for `shop`; nil for the server's.
    ///   - desk: the address of Sendbird Desk for `shop`; nil for the default.
    func withService<Result>(
        _ script: ScriptedServer.Script, sessions: String = "{}", members: String = "", apps: (_ port: UInt16) -> String = { _ in "" },
        port: UInt16? = nil, desk: String? = nil, _ body: (RunningService, ScriptedServer) throws -> Result
    ) throws -> Result {
        let sendbird = try ScriptedServer(script)
        defer { sendbird.stop() }
        let others = (sessions.isEmpty ? "" : #","session_tokens":\#(sessions)"#) + (desk.map { #","desk_url":"\#($0)""# } ?? "")
        let json = """
            {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"store":{"type":"memory"},
             "notifiers":{"log":{"type":"log"},"sendbird":{"type":"sendbird"}},
             "apps":[
              {"app_id":"shop",\(members)"help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
               "sendbird":{"chat_token":[{"env":"CHAT"},{"env":"OLD"}],"desk_token":{"env":"DESK"},
                "chat_url":"http://127.0.0.1:\(port ?? sendbird.port)"\(others)},"notifiers":["sendbird"]},
              {"app_id":"bank","keys":[{"id":3,"secret":{"file":"secrets/app-3.key"}}]}\(apps(sendbird.port))]}
            """
        let start = SystemClock.monotonicNanoseconds()
        let clocks = Clocks(
            unixSeconds: { [elapsed] in TestTime.now + elapsed.withLock { $0 } / 1000 },
            unixMilliseconds: { [elapsed] in TestTime.now.milliseconds + elapsed.withLock { $0 } },
            monotonicNanoseconds: { [elapsed] in start + elapsed.withLock { $0 } * 1_000_000 })
        let service = try RunningService(directory.configuration(json).patientWithSendbird, logger: log.logger, clocks: clocks)
        defer { service.stop() }
        return try body(service, sendbird)
    }

    /// A body with a key that expires this many seconds after the start; 0 for never.
    static func body(
        user: String = "user-1", app: String = "shop", secret: Int = 1, issuedAt: UnixSeconds = TestTime.now, life: UInt64 = 0
    ) throws -> [UInt8] {
        let key = TestKey(
            app: app, user: user, keyID: app == "shop" ? 1 : 3, secret: secret, issuedAt: issuedAt,
            expiresAt: life == 0 ? 0 : TestTime.now + life)
        let body: JSONValue = ["app_id": .string(app), "user_id": .string(user), "security_key": .string(try key.text())]
        return body.serialized()
    }
}

extension Configuration {
    /// The same with a timeout of calls to Sendbird that only a failing test reaches.
    var patientWithSendbird: Configuration {
        var configuration = self
        for index in configuration.apps.indices { configuration.apps[index].sendbird?.timeoutMilliseconds = Int(WaitLimit.milliseconds) }
        return configuration
    }
}

extension RunningService {
    /// Sends a webhook of Chat to `shop`.
    func chatWebhook(_ body: String) throws -> ReceivedResponse {
        let body = Array(body.utf8)
        let client = try SocketClient(publicAddress)
        try client.send(
            "POST /sendbird/chat-webhook/shop HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n"
                + "x-sendbird-signature: \(SendbirdFixture.sign256(body, 31))\r\n\r\n")
        try client.send(body)
        return try client.readResponse()
    }

    /// Sends a request for a session token without waiting for the response.
    func beginSession(_ body: [UInt8]) throws -> SocketClient {
        let client = try SocketClient(publicAddress)
        try BackendCaller.begin(client, path: SessionFixture.path, body: body)
        return client
    }

    func session(_ body: [UInt8]) throws -> ReceivedResponse { try beginSession(body).readResponse() }

    /// Sends an operator's request about the user of `SessionFixture.body`.
    func operate(_ path: String, user: String = "user-1") throws -> ReceivedResponse {
        let body = #"{"app_id":"shop","user_id":"\#(user)"}"#
        let client = try SocketClient(adminAddress)
        try client.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ServiceFixture.token)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try client.readResponse()
    }
}
