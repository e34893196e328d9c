import Glibc
import TestSupport
import Threading

/// Stands between a client and a PostgreSQL server, and breaks the connection at a moment that a test chooses: when the client sends a
/// text.
final class CuttingProxy: Sendable {
    /// What happens when the client has sent the text.
    enum Action: Sendable {
        /// The server never sees it, and the connection breaks.
        case cutBefore
        /// The server does what it says, and the connection breaks when it answers with this text, which the client does not see.
        case cutBeforeAnswer([UInt8])
        /// The server never sees it, and nothing is said to anybody any more.
        case fallSilent
    }

    private struct State {
        var isStopping = false
        var sockets: [Int32] = []
        var threads: [OwnThread] = []
    }

    let port: UInt16
    private let listening: Int32
    private let state = Monitor(State())
    private let acceptor: OwnThread

    /// Listens on a port of 127.0.0.1, for a server on another one.
    init(to server: UInt16, on text: String, _ action: Action) throws {
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        port = try freePort()
        let isListening = unsafe withLoopbackAddress(port) { [listening] in unsafe bind(listening, $0, $1) == 0 && listen(listening, 5) == 0
        }
        guard isListening else { throw PostgresServer.Failure.noFreePort }
        let (listening, state) = (listening, state)
        acceptor = startThread {
            while true {
                let client = accept(listening, nil, nil)
                guard client >= 0 else { return }
                let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                _ = unsafe withLoopbackAddress(server) { unsafe Glibc.connect(upstream, $0, $1) }
                let link = Link(client: client, server: upstream, text: Array(text.utf8), action: action)
                state.withLock { state in
                    state.sockets += [client, upstream]
                    state.threads += [startThread { link.passOnRequests() }, startThread { link.passOnAnswers() }]
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

    /// The URL of a server behind it.
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

    /// The way from the client to the server.
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

    /// The way back.
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

/// What has come; nil at the end.
private func receive(_ socket: Int32) -> [UInt8]? {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(socket, &part, part.count, 0)
    return count > 0 ? Array(part.prefix(count)) : nil
}

private func sendAll(_ bytes: [UInt8], to socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

/// Lends the address of a port of 127.0.0.1.
private func withLoopbackAddress<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
