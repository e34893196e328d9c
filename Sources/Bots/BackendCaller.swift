internal import Bytes
internal import Core
internal import Crypto
internal import HTTPClient
internal import Time
internal import Tracing

/// Sends requests for bot functions to companies' backends.
///
/// Each request is signed according to Standard Webhooks 1.0. A GET request has no body, so its target (`path?query`) is signed. Redirects
/// are not followed.
struct BackendCaller: Sendable {
    /// The limits suffice for the calls of four slow bots, even at one host. One app may use half of the calls. The numbers of connections
    /// and calls are equal, so that a call never waits for a connection. Connections are not reused, because an answer contains a user's
    /// data, and libcurl could repeat a request on a broken connection, which would make a change twice.
    static let clientSettings = ClientSettings(
        connectionsPerHost: maximumCalls, connectionsPerOwner: maximumCalls / 2, connectionLimit: maximumCalls, requestLimit: maximumCalls,
        requestsPerOwner: maximumCalls / 2, keepsConnections: false)
    private static let maximumCalls = 4 * CallBounds().underWay

    struct Call: Sendable {
        let id: UUIDv7
        let appID: String
        let request: BotFilledRequest
        /// The deduplication key of a change; nil for a call that changes nothing.
        let key: [UInt8]?
        let secrets: [StandardWebhookSecret]
        let trace: TraceContext?
    }

    let client: LazyClient
    let clocks: Clocks
    let tracer: Tracer

    /// Calls a backend once, without retries.
    /// - Parameter completion: called exactly once, on the client's thread or on this one; must not block.
    func send(_ call: Call, _ completion: @escaping @Sendable (Result<FunctionAnswer, BackendFault>) -> Void) {
        let span = call.trace.flatMap { tracer.begin(below: $0) }
        let request: ClientRequest
        do {
            request = try signed(call, in: span?.context)
        } catch {
            return completion(.failure(BackendFault(.internalError, mayBeDone: false)))
        }
        client.send(request, for: call.appID) { [tracer] result in
            let read = Self.read(result)
            var (failure, status): (String?, Int?)
            switch read {
            case .success(let answer): status = answer.status
            case .failure(let fault): (failure, status) = (fault.reason.rawValue, fault.status)
            }
            tracer.end(
                span, kind: .client, failure: failure, name: "\(request.method.rawValue) bot backend",
                attributes: .request(method: request.method.rawValue, status: status) + .server(ServerAddress(url: request.url)))
            completion(read)
        }
    }

    private static func read(_ result: Result<ClientResponse, ClientError>) -> Result<FunctionAnswer, BackendFault> {
        do throws(BackendFault) {
            switch result {
            case .success(let response): return .success(try FunctionAnswer(response))
            case .failure(let error): throw BackendFault(error)
            }
        } catch {
            return .failure(error)
        }
    }

    private func signed(_ call: Call, in span: TraceContext?) throws -> ClientRequest {
        let (request, id) = (call.request, call.id.description)
        guard let method = ClientMethod(rawValue: request.method.rawValue) else { preconditionFailure("both types have the same methods") }
        let signedBytes = request.body ?? Array(Self.target(of: request.url).utf8)
        let signature = try StandardWebhookSignature(
            id: id, now: clocks.unixMilliseconds(), body: signedBytes.span, secrets: call.secrets)
        var headers = request.headers
        if request.body != nil { headers.append(("Content-Type", "application/json")) }
        headers += [("webhook-id", id), ("webhook-timestamp", signature.timestamp), ("webhook-signature", signature.signature)]
        if let key = call.key { headers.append(("Idempotency-Key", Hexadecimal.text(key.span))) }
        if let span { headers.append(("\(TraceContext.header)", span.traceparent)) }
        return try ClientRequest(
            method, request.url, headers: headers, body: request.body ?? [], timeoutMilliseconds: request.timeoutMilliseconds,
            connectTimeoutMilliseconds: request.timeoutMilliseconds, responseBodyLimit: FunctionAnswer.longest)
    }

    /// Returns the path and the query of a URL, as sent in the request.
    static func target(of url: String) -> String {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "/" }
        let rest = url.utf8[scheme...].dropFirst(3)
        let target = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let text = String(decoding: target, as: UTF8.self)
        return target.first == UInt8(ascii: "/") ? text : "/\(text)"
    }
}
