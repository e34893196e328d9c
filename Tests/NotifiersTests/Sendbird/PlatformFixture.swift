import Crypto
import HTTPClient
import JSON
import Observability
import TestSupport
import Testing
import Threading

@testable import Sendbird

/// A client of Sendbird's platform with a scripted server.
struct PlatformFixture {
    let server: ScriptedServer
    let clocks = ManualClocks()
    let client: PlatformClient
    let registry = MetricsRegistry()
    let log: TestLog

    /// - Parameter port: the port for the client's requests; nil for the server's.
    static func with(
        _ script: ScriptedServer.Script, api: PlatformAPI = .chat, tokens: [String] = ["first-token"], port: UInt16? = nil,
        body: (PlatformFixture) throws -> Void
    ) throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let http = try Client()
        defer { http.close() }
        let scratch = try TemporaryDirectory()
        try body(
            PlatformFixture(
                server, http: http, api: api, tokens: tokens, port: port ?? server.port, log: TestLog(in: scratch, level: .debug)))
    }

    private init(
        _ server: ScriptedServer, http: Client, api: PlatformAPI, tokens: [String], port: UInt16, log: TestLog
    ) {
        self.server = server
        self.log = log
        let observer = PlatformObserver(
            app: "app", requests: registry.counter("requests_total", "Requests.", labels: ["app", "request", "outcome"]),
            durations: registry.histogram("duration_seconds", "Durations.", labels: ["app"]), logger: log.logger)
        client = PlatformClient(
            api, baseURL: "http://127.0.0.1:\(port)", tokens: tokens.map { SecretBytes(copying: $0.utf8.span) },
            clocks: clocks.clocks, observer: observer
        ) { request, completion in http.send(request, completion: completion) }
    }

    func send(_ request: PlatformRequest) -> Result<JSONValue, PlatformError> {
        let box = Monitor<Result<JSONValue, PlatformError>?>(nil)
        client.send(request) { result in box.update { $0 = result } }
        if let result = box.wait(timeoutMilliseconds: WaitLimit.milliseconds, { $0 }) { return result }
        Issue.record("a request has no result")
        return .failure(.unavailable(reason: "no_result", mayHaveArrived: true))
    }

    /// Sends a request without waiting for its result.
    func begin(_ request: PlatformRequest, withinMilliseconds limit: UInt64) -> ResultBox<Result<JSONValue, PlatformError>> {
        let box = ResultBox<Result<JSONValue, PlatformError>>()
        client.send(request, withinMilliseconds: limit) { box.put($0) }
        return box
    }

    /// Sends a GET request and waits for its result.
    func get(_ path: String...) -> Result<JSONValue, PlatformError> {
        send(PlatformRequest("view", method: .get, path: path))
    }

    var metrics: String { String(decoding: registry.render(), as: UTF8.self) }
}

extension Result where Success == JSONValue, Failure == PlatformError {
    var error: PlatformError? { if case .failure(let error) = self { error } else { nil } }
}
