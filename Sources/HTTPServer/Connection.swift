internal import Bytes
internal import CMicrohttpd
internal import Glibc

/// One connection of a client with its current request: the shell around `BodyReception`, `ExchangePhase` and `Router`.
///
/// It exists from libmicrohttpd's "started" to its "closed" notification and is reused for each of the connection's requests, so that a
/// request allocates nothing here.
@safe
final class Connection: Exchange {
    // Premises of the unchecked fields below. libmicrohttpd serves a connection on one thread only, and makes no callback for it while it
    // is suspended. The thread that answers a suspended request writes `answer` and `isOverdue` after it has won the phase and before it
    // resumes the connection; resuming takes a lock that the serving thread takes before its next callback. `tableIndex` and `limitState`
    // are guarded by the table's lock. The socket stays open until the table has dropped the connection. For the same reasons no two
    // accesses overlap; a dynamic exclusivity check would cost each request more than the decision on it.
    nonisolated(unsafe) private let raw: OpaquePointer
    private let descriptor: Int32
    private let context: ServerContext
    enum LimitState {
        case counted, refused
        /// About to be closed.
        case ended
    }

    /// The caller whose connections are limited together with this one; nil when they are not limited.
    let caller: IPAddress?
    let phase = ExchangePhase()
    nonisolated(unsafe) var tableIndex = -1
    nonisolated(unsafe) var limitState = LimitState.ended
    /// Whether the connection is beyond a limit, so that its request is rejected.
    @exclusivity(unchecked) nonisolated(unsafe) private var isOverLimit = false

    @exclusivity(unchecked) nonisolated(unsafe) private var hasBegun = false
    @exclusivity(unchecked) nonisolated(unsafe) private var begunAt: UInt64 = 0
    @exclusivity(unchecked) nonisolated(unsafe) private var targetEnd: UnsafePointer<CChar>?
    @exclusivity(unchecked) nonisolated(unsafe) private var path = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @exclusivity(unchecked) nonisolated(unsafe) private var method = Method.other
    @exclusivity(unchecked) nonisolated(unsafe) private var match = Router.Match.response(
        StandardResponse.notFound, route: Router.unmatched)
    @exclusivity(unchecked) nonisolated(unsafe) private var reception = BodyReception(limit: 0)
    @exclusivity(unchecked) nonisolated(unsafe) private var body: BodyBuffer
    @exclusivity(unchecked) nonisolated(unsafe) private var answer: Response?
    @exclusivity(unchecked) nonisolated(unsafe) private var identifier = RequestID()
    @exclusivity(unchecked) nonisolated(unsafe) private var traceparent = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @exclusivity(unchecked) nonisolated(unsafe) private var reply = Reply()
    @exclusivity(unchecked) nonisolated(unsafe) private var isChunked = false
    /// Whether the deadline has answered a suspended request, whose handler still holds the right to answer.
    @exclusivity(unchecked) nonisolated(unsafe) private var isOverdue = false
    @exclusivity(unchecked) nonisolated(unsafe) private var queued = MHD_Result.NO
    @exclusivity(unchecked) nonisolated(unsafe) private var evaluated: (by: ClientAuthorities, certificate: PeerCertificate)?

    init(_ raw: OpaquePointer, context: ServerContext) {
        unsafe self.raw = raw
        descriptor = unsafe shim_MHD_get_connection_fd(raw)
        self.context = context
        caller = unsafe context.boundedCaller(HTTPServer.peerHost(of: raw))
        unsafe body = BodyBuffer(room: context.bodyRoom)
        phase.open(deadline: coarseMilliseconds() + context.openMilliseconds)
    }

    /// Makes the connection's request be rejected, and closes the connection afterwards.
    func refuse() {
        unsafe isOverLimit = true
    }

    // MARK: The steps of a request, on the thread that serves the connection

    /// Called when the request line has arrived.
    /// - Parameter targetEnd: the end of its target, query included.
    func beginRequest(targetEnd: UnsafePointer<CChar>) {
        unsafe hasBegun = false
        unsafe isChunked = false
        unsafe identifier.beginRequest()
        unsafe traceparent = UnsafeBufferPointer(start: nil, count: 0)
        unsafe self.targetEnd = targetEnd
        unsafe begunAt = coarseMilliseconds()
        phase.beginReceiving(deadline: unsafe begunAt + context.headMilliseconds)
    }

    /// Called when the headers have arrived. Finds the route, and decides whether the body is received.
    func receiveHeaders(_ line: RequestLine) -> MHD_Result {
        unsafe method = Method(token: line.method.span)
        // The library keeps the request line and the headers in place until the request is completed.
        unsafe path = line.routedPath
        unsafe match =
            unsafe isOverLimit
            ? .response(StandardResponse.tooManyConnections, route: Router.unmatched)
            : unsafe context.match(method, path: path.span)
        let headers = unsafe RequestHeaders(of: raw, after: line)
        if unsafe headers.isMalformed || !line.isWellFormed(targetEnd: targetEnd) || headers.holdsCarriageReturn(behind: line) {
            return refuse(StandardResponse.malformedRequest)
        }
        unsafe isChunked = headers.isChunked
        unsafe identifier.take(headers.requestID)
        unsafe traceparent = headers.traceparent
        if headers.isAmbiguous { return refuse(StandardResponse.ambiguousLength) }
        // A body that arrives slowly would delay the rejections of other connections.
        if unsafe isOverLimit { return refuse(ownResponse) }
        applyAdmission()
        if headers.isEncoded, headers.isChunked || headers.contentLength ?? 0 > 0, case .handler(_, let route, _) = unsafe match {
            unsafe match = .response(StandardResponse.encodedBody, route: route)
        }
        var bodyLimit: Int?
        if case .handler(_, _, let limit) = unsafe match { bodyLimit = limit }
        unsafe reception = BodyReception(limit: bodyLimit ?? 0)
        let declared = headers.isChunked ? nil : headers.contentLength ?? 0
        switch unsafe reception.begin(
            declaredLength: declared, expectsContinue: headers.expectsContinue, isRefused: bodyLimit == nil)
        {
        case .refuse: return refuse(bodyLimit == nil ? ownResponse : StandardResponse.bodyTooLarge)
        case .receive:
            unsafe phase.receiveBody(deadline: begunAt + context.requestMilliseconds)
            if unsafe !reception.isTooLarge, let declared { unsafe body.reserve(Int(declared)) }
            return .YES
        }
    }

    /// Lets the route reject the request before its body is received.
    private func applyAdmission() {
        guard case .handler(let endpoint, let route, _) = unsafe match else { return }
        let none = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
        if let refusal = unsafe endpoint.refusal(of: request(none, route: route)) { unsafe match = .response(refusal, route: route) }
    }

    private func request(_ body: UnsafeMutableBufferPointer<UInt8>, route: Int) -> Request {
        unsafe Request(method: method, body: body, pathParameters: context.router.parameters(of: path, route: route), exchange: self)
    }

    /// Called when a part of the body has arrived.
    func receive(_ part: UnsafeBufferPointer<UInt8>) -> MHD_Result {
        switch unsafe reception.add(part.count) {
        case .store: unsafe body.append(part)
        case .discard: break
        case .abort:
            guard phase.beginAnswering(deadline: context.deadline()) else { return .NO }
            context.observe(route, StandardResponse.bodyTooLarge.status)
            hangUp(saying: Self.lastWords("413 Content Too Large", unsafe identifier))
            return .NO
        }
        return .YES
    }

    /// Called when the request is complete, and again when a suspended one has been answered.
    func finishRequest() -> MHD_Result {
        if let answer = unsafe answer.take() { return queue(answer) }
        guard phase.beginAnswering(deadline: context.deadline()) else { return .NO }
        guard case .handler(let endpoint, let route, _) = unsafe match else { return queue(ownResponse) }
        guard unsafe !reception.isTooLarge else { return queue(StandardResponse.bodyTooLarge) }
        guard unsafe !body.lacksRoom else {
            context.noteBodyWithoutRoom(of: peer())
            return queue(StandardResponse.tooManyBodies)
        }
        guard !context.isClosing else { return queue(StandardResponse.shuttingDown) }
        unsafe queued = .YES
        endpoint.withHandler { handler in _ = unsafe handler(request(body.bytes, route: route), Responder(self)) }
        // The handler has read the body, even if the request is suspended now.
        unsafe body.releaseMemory()
        return unsafe queued
    }

    /// Called when the answer has been sent or the connection is lost.
    func endRequest() {
        unsafe body.clear()
        unsafe reply.endRequest()
        unsafe answer = nil
        unsafe path = UnsafeBufferPointer(start: nil, count: 0)
        unsafe traceparent = UnsafeBufferPointer(start: nil, count: 0)
        phase.becomeIdle(deadline: context.idleDeadline())
    }

    /// Whether the next call of the access handler is the first of its request.
    func takesHeaders() -> Bool {
        defer { unsafe hasBegun = true }
        return unsafe !hasBegun
    }

    private var route: Int {
        switch unsafe match {
        case .handler(_, let route, _), .response(_, let route): route
        }
    }

    private var ownResponse: Response {
        guard case .response(let response, _) = unsafe match else { preconditionFailure("only called where no handler answers") }
        return response
    }

    /// Answers before the body has arrived; libmicrohttpd then closes the connection.
    private func refuse(_ response: Response) -> MHD_Result {
        phase.beginAnswering(deadline: context.deadline()) ? queue(response) : .NO
    }

    private func queue(_ response: Response) -> MHD_Result {
        context.observe(route, response.status)
        // A late response is tied to its connection but not to its request, so an overdue connection must not serve another request. Nor
        // may one whose body was chunked: the library accepts chunk lines that end in a bare LF, so a proxy may have seen another end of
        // the body.
        let isLast = unsafe isOverLimit || isOverdue || isChunked || context.isDraining
        return unsafe reply.queue(response, id: identifier, on: raw, closingConnection: isLast)
    }

    /// Whether a TLS handshake asks for a client certificate.
    var requestsCertificate: Bool { context.requestsCertificates }

    /// The identity for a TLS handshake; nil for plain HTTP.
    var identity: UnsafeMutablePointer<shim_Identity>? {
        unsafe context.credentials?.current
    }

    // MARK: Exchange

    func peer() -> String {
        unsafe peerAddress(of: raw)
    }

    func peerHost() -> PeerHost {
        unsafe HTTPServer.peerHost(of: raw)
    }

    func localAddress() -> String? {
        HTTPServer.localAddress(of: descriptor)
    }

    func peerCertificate(_ authorities: ClientAuthorities) -> PeerCertificate {
        if let evaluated = unsafe evaluated, evaluated.by === authorities { return evaluated.certificate }
        let certificate = unsafe authorities.evaluate(raw)
        unsafe evaluated = (authorities, certificate)
        return certificate
    }

    func respond(_ response: Response) {
        unsafe queued = queue(response)
    }

    func suspend(timeoutMilliseconds: UInt64) {
        unsafe MHD_suspend_connection(raw)
        guard phase.suspend(deadline: coarseMilliseconds() + timeoutMilliseconds) else {
            // The watchdog has ended the request. A connection that stays suspended can never be closed.
            return unsafe MHD_resume_connection(raw)
        }
    }

    var isSuspended: Bool { phase.isSuspended }

    func resume(with response: Response) -> Bool {
        guard phase.claimSuspended(deadline: context.deadline()) else { return false }
        resumeClaimed(with: response)
        return true
    }

    private func resumeClaimed(with response: Response) {
        unsafe answer = response
        context.duringResumption { unsafe MHD_resume_connection(raw) }
    }

    func withHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void) {
        name.withUTF8Buffer { unsafe withHeader($0, body) }
    }

    func withHeader(named name: [UInt8], _ body: (Span<UInt8>?) -> Void) {
        unsafe name.withUnsafeBufferPointer { unsafe withHeader($0, body) }
    }

    private func withHeader(_ name: UnsafeBufferPointer<UInt8>, _ body: (Span<UInt8>?) -> Void) {
        var value: UnsafePointer<CChar>?
        var size = 0
        let found = unsafe name.withMemoryRebound(to: CChar.self) { name in
            unsafe MHD_lookup_connection_value_n(raw, .HEADER_KIND, name.baseAddress, name.count, &value, &size)
        }
        guard found == .YES else { return body(nil) }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: size)
        unsafe body(withoutBlanks(bytes.bindMemory(to: UInt8.self)).span)
    }

    func withOnlyHeader(_ name: StaticString, _ body: (Span<UInt8>?) -> Void) {
        unsafe HTTPServer.withOnlyHeader(name, of: raw, body)
    }

    func headerValues(_ name: StaticString) -> [[UInt8]] {
        unsafe HTTPServer.headerValues(name, of: raw)
    }

    func withTraceparent(_ body: (Span<UInt8>?) -> Void) {
        unsafe body(traceparent.isEmpty ? nil : traceparent.span)
    }

    func withRequestID(_ body: (Span<UInt8>) -> Void) {
        unsafe identifier.withBytes(body)
    }

    func queryItems() -> [QueryItem] {
        unsafe HTTPServer.queryItems(of: raw)
    }

    // MARK: The watchdog, on its own thread and under the table's lock

    /// Ends the request or the connection if its deadline has passed at `now`.
    /// - Parameter suspended: the answer to a suspended request.
    func expire(now: UInt64, suspended: Response) {
        switch phase.expire(now: now, answerDeadline: context.deadline()) {
        case nil: break
        case .noRequest:
            // A client that has sent nothing would treat a response as that to its first request.
            if !context.isTLS && shim_has_received(descriptor) != 0 { endOverdueRequest() } else { hangUp(saying: nil) }
        case .requestTimeout: endOverdueRequest()
        case .close: hangUp(saying: nil)
        case .answer:
            unsafe isOverdue = true
            resumeClaimed(with: suspended)
        }
    }

    private func endOverdueRequest() {
        context.observe(Router.unmatched, 408)
        // The request's own id belongs to the serving thread, and may not have arrived.
        hangUp(saying: Self.lastWords("408 Request Timeout", RequestID()))
    }

    /// The time since which no request has been in progress, in milliseconds of the monotonic clock; nil while one is.
    var idleSince: UInt64? {
        phase.idleSince(openMilliseconds: context.openMilliseconds, idleMilliseconds: context.idleMilliseconds)
    }

    /// Closes the connection unless a request is in progress.
    /// - Returns: whether it is closed.
    func closeIfIdle() -> Bool {
        guard phase.endIdle() else { return false }
        hangUp(saying: nil)
        return true
    }

    /// Shuts down the socket from outside libmicrohttpd, which detects that and cleans up.
    ///
    /// libmicrohttpd cannot answer an incomplete request, so the answer is written to the socket directly; with TLS none is sent.
    private func hangUp(saying words: [UInt8]?) {
        if let words, !context.isTLS {
            unsafe send(descriptor, words, words.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func lastWords(_ status: String, _ id: RequestID) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nConnection: close\r\n\(RequestID.header): \(id.text)\r\nContent-Length: 0\r\n\r\n".utf8)
    }
}
