internal import Bytes
internal import HTTPServer
internal import JSON
internal import Threading

struct SimulatedCall: Sendable {
    /// The values of the route's parameters, decoded.
    let parameters: [String]
    /// The query, decoded; the first value of each name.
    let query: [String: String]
    /// The value of the header that contains the service's token.
    let token: String
    /// Nil when it is empty or not JSON.
    let body: JSONValue?

    var parameter: String { parameters.first ?? "" }

    func text(_ name: String) -> String? { body?[name]?.text }

    func number(_ name: String) -> Int? { query[name].flatMap { Int($0) } }
}

struct SimulatedRoute: Sendable {
    let method: HTTPServer.Method
    /// The name in faults.
    let name: String
    let answer: @Sendable (SimulatedCall) -> SimulatorAnswer
    private let segments: [String]

    /// - Parameter path: `:name` matches any non-empty segment.
    init(_ method: HTTPServer.Method, path: String, name: String, answer: @escaping @Sendable (SimulatedCall) -> SimulatorAnswer) {
        self.method = method
        self.name = name
        self.answer = answer
        segments = path.split(separator: "/").map { String($0) }
    }

    /// Returns the values of the parameters; nil when the path does not match.
    func parameters(of requested: [String]) -> [String]? {
        guard requested.count == segments.count else { return nil }
        var parameters: [String] = []
        for (segment, given) in zip(segments, requested) {
            if segment.hasPrefix(":"), !given.isEmpty {
                parameters.append(given)
            } else if !segment.utf8.elementsEqual(given.utf8) {
                return nil
            }
        }
        return parameters
    }
}

/// A simulated service over plain HTTP/1.1, with faults that take precedence over its answers.
///
/// It supports the faults `answer` and `delay`; with every other fault the request gets no response. The `token` of a fault is the name of
/// a request.
final class HTTPSimulator: Sendable {
    private static let bodyLimit = 1 << 20
    private static let foreverMilliseconds: UInt64 = 86_400_000
    private static let maximumDelayed = 64

    private let server: Server
    private let webhooks: SimulatedWebhooks?
    private let waiting = Monitor((isStopping: false, boxes: [PendingBox]()))
    private let delays = WorkQueue(ShareBound(maximumDelayed, waiting: maximumDelayed))

    /// - Parameters:
    ///   - tokenHeader: the header that contains the token, in lower case.
    ///   - refusal: creates a refusal in the service's own form; also used for unknown paths and methods.
    ///   - routes: the first route with a matching path and method is used.
    ///   - webhooks: owned by the simulator, and stopped with it, even when it cannot be started.
    init(
        _ provider: SimulatedProvider, host: String, port: UInt16, tokenHeader: StaticString, faults: FaultScript,
        refusal: @escaping @Sendable (Fault.Answer) -> SimulatorAnswer, routes: [SimulatedRoute], webhooks: SimulatedWebhooks?
    ) throws(SimulatorSet.Failure) {
        let hold = Hold(waiting: waiting, delays: delays)
        let handler: Handler = { request, responder in
            let path = request.segments()
            let found = routes.lazy.compactMap { route in route.parameters(of: path).map { (route, $0) } }
            guard found.first != nil else { return responder.respond(Response(refusal(Fault.Answer(404)))) }
            guard let (route, parameters) = found.first(where: { $0.0.method == request.method }) else {
                return responder.respond(Response(refusal(Fault.Answer(405))))
            }
            let call = SimulatedCall(request, parameters, tokenHeader: tokenHeader)
            let fault = faults.next(provider, Fault.Subject(endpoint: .send, tokens: [route.name]))
            let delay = fault?.delayMilliseconds ?? 0
            switch fault?.effect {
            case nil: return responder.respond(Response(route.answer(call)))
            case .answer(let answer): return hold.respond(responder, after: delay) { Response(refusal(answer)) }
            case .delay: return hold.respond(responder, after: delay) { Response(route.answer(call)) }
            default: return hold.stall(responder)
            }
        }
        let methods: [HTTPServer.Method] = [.get, .post, .put, .patch, .delete]
        do throws(ServerError) {
            server = try Server(
                .tcp(host: host, port: port), router: Router([Route("/*", bodyLimit: Self.bodyLimit, methods.map { ($0, handler) })]),
                settings: ServerSettings(connectionLimit: 1000, threads: 1))
        } catch {
            webhooks?.stop()
            throw SimulatorSet.Failure(description: "\(error)")
        }
        self.webhooks = webhooks
    }

    var port: UInt16 {
        guard case .tcp(_, let port) = server.address else { preconditionFailure("the server must listen on TCP") }
        return port
    }

    /// Call it once.
    func stop() {
        let boxes = waiting.update { state in
            state.isStopping = true
            defer { state.boxes = [] }
            return state.boxes
        }
        for box in boxes { box.respond(Response(status: 503)) }
        delays.stop()
        server.stop(drainMilliseconds: 1000)
        webhooks?.stop()
    }

    private struct Hold: Sendable {
        let waiting: Monitor<(isStopping: Bool, boxes: [PendingBox])>
        let delays: WorkQueue

        func respond(
            _ responder: consuming Responder, after milliseconds: Int, _ make: @escaping @Sendable () -> Response
        ) -> Answered {
            guard milliseconds > 0 else { return responder.respond(make()) }
            return responder.respondLater(timeoutMilliseconds: HTTPSimulator.foreverMilliseconds) { pending in
                let box = PendingBox(pending)
                let isQueued = delays.submit {
                    _ = waiting.wait(timeoutMilliseconds: UInt64(milliseconds)) { $0.isStopping ? true : nil }
                    box.respond(make())
                }
                if !isQueued { box.respond(Response(status: 503)) }
            }
        }

        func stall(_ responder: consuming Responder) -> Answered {
            responder.respondLater(timeoutMilliseconds: HTTPSimulator.foreverMilliseconds) { pending in
                let box = PendingBox(pending)
                waiting.update { if !$0.isStopping { $0.boxes.append(box) } }
            }
        }
    }
}

extension Response {
    fileprivate convenience init(_ answer: SimulatorAnswer) {
        self.init(status: answer.status, headers: answer.headers, body: answer.body)
    }
}

extension SimulatedCall {
    fileprivate init(_ request: borrowing Request, _ parameters: [String], tokenHeader: StaticString) {
        var query: [String: String] = [:]
        for item in request.queryItems() {
            let key = String(decoding: PercentEncoding.decodedLeniently(item.name.span), as: UTF8.self)
            if query[key] == nil { query[key] = String(decoding: PercentEncoding.decodedLeniently(item.value.span), as: UTF8.self) }
        }
        var token = ""
        request.withHeader(tokenHeader) { value in
            if let value { token = String(repairing: value) }
        }
        self.init(
            parameters: parameters, query: query, token: token,
            body: request.withBody { body in JSONValue(parsing: Array(copying: body)) })
    }
}

extension Request {
    fileprivate borrowing func segments() -> [String] {
        withPathParameter { bytes in
            Array(copying: bytes).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { String(decoding: PercentEncoding.decodedLeniently($0.span), as: UTF8.self) }
        }
    }
}
