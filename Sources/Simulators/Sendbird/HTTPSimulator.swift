internal import Bytes
internal import HTTPServer
internal import JSON
internal import Threading

/// A request to a simulated service that speaks HTTP/1.1.
struct SimulatedCall: Sendable {
    /// What the request is called, also in faults.
    let name: String
    /// The part of the path that the route leaves open; empty when there is none.
    let parameter: String
    /// The query, decoded; the first value of each name.
    let query: [String: String]
    /// The value of the header with the service's token.
    let token: String
    /// The body as JSON; nil when it is empty or no JSON.
    let body: JSONValue?

    /// A member of the body that is a text.
    func text(_ name: String) -> String? { body?[name]?.text }

    /// A member of the query that is a number; nil when it is none.
    func number(_ name: String) -> Int? { query[name].flatMap { Int($0) } }
}

/// One request that a simulated service answers.
struct SimulatedRoute: Sendable {
    let method: HTTPServer.Method
    let path: StaticString
    let name: String
    let answer: @Sendable (SimulatedCall) -> SimulatorAnswer
}

/// A simulated service that speaks plain HTTP/1.1, and the faults that take precedence over its answers.
///
/// Of the faults it knows answers and delays; every other one leaves the request without an answer. A fault's `token` is a request's name here.
final class HTTPSimulator: Sendable {
    private static let bodyLimit = 1 << 20
    private static let foreverMilliseconds: UInt64 = 86_400_000
    private static let mostDelayed = 64

    private let server: Server
    private let waiting = Monitor((isStopping: false, boxes: [PendingBox]()))
    private let delays = WorkQueue(threads: mostDelayed, limit: mostDelayed)

    /// Starts it.
    /// - Parameter tokenHeader: the header that has the token, in lower case.
    init(
        _ provider: SimulatedProvider, host: String, port: UInt16, tokenHeader: StaticString, faults: FaultScript,
        refusal: @escaping @Sendable (Fault.Answer) -> SimulatorAnswer, routes: [SimulatedRoute]
    ) throws(ServerError) {
        let hold = Hold(waiting: waiting, delays: delays)
        var paths: [StaticString] = []
        for route in routes where !paths.contains(where: { "\($0)" == "\(route.path)" }) { paths.append(route.path) }
        let served = paths.map { path in
            Route(
                path, bodyLimit: Self.bodyLimit,
                routes.filter { "\($0.path)" == "\(path)" }.map { route in
                    (
                        route.method,
                        { request, responder in
                            let call = SimulatedCall(request, name: route.name, tokenHeader: tokenHeader)
                            let fault = faults.next(provider, Fault.Subject(endpoint: .send, tokens: [route.name]))
                            let delay = fault?.delayMilliseconds ?? 0
                            switch fault?.effect {
                            case nil: return responder.respond(Response(route.answer(call)))
                            case .answer(let answer): return hold.respond(responder, after: delay) { Response(refusal(answer)) }
                            case .delay: return hold.respond(responder, after: delay) { Response(route.answer(call)) }
                            default: return hold.stall(responder)
                            }
                        }
                    )
                })
        }
        server = try Server(
            .tcp(host: host, port: port), router: Router(served), settings: ServerSettings(connectionLimit: 1000, threads: 1))
    }

    /// The port it listens on.
    var port: UInt16 {
        guard case .tcp(_, let port) = server.address else { preconditionFailure("it listens on TCP") }
        return port
    }

    /// Stops it; call it once.
    func stop() {
        let boxes = waiting.update { state in
            state.isStopping = true
            defer { state.boxes = [] }
            return state.boxes
        }
        for box in boxes { box.respond(Response(status: 503)) }
        delays.stop()
        server.stop(drainMilliseconds: 1000)
    }

    /// Keeps requests waiting.
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
    fileprivate init(_ request: borrowing Request, name: String, tokenHeader: StaticString) {
        var query: [String: String] = [:]
        for item in request.queryItems() {
            let key = Self.decoded(item.name)
            if query[key] == nil { query[key] = Self.decoded(item.value) }
        }
        var token = ""
        request.withHeader(tokenHeader) { value in
            if let value { token = String(decoding: value.indices.map { value[$0] }, as: UTF8.self) }
        }
        self.init(
            name: name, parameter: request.withPathParameter { bytes in Self.decoded(bytes.indices.map { bytes[$0] }) }, query: query,
            token: token, body: request.withBody { body in JSONValue(parsing: body.indices.map { body[$0] }) })
    }

    private static func decoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first, let low = rest.dropFirst().first, let decoded = Hexadecimal.byte(high, low)
            {
                text.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
