import Glibc
import TestSupport
import Threading

/// A proxy between a client and a PostgreSQL server that breaks the connection when the client sends a given text.
final class CuttingProxy: Sendable {
    enum Action: Sendable {
        /// The server does not receive the text, and the connection breaks.
        case cutBefore
        /// The server executes the statement, and the connection breaks when its response contains this text, which the client does not
        /// receive.
        case cutBeforeAnswer([UInt8])
        /// The server does not receive the text, and both sides receive nothing more.
        case fallSilent
    }

    private struct State {
        var isStopping = false
        var sockets: [Int32] = []
        var threads: [DedicatedThread] = []
    }

    let port: UInt16
    private let listening: Int32
    private let state = Monitor(State())
    private let acceptor: DedicatedThread

    /// Listens on a port of 127.0.0.1 that the system chooses, and connects to a server on another port.
    init(to server: UInt16, on text: String, _ action: Action) throws {
        guard let listening = listeningSocket(0) else { throw PostgresServer.Failure.noFreePort }
        self.listening = listening
        port = localPort(of: listening)
        let state = state
        acceptor = startThread {
            while let client = acceptConnection(listening) {
                guard let upstream = connectedSocket(server) else {
                    close(client)
                    continue
                }
                let link = Link(client: client, server: upstream, text: Array(text.utf8), action: action)
                let threads = [startThread { link.passOnRequests() }, startThread { link.passOnAnswers() }]
                state.withLock { state in
                    state.sockets += [client, upstream]
                    state.threads += threads
                    if state.isStopping { link.cut() }
                }
            }
        }
    }

    deinit {
        shutdown(listening, Int32(SHUT_RDWR))
        acceptor.join()
        let (sockets, threads) = state.withLock { state in
            state.isStopping = true
            return (state.sockets, state.threads)
        }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        for thread in threads { thread.join() }
        for socket in sockets + [listening] { close(socket) }
    }

    func url(_ query: String = "") -> String {
        "postgres://postgres@127.0.0.1:\(port)/postgres?sslmode=disable&\(query)"
    }
}

/// One connection through the proxy.
private final class Link: Sendable {
    private let client: Int32
    private let server: Int32
    private let text: [UInt8]
    private let action: CuttingProxy.Action
    private let hasSeenText = Monitor(false)

    init(client: Int32, server: Int32, text: [UInt8], action: CuttingProxy.Action) {
        (self.client, self.server, self.text, self.action) = (client, server, text, action)
    }

    func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    /// The direction from the client to the server.
    func passOnRequests() {
        var recent: [UInt8] = []
        while let part = receive(client) {
            recent = recent.suffix(text.count) + part
            if holds(recent, text) {
                hasSeenText.withLock { $0 = true }
                switch action {
                case .cutBefore: return cut()
                case .fallSilent: return
                case .cutBeforeAnswer: break
                }
            }
            sendAll(part, to: server)
        }
        cut()
    }

    func passOnAnswers() {
        var held: [UInt8] = []
        while let part = receive(server) {
            if hasSeenText.withLock({ $0 }) {
                guard case .cutBeforeAnswer(let answer) = action else { continue }
                held += part
                if holds(held, answer) { return cut() }
            } else {
                sendAll(part, to: client)
            }
        }
        if case .fallSilent = action { return }
        cut()
    }

    private func holds(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: text) }
    }
}
