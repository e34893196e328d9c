package import HTTPServer
internal import Synchronization
internal import Threading

/// A client that passes requests to a router without a socket, so that a handler is tested alone and fast.
package struct InProcessClient: Sendable {
    private let router: Router

    /// Makes a client of `router`.
    package init(_ router: Router) {
        self.router = router
    }

    /// Passes one request and waits for its response, which may come at once or later.
    package func send(
        _ method: HTTPServer.Method, _ path: String, headers: [String: String] = [:], body: [UInt8] = []
    ) -> ReceivedResponse {
        let parts = path.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = Array(parts[0])
        switch router.match(method, path: path.span) {
        case .response(let response, _): return ReceivedResponse(response)
        case .handler(let endpoint, let route, let limit):
            let exchange = InProcessExchange(headers: headers, query: parts.count == 2 ? Array(parts[1]) : [])
            if let refusal = refusal(of: path, method, endpoint: endpoint, route: route, exchange: exchange) {
                return ReceivedResponse(refusal)
            }
            guard body.count <= limit else { return ReceivedResponse(StandardResponse.bodyTooLarge) }
            var body = body
            unsafe body.withUnsafeMutableBufferPointer { bytes in
                unsafe path.withUnsafeBufferPointer { path in
                    let parameters = unsafe router.parameters(of: path, route: route)
                    endpoint.withHandler { handler in
                        _ = unsafe handler(
                            Request(method: method, body: bytes, pathParameters: parameters, exchange: exchange), Responder(exchange))
                    }
                }
            }
            // A status that no test expects, for a response that does not come in time.
            return exchange.wait().map { ReceivedResponse($0) } ?? ReceivedResponse(status: 0, headers: [:], body: [])
        }
    }

    /// The error response to a request before its body is received.
    private func refusal(
        of path: [UInt8], _ method: HTTPServer.Method, endpoint: Endpoint, route: Int, exchange: InProcessExchange
    ) -> Response? {
        unsafe path.withUnsafeBufferPointer { path in
            let parameters = unsafe router.parameters(of: path, route: route)
            let none = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
            return endpoint.refusal(of: unsafe Request(method: method, body: none, pathParameters: parameters, exchange: exchange))
        }
    }
}

private final class InProcessExchange: Exchange {
    private static let count = Atomic<Int>(0)

    private let headers: [String: String]
    private let query: [UInt8]
    private let ownID = Array("in-process-\(count.wrappingAdd(1, ordering: .relaxed).newValue)".utf8)
    private let answer = Monitor<Response?>(nil)

    init(headers: [String: String], query: [UInt8]) {
        self.headers = headers
        self.query = query
    }

    func respond(_ response: Response) {
        answer.update { $0 = response }
    }

    func suspend(timeoutMilliseconds: UInt64) {}

    var isSuspended: Bool { answer.withLock { $0 == nil } }

    func resume(with response: Response) -> Bool {
        answer.update { current in
            guard current == nil else { return false }
            current = response
            return true
        }
    }

    func withHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void) {
        withHeader(named: Array("\(name)".utf8), body)
    }

    func withHeader(named name: [UInt8], _ body: (Span<UInt8>?) -> Void) {
        let name = String(decoding: name, as: UTF8.self).lowercased()
        guard let found = headers.first(where: { $0.key.lowercased() == name }) else { return body(nil) }
        let value = Array(found.value.utf8)
        body(value.span)
    }

    func headerValues(_ name: StaticString) -> [[UInt8]] {
        headers.filter { $0.key.lowercased() == "\(name)" }.map { Array($0.value.utf8) }
    }

    /// Sets the request id by the server's rule.
    func withRequestID(_ body: (Span<UInt8>) -> Void) {
        let own = ownID
        withHeader(RequestID.header) { given in
            if let given, RequestID.isPlain(given) { body(given) } else { body(own.span) }
        }
    }

    /// Splits like the server, which replaces each `+` by a space.
    func queryItems() -> [QueryItem] {
        query.split(separator: UInt8(ascii: "&")).map { part in
            let part = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(name: Array(sides[0]), value: sides.count == 2 ? Array(sides[1]) : [])
        }
    }

    func wait() -> Response? {
        answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 }
    }
}

extension ReceivedResponse {
    fileprivate init(_ response: Response) {
        let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
        self.init(status: response.status, headers: Dictionary(uniqueKeysWithValues: headers), body: response.body)
    }
}
