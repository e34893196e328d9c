internal import Bytes
internal import Synchronization
internal import Time

/// The state that all connections of one server share.
@safe
final class ServerContext: Sendable {
    let router: Router
    // The same router, borrowed, because reference counting would make all threads contend.
    private let lentRouter: Unmanaged<Router>
    let connections: ConnectionTable
    /// The certificate and key for TLS handshakes; nil for plain HTTP.
    let credentials: TLSCredentials?
    /// Whether TLS handshakes request a client certificate, which the client may omit.
    let requestsCertificates: Bool
    let bodyRoom: BodyRoom
    /// The timeout of a connection's first request line, in milliseconds.
    let openMilliseconds = TimeLimit.milliseconds(ServerContext.patienceWithHeads)
    /// The timeout of a request's headers after its first line, in milliseconds.
    let headMilliseconds: UInt64
    /// The timeout of a request after its first line, in milliseconds.
    let requestMilliseconds: UInt64
    /// The timeout of a connection's next request line, in milliseconds.
    ///
    /// libmicrohttpd closes a silent connection earlier; this closes one whose request line arrives one byte at a time.
    let idleMilliseconds: UInt64
    private let observer: ResponseObserver
    private let listening: Int32
    private let spare = SpareDescriptor()
    private let pressure: ConnectionPressure
    private let hadShortage = Atomic<Bool>(false)
    private let draining = Atomic<Bool>(false)
    private let closing = Atomic<Bool>(false)
    private let resumptions = Atomic<Int>(0)

    var isTLS: Bool { credentials != nil }

    /// - Parameters:
    ///     - listening: the listening socket.
    init(
        router: Router, settings: ServerSettings, credentials: TLSCredentials?, listening: Int32, observer: @escaping ResponseObserver,
        pressure: ConnectionPressure
    ) {
        self.router = router
        self.listening = listening
        self.pressure = pressure
        unsafe lentRouter = Unmanaged.passUnretained(router)
        connections = ConnectionTable(limit: settings.connectionLimit, limitPerCaller: settings.connectionsPerCaller)
        bodyRoom = BodyRoom(bytes: settings.bodyMemory)
        requestMilliseconds = UInt64(settings.requestTimeoutMilliseconds)
        headMilliseconds = min(openMilliseconds, requestMilliseconds)
        idleMilliseconds = requestMilliseconds + UInt64(settings.idleTimeoutSeconds) * 1000
        self.observer = observer
        self.credentials = credentials
        requestsCertificates = settings.clientAuthorities != nil
    }

    /// Finds the handler or the standard response for a request.
    func match(_ method: Method, path: Span<UInt8>) -> Router.Match {
        unsafe lentRouter._withUnsafeGuaranteedRef { $0.match(method, path: path) }
    }

    /// Whether the server is stopping, so that each response closes its connection.
    var isDraining: Bool {
        draining.load(ordering: .relaxed)
    }

    func startDraining() {
        draining.store(true, ordering: .relaxed)
    }

    /// Whether requests are rejected, because libmicrohttpd must not be stopped while a connection is suspended.
    var isClosing: Bool {
        closing.load(ordering: .sequentiallyConsistent)
    }

    /// Rejects requests from now on. Once `isIdle` has been true after this call, no handler is called any more.
    func startClosing() {
        closing.store(true, ordering: .sequentiallyConsistent)
    }

    /// Resumes a connection from a thread outside the server. Counts the call, because the thread uses the daemon until it returns, which
    /// may be after the end of the request.
    func duringResumption(_ body: () -> Void) {
        resumptions.add(1, ordering: .relaxed)
        body()
        resumptions.subtract(1, ordering: .releasing)
    }

    /// Whether no request is in progress and no outside thread uses the daemon.
    var isIdle: Bool {
        !connections.hasRequests() && resumptions.load(ordering: .acquiring) == 0
    }

    /// The deadline for sending a response that starts now.
    func deadline() -> UInt64 {
        coarseMilliseconds() + requestMilliseconds
    }

    /// The deadline by which a connection that is idle now must have sent its next request line completely.
    func idleDeadline() -> UInt64 {
        coarseMilliseconds() + idleMilliseconds
    }

    /// The caller whose connections are limited together; nil when they are not limited.
    func boundedCaller(_ peer: PeerHost) -> IPAddress? {
        guard case .address(let address) = peer, !pressure.isUnbounded(address) else { return nil }
        return address.site
    }

    func take(_ connection: Connection) {
        guard let reached = connections.insert(connection) else { return }
        if reached.isRefused { connection.refuse() }
        pressure.onReachedBound(reached)
    }

    /// Reports a request whose body exceeds the shared memory.
    func noteBodyWithoutRoom(of peer: String) { pressure.onBodyWithoutRoom(peer) }

    /// Answers 503 to pending connections for which the process has no descriptor left; when even that needs a descriptor, closes the
    /// connection that has been idle longest.
    func reject() {
        if let count = spare.reject(from: listening, answer: isTLS ? nil : Self.refusal()) {
            for _ in 0..<count { observer(Router.unmatched, 503) }
        } else {
            connections.closeLongestIdle()
        }
        if !hadShortage.exchange(true, ordering: .relaxed) { pressure.onDescriptorShortage() }
    }

    /// Accepts pending connections for libmicrohttpd's threads: after a shortage of descriptors each thread accepts nothing until one of
    /// its own connections ends, possibly long after descriptors are free again.
    /// - Parameter daemon: the running daemon.
    func acceptPending(for daemon: OpaquePointer) {
        guard hadShortage.load(ordering: .relaxed) else { return }
        for _ in 0..<Self.maximumAcceptedAtOnce {
            switch unsafe ListenSocket.accept(from: listening, for: daemon) {
            case .accepted: continue
            case .nobodyWaits: return
            case .noDescriptor: return reject()
            }
        }
    }

    private static let patienceWithHeads: UInt64 = 5000

    /// The limit keeps a flood from delaying the watchdog's deadlines.
    private static let maximumAcceptedAtOnce = 64

    private static func refusal() -> [UInt8] {
        let response = StandardResponse.tooManyConnections
        var head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: \(response.body.count)\r\n"
        for (name, value) in response.headers + [("\(RequestID.header)", RequestID().text)] { head += "\(name): \(value)\r\n" }
        return Array("\(head)\r\n".utf8) + response.body
    }

    func observe(_ route: Int, _ status: Int) {
        observer(route, status)
    }
}

/// Called for each response with the index of the route (or `Router.unmatched`) and the status, on any thread; must not block.
package typealias ResponseObserver = @Sendable (_ route: Int, _ status: Int) -> Void
