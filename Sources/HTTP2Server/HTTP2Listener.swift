internal import CNghttp2
internal import Glibc
internal import Threading

/// An HTTP/2 server for simulators: nghttp2 on non-blocking sockets, with its own threads. It behaves correctly, or with the faults that
/// its handlers request.
///
/// The owner must call `stop` before it releases a server.
package final class HTTP2Listener: Sendable {
    /// Decides on a request. Called on one of the server's threads; must not block.
    package typealias Handler = @Sendable (HTTP2Request) -> HTTP2Action
    /// Decides on a new connection by its number (from 0). Called on one of the server's threads; must not block.
    package typealias OpeningHandler = @Sendable (Int) -> HTTP2Opening

    package let port: UInt16
    private let context: ListenerContext
    private let listening: ListeningSocket
    private let inboxes: [LoopInbox]
    private let threads: [DedicatedThread]

    /// Starts to listen and to serve requests.
    /// - Throws: when the server cannot listen on the address, or cannot start its threads.
    package init(
        _ settings: HTTP2Settings, opening: @escaping OpeningHandler = { _ in .serve }, handler: @escaping Handler
    ) throws(HTTP2Error) {
        let listening = try ListeningSocket(host: settings.host, port: settings.port)
        let context = ListenerContext(settings, opening: opening, handler: handler)
        var inboxes: [LoopInbox] = []
        var threads: [DedicatedThread] = []
        do {
            for _ in 0..<settings.threads {
                let inbox = try LoopInbox()
                let thread = try DedicatedThread { EventLoop(context, inbox: inbox, listening: listening).run() }
                inboxes.append(inbox)
                threads.append(thread)
            }
        } catch {
            for inbox in inboxes { inbox.post(.end) }
            for thread in threads { thread.join() }
            throw HTTP2Error(description: "cannot start an HTTP/2 server: \(error)")
        }
        self.port = listening.port
        self.context = context
        self.listening = listening
        self.inboxes = inboxes
        self.threads = threads
    }

    deinit {
        precondition(context.isStopped.withLock { $0 }, "an HTTP/2 server must be stopped before it is released")
    }

    package var counts: HTTP2Counts {
        context.counts.withLock { $0 }
    }

    /// Waits until the counts satisfy a condition.
    /// - Returns: false on timeout.
    package func wait(milliseconds: UInt64 = 120_000, until isReached: (HTTP2Counts) -> Bool) -> Bool {
        context.counts.wait(timeoutMilliseconds: milliseconds) { isReached($0) ? true : nil } != nil
    }

    /// Performs an action on every open connection. Actions on a stream are skipped, and `this` in a GOAWAY means all streams.
    package func performOnConnections(_ action: HTTP2Action) {
        for inbox in inboxes { inbox.post(.performOnAll(action)) }
    }

    /// Sets how many streams may be open at a time, on every open and every new connection.
    package func limitStreams(_ limit: Int) {
        context.streamLimit.withLock { $0 = limit }
        performOnConnections(.limitStreams(limit))
    }

    /// Stops accepting connections, sends GOAWAY, closes idle connections, and waits for the threads. Must be called exactly once.
    /// - Parameter drainMilliseconds: the time for requests in progress before their connections are closed.
    package func stop(drainMilliseconds: UInt64 = 0) {
        listening.refuse()
        for inbox in inboxes { inbox.post(.drain) }
        if drainMilliseconds > 0 { _ = wait(milliseconds: drainMilliseconds) { $0.open == 0 } }
        for inbox in inboxes { inbox.post(.end) }
        for thread in threads { thread.join() }
        context.isStopped.withLock { $0 = true }
    }
}

/// The state that the threads of one server share.
final class ListenerContext: Sendable {
    let settings: HTTP2Settings
    let opening: HTTP2Listener.OpeningHandler
    let handler: HTTP2Listener.Handler
    let counts = Monitor(HTTP2Counts())
    let streamLimit: Monitor<Int>
    let isStopped = Monitor(false)

    init(_ settings: HTTP2Settings, opening: @escaping HTTP2Listener.OpeningHandler, handler: @escaping HTTP2Listener.Handler) {
        self.settings = settings
        self.opening = opening
        self.handler = handler
        streamLimit = Monitor(settings.streamLimit)
    }

    /// Counts an accepted connection.
    /// - Returns: its number; nil when the limit is reached.
    func admit() -> Int? {
        counts.update { counts in
            guard counts.open < settings.connectionLimit else { return nil }
            counts.accepted += 1
            counts.open += 1
            counts.maximumOpen = max(counts.maximumOpen, counts.open)
            return counts.accepted - 1
        }
    }
}

/// The listening socket, on which all threads of a server accept. It is closed on release.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    init(host: String, port: UInt16) throws(HTTP2Error) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &name.sin_addr) == 1 else {
            throw HTTP2Error(description: "cannot listen on \(host): use an IPv4 address, such as 127.0.0.1")
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        var on: Int32 = 1
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let isListening = unsafe withUnsafeMutableBytes(of: &name) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 1024) == 0
                && getsockname(descriptor, pointer, &length) == 0
        }
        guard isListening else {
            let reason = unsafe String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw HTTP2Error(description: "cannot listen on \(host):\(port): \(reason); choose another port, or 0 for any free port")
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: name.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// Stops listening, so that new connections are refused. May be called on any thread.
    func refuse() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Accepts the next connection as a non-blocking socket; nil when no connection waits or another thread was faster.
    func accept() -> Int32? {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        unsafe setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return accepted
    }
}
