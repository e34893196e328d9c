internal import CMicrohttpd
internal import Glibc
internal import Threading

/// An HTTP/1.1 server on one address: libmicrohttpd with epoll and a pool of threads, and a watchdog that enforces deadlines.
///
/// Handlers run on the pool's threads and must not block; a handler that has to wait uses `Responder.respondLater`. The owner must call
/// `stop` before it releases a server.
@safe
package final class Server: Sendable {
    /// The listening address, with the port that the system chose if port 0 was requested.
    package let address: ListenAddress

    // Only `stop` takes the daemon, and it runs once.
    nonisolated(unsafe) private let daemon: OpaquePointer
    private let listening: Int32
    private let context: ServerContext
    private let life: Monitor<ServerLife>
    private let watchdog: DedicatedThread

    /// Listens on the address and serves.
    /// - Parameters:
    ///     - observer: called for each response.
    /// - Throws: when listening on the address fails or the certificate cannot be used.
    package init(
        _ address: ListenAddress, router: Router, settings: ServerSettings = ServerSettings(),
        observer: @escaping ResponseObserver = { _, _ in }, pressure: ConnectionPressure = ConnectionPressure()
    ) throws(ServerError) {
        var credentials: TLSCredentials?
        if let identity = settings.tls { credentials = try TLSCredentials(identity, for: address) }
        let socket = try ListenSocket(address)
        let context = ServerContext(
            router: router, settings: settings, credentials: credentials, listening: socket.descriptor, observer: observer,
            pressure: pressure)
        let life = Monitor(ServerLife.running)
        guard let daemon = unsafe Self.startDaemon(socket.descriptor, settings: settings, context: context) else {
            // libmicrohttpd has closed the descriptor, whose number may be in use again. It leaks the descriptor only if it ran out of
            // descriptors.
            Self.unlinkSocket(of: address)
            throw ServerError(
                kind: .cannotStart, description: "cannot start the server on \(address): not enough threads or descriptors")
        }
        do throws(ThreadError) {
            watchdog = try unsafe Self.startWatchdog(context, life: life, daemon: daemon, settings: settings)
        } catch {
            unsafe MHD_stop_daemon(daemon)
            Self.unlinkSocket(of: address)
            throw ServerError(kind: .cannotStart, description: error.description)
        }
        self.address = socket.address
        listening = socket.descriptor
        unsafe self.daemon = daemon
        self.context = context
        self.life = life
    }

    deinit {
        precondition(life.withLock { $0 } == .stopped, "a server must be stopped before it is released")
    }

    package var connectionCount: Int {
        context.connections.approximateCount
    }

    /// The approximate memory that large bodies use, in bytes.
    package var bodyBytes: Int { context.bodyRoom.taken }

    /// Uses another certificate from the next handshake on; open connections keep theirs. Only for a server with TLS, and only one thread
    /// at a time may call it.
    /// - Throws: when the certificate cannot be used; then nothing has changed.
    package func replaceIdentity(with identity: TLSIdentity) throws(ServerError) {
        try context.credentials?.replace(with: identity, for: address)
    }

    /// Stops accepting connections, completes requests in progress, then closes. Blocks; call it once.
    /// - Parameter drainMilliseconds: the time for requests in progress; after that suspended ones are answered 503 and the other
    ///   connections are shut down.
    package func stop(drainMilliseconds: UInt64) {
        context.startDraining()
        ListenSocket.stopListening(listening)
        Self.unlinkSocket(of: address)
        _ = waitUntilIdle(milliseconds: drainMilliseconds)
        context.startClosing()
        repeat {
            context.connections.endRequests()
        } while !waitUntilIdle(milliseconds: 1000)
        life.update { $0 = .stopped }
        watchdog.join()
        unsafe MHD_stop_daemon(daemon)
    }

    private func waitUntilIdle(milliseconds: UInt64) -> Bool {
        let deadline = coarseMilliseconds() + milliseconds
        while !context.isIdle {
            guard coarseMilliseconds() < deadline else { return false }
            // Polls, because a signal at the end of each request would cost every request.
            _ = life.wait(timeoutMilliseconds: 5) { _ in nil as Void? }
        }
        return true
    }

    private static func unlinkSocket(of address: ListenAddress) {
        if case .unix(let path) = address { unsafe unlink(path) }
    }

    private static func startWatchdog(
        _ context: ServerContext, life: Monitor<ServerLife>, daemon: OpaquePointer, settings: ServerSettings
    ) throws(ThreadError) -> DedicatedThread {
        // The daemon is stopped after the thread has ended.
        nonisolated(unsafe) let daemon = unsafe daemon
        return try DedicatedThread {
            unsafe watch(context, life: life, daemon: daemon, requestTimeoutMilliseconds: settings.requestTimeoutMilliseconds)
        }
    }

    private static func startDaemon(
        _ descriptor: Int32, settings: ServerSettings, context: ServerContext
    ) -> OpaquePointer? {
        var daemon = unsafe shim_DaemonSettings(
            listen_socket: descriptor, threads: UInt32(settings.threads),
            // libmicrohttpd divides this among its threads. Each share exceeds the configured limit, so that connections beyond that limit
            // can be answered 503.
            connection_limit: UInt32((settings.connectionLimit + 256) * settings.threads),
            idle_timeout_seconds: UInt32(settings.idleTimeoutSeconds), connection_memory: ServerSettings.headerMemory,
            present_identity: context.isTLS ? presentIdentity : nil, access_handler: answerToConnection,
            request_completed: requestCompleted, notify_connection: connectionChanged, request_line: requestLineReceived,
            unescape: keepEscapes, log: libraryComplained, context: Unmanaged.passUnretained(context).toOpaque())
        return unsafe withSignalsBlocked { unsafe shim_MHD_start_daemon(&daemon) }
    }
}

private enum ServerLife {
    case running, stopped
}

/// The loop of the watchdog's thread: checks every connection several times within the shortest timeout.
private func watch(_ context: ServerContext, life: Monitor<ServerLife>, daemon: OpaquePointer, requestTimeoutMilliseconds: Int) {
    let interval = UInt64(min(max(requestTimeoutMilliseconds / 4, 10), 250))
    while life.wait(timeoutMilliseconds: interval, { $0 == .stopped ? $0 : nil }) == nil {
        context.connections.expire(now: coarseMilliseconds())
        unsafe context.acceptPending(for: daemon)
    }
}
