import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// A client and a scripted server, both stopped at the end of the test.
func withClient(
    _ settings: ClientSettings = ClientSettings(), script: ScriptedServer.Script, body: (Client, ScriptedServer) throws -> Void
) throws {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let client = try Client(settings: settings)
    defer { client.close() }
    try body(client, server)
}

/// A request with a timeout that only a failing test reaches.
func request(
    _ method: ClientMethod, _ url: String, headers: [(name: String, value: String)] = [], body: String = "",
    timeoutMilliseconds: Int = Int(WaitLimit.milliseconds), connectTimeoutMilliseconds: Int = Int(WaitLimit.milliseconds),
    responseBodyLimit: Int = 64 * 1024, needsOnlyHead: Bool = false
) -> ClientRequest {
    do throws(ClientRequest.Problem) {
        return try ClientRequest(
            method, url, headers: headers, body: Array(body.utf8), timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: connectTimeoutMilliseconds, responseBodyLimit: responseBodyLimit, needsOnlyHead: needsOnlyHead)
    } catch {
        fatalError(error.description)
    }
}

/// The same with GET.
func request(
    _ url: String, headers: [(name: String, value: String)] = [], timeoutMilliseconds: Int = Int(WaitLimit.milliseconds),
    connectTimeoutMilliseconds: Int = Int(WaitLimit.milliseconds), responseBodyLimit: Int = 64 * 1024
) -> ClientRequest {
    request(
        .get, url, headers: headers, timeoutMilliseconds: timeoutMilliseconds, connectTimeoutMilliseconds: connectTimeoutMilliseconds,
        responseBodyLimit: responseBodyLimit)
}

extension Client {
    /// Sends a request and waits for its end.
    func exchange(_ request: ClientRequest) -> Result<ClientResponse, ClientError> {
        let results = Results()
        send(request) { results.add($0) }
        return results.wait(1)[0]
    }

    /// Sends a request that fails.
    func failure(_ request: ClientRequest) -> ClientError? {
        exchange(request).failure
    }
}

/// The results of requests, in the order in which they ended.
final class Results: Sendable {
    private let results = Monitor<[Result<ClientResponse, ClientError>]>([])

    func add(_ result: Result<ClientResponse, ClientError>) {
        results.update { $0.append(result) }
    }

    var count: Int {
        results.withLock { $0.count }
    }

    /// Waits for `count` results. Records an issue if some are missing, and returns `missing` in their place.
    func wait(_ count: Int) -> [Result<ClientResponse, ClientError>] {
        let found = results.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.count >= count ? $0 : nil }
        if let found { return found }
        let ended = results.withLock { $0 }
        Issue.record("\(ended.count) of \(count) requests have ended")
        return ended + Array(repeating: Self.missing, count: max(count - ended.count, 0))
    }

    /// The result in place of a request that has not ended; no request ends with it.
    static let missing = Result<ClientResponse, ClientError>.failure(.other(code: -1))
}

extension Result where Success == ClientResponse, Failure == ClientError {
    var failure: ClientError? {
        if case .failure(let error) = self { error } else { nil }
    }

    var status: Int? {
        if case .success(let response) = self { response.status } else { nil }
    }
}

extension Result where Success == ClientResponse, Failure == ClientError {
    var text: String? {
        if case .success(let response) = self { response.text } else { nil }
    }
}

extension ClientResponse {
    var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
