internal import Glibc
internal import Threading

/// A proxy between clients and a PostgreSQL server on 127.0.0.1 that simulates network failures.
///
/// It requires connections without encryption, which `url` requests: it searches for COMMIT in the clients' messages.
package final class PostgresProxy: Sendable {
    package enum Cut: Sendable {
        /// The server has received everything except the COMMIT, and rolls back.
        case beforeCommit
        /// The server has committed, and the client does not receive the response.
        case afterCommit
        /// The whole network stalls, and the server keeps a transaction that does not end.
        case stall
    }

    struct Road {
        var isStopping = false
        var isStalled = false
        /// The failure at the next COMMIT, on connections that have prepared a statement containing this text.
        var cut: (Cut, of: String)?
        var cuts = 0
        var links: [ProxyLink] = []
        var threads: [DedicatedThread] = []
    }

    package let port: UInt16
    private let listening: Int32
    private let road: Monitor<Road>
    private let acceptor: DedicatedThread

    /// Listens on a free port of 127.0.0.1.
    /// - Parameter server: the server's port.
    package init(to server: UInt16) throws {
        guard let listening = listeningSocket(0) else { throw PostgresServer.Failure.noFreePort }
        (self.listening, port) = (listening, localPort(of: listening))
        let road = Monitor(Road())
        self.road = road
        acceptor = startThread {
            while true {
                guard let client = acceptConnection(listening) else { return }
                guard let upstream = connectedSocket(server) else {
                    close(client)
                    continue
                }
                let link = ProxyLink(client: client, server: upstream, road)
                road.withLock { road in
                    road.links.append(link)
                    road.threads += [startThread { link.passOnRequests() }, startThread { link.passOnAnswers() }]
                }
            }
        }
    }

    deinit {
        shutdown(listening, Int32(SHUT_RDWR))
        acceptor.join()
        close(listening)
        let (links, threads) = road.update { road in
            road.isStopping = true
            return (road.links, road.threads)
        }
        for link in links { link.cut() }
        for thread in threads { thread.join() }
        // They are stalled, too.
        road.withLock { $0.links = [] }
    }

    /// Forwards nothing until `resume`, neither bytes nor the end of a connection. New connections get no response either.
    package func stall() {
        road.withLock { $0.isStalled = true }
    }

    /// Forwards the held bytes, and continues.
    package func resume() {
        road.update { $0.isStalled = false }
    }

    /// Breaks all connections.
    package func cutAll() {
        for link in road.withLock({ $0.links }) { link.cut() }
    }

    /// Sets the failure at the next COMMIT of a connection that has prepared a statement containing this text.
    package func cut(_ cut: Cut, of text: String) {
        road.withLock { $0.cut = (cut, text) }
    }

    /// Waits until `count` COMMITs have failed as `cut` requested.
    /// - Returns: false at the time limit, which only a failing test reaches.
    package func waitForCuts(_ count: Int) -> Bool {
        road.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.cuts >= count ? true : nil } ?? false
    }
}

/// One connection through the proxy.
final class ProxyLink: Sendable {
    private let client: Int32
    private let server: Int32
    private let road: Monitor<PostgresProxy.Road>
    /// Whether the response to a COMMIT is withheld from the client.
    private let isHolding = Monitor(false)

    init(client: Int32, server: Int32, _ road: Monitor<PostgresProxy.Road>) {
        (self.client, self.server, self.road) = (client, server, road)
    }

    deinit {
        close(client)
        close(server)
    }

    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// The direction from the client to the server.
    func passOnRequests() {
        var stream = FrontendStream()
        var statements: [String] = []
        while let part = receive(client) {
            var passed: [UInt8] = []
            for message in stream.take(part) {
                if let statement = message.statement { statements.append(statement) }
                if message.isCommit {
                    switch takeCut(statements) {
                    case .beforeCommit:
                        sendAll(passed, to: server)
                        return cut()
                    case .afterCommit: isHolding.withLock { $0 = true }
                    case .stall, nil: break
                    }
                }
                passed += message.bytes
            }
            waitForRoad()
            sendAll(passed, to: server)
        }
        waitForRoad()
        cut()
    }

    func passOnAnswers() {
        var held: [UInt8] = []
        while let part = receive(server) {
            waitForRoad()
            if isHolding.withLock({ $0 }) {
                held += part
                // ReadyForQuery: the response is complete, so the server has committed.
                if held.suffix(6).starts(with: [UInt8(ascii: "Z"), 0, 0, 0, 5]) { return cut() }
            } else {
                sendAll(part, to: client)
            }
        }
        waitForRoad()
        cut()
    }

    private func takeCut(_ statements: [String]) -> PostgresProxy.Cut? {
        road.update { road in
            guard let (cut, text) = road.cut, statements.contains(where: { $0.contains(text) }) else { return nil }
            road.cut = nil
            road.cuts += 1
            if cut == .stall { road.isStalled = true }
            return cut
        }
    }

    private func waitForRoad() {
        _ = road.wait { $0.isStalled && !$0.isStopping ? nil : () }
    }
}
