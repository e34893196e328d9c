internal import Threading

/// An HTTP/2 server for simulators: nghttp2 on sockets that do not block, on threads of its own, as well or as badly behaved as it is told.
///
/// Every server must be stopped.
package final class HTTP2Listener: Sendable {
    /// Decides about a request, on one of the server's threads: it must not block.
    package typealias Handler = @Sendable (HTTP2Request) -> HTTP2Action
    /// Decides about a connection of this number (from 0), likewise.
    package typealias OpeningHandler = @Sendable (Int) -> HTTP2Opening

    /// The port it listens on.
    package let port: UInt16
    private let context: ListenerContext
    private let listening: ListeningSocket
    private let inboxes: [LoopInbox]
    private let threads: [OwnThread]

    /// Listens and serves.
    /// - Throws: when the address cannot be listened on, or the system has no room for the threads.
    package init(
        _ settings: HTTP2Settings, opening: @escaping OpeningHandler = { _ in .serve }, handler: @escaping Handler
    ) throws(HTTP2Error) {
        let listening = try ListeningSocket(host: settings.host, port: settings.port)
        let context = ListenerContext(settings, opening, handler)
        var inboxes: [LoopInbox] = []
        var threads: [OwnThread] = []
        do {
            for _ in 0..<settings.threads {
                let inbox = try LoopInbox()
                let thread = try OwnThread { EventLoop(context, inbox, listening).run() }
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
        precondition(context.isStopped.withLock { $0 }, "an HTTP/2 server must be stopped before it is let go")
    }

    /// What it has seen so far.
    package var counts: HTTP2Counts {
        context.counts.withLock { $0 }
    }

    /// Waits until the counts are as wished.
    /// - Returns: false when they were not in time.
    package func wait(milliseconds: UInt64 = 20_000, until isReached: (HTTP2Counts) -> Bool) -> Bool {
        context.counts.wait(timeoutMilliseconds: milliseconds) { isReached($0) ? true : nil } != nil
    }

    /// Does something to every connection that is open; what concerns a stream is left out, and GOAWAY's "this" is "all".
    package func performOnConnections(_ action: HTTP2Action) {
        for inbox in inboxes { inbox.post(.performOnAll(action)) }
    }

    /// Tells every connection, and those to come, how many streams may be open at a time.
    package func limitStreams(_ limit: Int) {
        context.streamLimit.withLock { $0 = limit }
        performOnConnections(.limitStreams(limit))
    }

    /// Stops: takes no more connections, says GOAWAY, closes what is idle, and waits for the threads. Call it once.
    /// - Parameter drainMilliseconds: how long requests under way may take before they are cut off.
    package func stop(drainMilliseconds: UInt64 = 0) {
        listening.refuse()
        for inbox in inboxes { inbox.post(.drain) }
        if drainMilliseconds > 0 { _ = wait(milliseconds: drainMilliseconds) { $0.open == 0 } }
        for inbox in inboxes { inbox.post(.end) }
        for thread in threads { thread.join() }
        context.isStopped.withLock { $0 = true }
    }
}
