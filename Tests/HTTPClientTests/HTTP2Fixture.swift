import Crypto
import HTTP2Server
import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// A client and an HTTP/2 server whose certificate it trusts, both stopped at the end of the test.
struct HTTP2Fixture {
    private static let shared: (certificate: LoopbackCertificate, context: TLSServerContext, directory: TemporaryDirectory) = {
        do {
            let certificate = try LoopbackCertificate()
            let directory = try TemporaryDirectory()
            try directory.write("ca.pem", certificate.authority)
            return (certificate, try TLSServerContext(certificate: certificate.certificate, key: certificate.key), directory)
        } catch {
            fatalError("no certificate for a test: \(error)")
        }
    }()

    static let ok = HTTP2Response(status: 200, headers: [("x-test", "yes")], body: Array("ok".utf8))

    let client: Client
    let server: HTTP2Listener

    var url: String { "https://127.0.0.1:\(server.port)/" }

    /// A request that the server can identify by its path.
    func numbered(_ number: Int, timeoutMilliseconds: Int = Int(WaitLimit.milliseconds)) -> ClientRequest {
        request(.post, "\(url)\(number)", body: "body \(number)", timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Sends `count` numbered requests concurrently and returns their results in the order of the numbers.
    func exchange(_ count: Int) -> [Result<ClientResponse, ClientError>] {
        let ends = Ends(count)
        for number in 0..<count { client.send(numbered(number)) { ends.add($0, number) } }
        return ends.wait()
    }

    /// Sends `count` numbered requests, and repeats failed ones like a notifier until each has been answered.
    func exchangePatiently(_ count: Int) -> Bool {
        var missing = Array(0..<count)
        for _ in 0..<100 where !missing.isEmpty {
            let ends = Ends(missing.count)
            for (index, number) in missing.enumerated() {
                client.send(numbered(number, timeoutMilliseconds: 10_000)) { ends.add($0, index) }
            }
            missing = zip(missing, ends.wait()).filter { $1.status != 200 }.map(\.0)
        }
        return missing.isEmpty
    }

    static func run(
        _ changes: (inout ClientSettings) -> Void = { _ in }, streamLimit: Int = 1000,
        opening: @escaping HTTP2Listener.OpeningHandler = { _ in .serve }, handler: @escaping HTTP2Listener.Handler = { _ in .respond(ok) },
        _ body: (HTTP2Fixture) throws -> Void
    ) throws {
        let settings = HTTP2Settings(tls: shared.context, streamLimit: streamLimit)
        let server = try HTTP2Listener(settings, opening: opening, handler: handler)
        defer { server.stop() }
        var clientSettings = ClientSettings(
            connectionsPerHost: 1, certificateAuthorities: shared.directory.path("ca.pem"), httpVersion: .http2)
        changes(&clientSettings)
        let client = try Client(settings: clientSettings)
        defer { client.close() }
        try body(HTTP2Fixture(client: client, server: server))
    }
}

/// The results of numbered requests, each of which must end once.
final class Ends: Sendable {
    private struct State {
        var results: [Result<ClientResponse, ClientError>?]
        var missing: Int
        var repeated = 0
    }

    private let state: Monitor<State>

    init(_ count: Int) {
        state = Monitor(State(results: Array(repeating: nil, count: count), missing: count))
    }

    func add(_ result: Result<ClientResponse, ClientError>, _ number: Int) {
        state.update { state in
            if state.results[number] == nil { state.missing -= 1 } else { state.repeated += 1 }
            state.results[number] = result
        }
    }

    /// Waits until each has ended. Records an issue if one has ended twice or not at all; its result is `Results.missing`.
    func wait() -> [Result<ClientResponse, ClientError>] {
        _ = state.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.missing == 0 ? true : nil }
        let found = state.withLock { $0 }
        #expect(found.missing == 0)
        #expect(found.repeated == 0)
        return found.results.map { $0 ?? Results.missing }
    }
}

/// Streams that the test holds open.
final class HeldStreams: Sendable {
    private struct State {
        var streams: [HTTP2Stream] = []
        var ended = 0
    }

    private let state = Monitor(State())

    var count: Int { state.withLock { $0.streams.count } }

    func add(_ request: HTTP2Request) -> HTTP2Action {
        state.update { $0.streams.append(request.stream) }
        return .wait
    }

    /// Counts a request whose sender has received its end.
    func noteEnd() { state.update { $0.ended += 1 } }

    /// Waits until a stream is held.
    /// - Returns: false when `count` requests have ended instead.
    func waitForMore(unlessEnded count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) {
            !$0.streams.isEmpty ? true : $0.ended >= count ? false : nil
        } == true
    }

    func wait(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.streams.count >= count ? true : nil } != nil
    }

    /// Takes all held streams, possibly more than when the test last checked, and applies the action to each.
    func release(_ action: HTTP2Action) {
        let taken = state.update { state in
            defer { state.streams = [] }
            return state.streams
        }
        for stream in taken { stream.perform(action) }
    }
}
