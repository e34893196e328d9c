import Core
import HTTPServer
import Observability
import TestSupport
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The service with two apps: `shop`, which has a backend, and `bank`, which has none. Its clocks advance only when the test moves them.
final class BackendFixture {
    static let path = "/may-chat"
    /// The timeout of a call without one in the test: the maximum that a configuration accepts, which `deferrable` extends.
    private static let defaultTimeout = 10_000

    let directory: ConfigurationDirectory
    let log: TestLog
    /// The time since the start, in milliseconds.
    private let elapsed = Monitor<UInt64>(0)
    private let drainSeconds: Int

    init(drainSeconds: Int = 20) throws {
        directory = try ConfigurationDirectory()
        for number in 5...6 { try directory.scratch.write("secrets/backend-\(number).whsec", TestSecret.signing(number)) }
        log = try TestLog(in: directory.scratch, level: .info)
        self.drainSeconds = drainSeconds
    }

    /// Advances all clocks.
    func pass(milliseconds: UInt64) {
        elapsed.update { $0 += milliseconds }
    }

    /// A configuration in which `shop` has its backend at this address.
    /// - Parameters:
    ///   - verify: additional members of `verify`.
    ///   - hasKeys: whether `shop` has a key.
    func json(
        _ url: String, _ verify: String = "", mode: String = "key_and_backend", timeout: Int = defaultTimeout, hasKeys: Bool = true,
        notifiers: String = #"{"log":{"type":"log"}}"#
    ) -> String {
        let keys = hasKeys ? #""keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"# : ""
        return """
            {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"notifiers":\(notifiers),
             "push_tokens":{"limits":[]},"shutdown":{"drain_seconds":\(drainSeconds)},"store":{"type":"memory"},
             "apps":[
              {"app_id":"shop",\(keys)"verify":{"mode":"\(mode)","url":"\(url)","secret":{"file":"secrets/backend-5.whsec"},
               "timeout_ms":\(timeout)\(verify)}},
              {"app_id":"bank","keys":[{"id":3,"secret":{"file":"secrets/app-3.key"}}]}]}
            """
    }

    /// Serves a configuration on real sockets until the body has returned.
    func withService<Result>(_ json: String, _ body: (RunningService) throws -> Result) throws -> Result {
        let start = SystemClock.monotonicNanoseconds()
        let clocks = Clocks(
            unixSeconds: { [elapsed] in TestTime.now + elapsed.withLock { $0 } / 1000 },
            unixMilliseconds: { [elapsed] in TestTime.now.milliseconds + elapsed.withLock { $0 } },
            monotonicNanoseconds: { [elapsed] in start + elapsed.withLock { $0 } * 1_000_000 })
        let service = try RunningService(Self.deferrable(directory.configuration(json)), logger: log.logger, clocks: clocks)
        defer { service.stop() }
        return try body(service)
    }

    /// Serves `shop` with a scripted backend.
    func withService<Result>(
        _ script: ScriptedServer.Script, verify: String = "", mode: String = "key_and_backend", timeout: Int = defaultTimeout,
        hasKeys: Bool = true, body: (RunningService, ScriptedServer) throws -> Result
    ) throws -> Result {
        let backend = try ScriptedServer(script)
        defer { backend.stop() }
        return try withService(json(backend.url(Self.path), verify, mode: mode, timeout: timeout, hasKeys: hasKeys)) { (service) throws in
            try body(service, backend)
        }
    }

    func reload(_ service: RunningService, _ json: String) throws -> Bool {
        try directory.scratch.write("config.json", json)
        return service.reload { () throws(ConfigurationError) in Self.deferrable(try Configuration(contentsOf: directory.file)) }
    }

    /// The configuration with a timeout that only a failing test reaches, except where the test set another one.
    private static func deferrable(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        for index in configuration.apps.indices where configuration.apps[index].verify?.timeoutMilliseconds == defaultTimeout {
            configuration.apps[index].verify?.timeoutMilliseconds = Int(WaitLimit.milliseconds)
        }
        return configuration
    }

    /// The metric lines that begin with `name` and have a value above zero.
    func counts(_ service: RunningService, _ name: String) throws -> [String] {
        let text = try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
            .send(to: SocketClient(service.adminAddress)).text
        return text.split(separator: "\n").filter { $0.hasPrefix(name) && !$0.hasSuffix(" 0") }.map { String($0.dropFirst(name.count)) }
    }
}

/// Requests of clients, with keys that are in force.
enum BackendCaller {
    static let authorize = "/pyrus/authorize"
    static let pushToken = "/pyrus/push-token"
    static let routes = [authorize, pushToken]

    static func body(_ path: String = authorize, user: String = "user-1", app: String = "shop", key: String? = nil) throws -> [UInt8] {
        let number = app == "shop" ? 1 : 3
        let key = try key ?? TestKey(app: app, user: user, keyID: UInt32(number), secret: number).text()
        let fields = ["app_id": "\"\(app)\"", "user_id": "\"\(user)\"", "security_key": "\"\(key)\""]
        return try path == authorize ? AuthorizeCases.json(fields) : PushTokenCases.kit(fields)
    }

    /// Sends a request without waiting for the response.
    static func begin(_ address: ListenAddress, path: String, body: [UInt8]) throws -> SocketClient {
        let client = try SocketClient(address)
        try begin(client, path: path, body: body)
        return client
    }

    static func begin(_ client: SocketClient, path: String, body: [UInt8]) throws {
        try client.send(
            Array("POST \(path) HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r1\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }
}

extension RunningService {
    /// Waits until `count` requests wait for a backend's response.
    func waitForQuestions(_ count: Int) -> Bool {
        eventually { graph.helpDeskState.current.backends?.waiting == count }
    }

    /// Sends a request about a user and waits for the response.
    func ask(
        _ path: String = BackendCaller.authorize, user: String = "user-1", app: String = "shop", key: String? = nil
    ) throws -> ReceivedResponse {
        try BackendCaller.begin(publicAddress, path: path, body: BackendCaller.body(path, user: user, app: app, key: key)).readResponse()
    }
}
