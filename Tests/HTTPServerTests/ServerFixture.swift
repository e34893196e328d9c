import HTTPServer
import TestSupport
import Testing
import Threading

/// A running server with one route for each kind of response, stopped at the end of the test.
final class ServerFixture: Sendable {
    let server: Server
    let observed = ObservedResponses()
    let held = HeldResponses()
    private let answering: AnsweringThread

    static let bodyLimit = 1024
    private static let patience = WaitLimit.milliseconds

    init(
        _ address: ListenAddress = .tcp(host: "127.0.0.1", port: 0), settings: ServerSettings = ServerSettings(threads: 2),
        pressure: ConnectionPressure = ConnectionPressure()
    ) throws {
        let observed = observed
        let held = held
        let answering = AnsweringThread()
        self.answering = answering
        do {
            server = try Server(
                address, router: Self.router(held, answering), settings: settings, observer: { observed.record($0, $1) }, pressure: pressure
            )
        } catch {
            answering.stop()
            throw error
        }
    }

    /// - Parameter source: the client's address; by default the system chooses one.
    func client(from source: String? = nil) throws -> SocketClient {
        try SocketClient(server.address, from: source)
    }

    /// Serves requests on one connection with a handler whose responses contain the text that it reads from each request.
    /// - Parameter headers: the headers of the requests, in order.
    /// - Returns: the responses.
    static func answers(
        to headers: String..., reading read: @escaping @Sendable (borrowing Request) -> String
    ) throws -> [String] {
        let router = Router([Route("/read", [(.get, { request, responder in responder.respond(text(200, read(request))) })])])
        let server = try Server(
            .tcp(host: "127.0.0.1", port: 0), router: router, settings: ServerSettings(threads: 1), observer: { _, _ in })
        defer { server.stop(drainMilliseconds: 5000) }
        let client = try SocketClient(server.address)
        return try headers.map { headers in
            try client.send(request("GET", path: "/read", headers: headers))
            return try client.readResponse().text
        }
    }

    func stop(drainMilliseconds: UInt64 = 5000) {
        server.stop(drainMilliseconds: drainMilliseconds)
        answering.stop()
    }

    private static func router(_ held: HeldResponses, _ answering: AnsweringThread) -> Router {
        Router([
            Route("/hello", [(.get, { _, responder in responder.respond(text(200, "hello")) })]),
            Route("/echo", bodyLimit: bodyLimit, [(.post, { request, responder in responder.respond(echo(request)) })]),
            Route(
                "/later", bodyLimit: bodyLimit,
                [(.post, { request, responder in answerLater(request, responder: responder, answering: answering) })]),
            Route("/dropped", [(.post, { _, responder in responder.respondLater(timeoutMilliseconds: patience) { _ in } })]),
            Route("/held", [(.post, { _, responder in responder.respondLater(timeoutMilliseconds: patience) { held.add($0) } })]),
            Route(
                "/heldBody", bodyLimit: 1 << 20,
                [(.post, { _, responder in responder.respondLater(timeoutMilliseconds: patience) { held.add($0) } })]),
            Route("/count", bodyLimit: 1 << 20, [(.post, { request, responder in responder.respond(count(request)) })]),
            Route("/overdue", [(.post, { _, responder in responder.respondLater(timeoutMilliseconds: 20) { held.add($0) } })]),
            Route("/large", [(.get, { _, responder in responder.respond(large) })]),
            Route("/header", [(.get, { request, responder in responder.respond(text(200, headerLength(request))) })]),
        ])
    }

    // Larger than the socket buffers of both sides.
    private static let large = Response(status: 200, body: Array(repeating: UInt8(ascii: "x"), count: 16 * 1024 * 1024))

    static func text(_ status: Int, _ text: String) -> Response {
        Response(status: status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    private static func headerLength(_ request: borrowing Request) -> String {
        var length = "none"
        request.withHeader("X-Test") { value in
            if let value { length = "\(value.count)" }
        }
        return length
    }

    private static func echo(_ request: borrowing Request) -> Response {
        let body = request.withBody { span in span.indices.map { span[$0] } }
        return Response(status: 200, body: body)
    }

    private static func count(_ request: borrowing Request) -> Response {
        text(200, "\(request.withBody { $0.count })")
    }

    private static func answerLater(
        _ request: borrowing Request, responder: consuming Responder, answering: AnsweringThread
    ) -> Answered {
        let response = echo(request)
        return responder.respondLater(timeoutMilliseconds: patience) { answering.answer(PendingBox($0), with: response) }
    }
}

/// The thread that answers `/later`.
final class AnsweringThread: Sendable {
    private enum Work {
        case answer(PendingBox, Response)
        case end
    }

    private let work: Monitor<[Work]>
    private let thread: DedicatedThread

    init() {
        let work = Monitor<[Work]>([])
        self.work = work
        thread = startThread {
            while case .answer(let box, let response)? = work.wait({ $0.isEmpty ? nil : $0.removeFirst() }) {
                box.respond(response)
            }
        }
    }

    func answer(_ box: PendingBox, with response: Response) {
        work.update { $0.append(.answer(box, response)) }
    }

    func stop() {
        work.update { $0.append(.end) }
        thread.join()
    }
}

/// Suspended requests that a test answers.
final class HeldResponses: Sendable {
    private let boxes = Monitor<[PendingBox]>([])

    func add(_ pending: consuming PendingResponse) {
        let box = PendingBox(pending)
        boxes.update { $0.append(box) }
    }

    func next() throws -> PendingBox {
        try #require(boxes.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.popLast() })
    }
}

final class ObservedResponses: Sendable {
    private let statuses = Monitor<[Int: Int]>([:])

    func record(_ route: Int, _ status: Int) {
        statuses.update { $0[status, default: 0] += 1 }
    }

    func count(of status: Int) -> Int {
        statuses.withLock { $0[status] ?? 0 }
    }
}
