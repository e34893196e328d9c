package import Crypto
internal import Glibc
internal import Threading

/// A server on a real socket that misbehaves as its script says, and records the requests.
///
/// The script decides where the server follows HTTP/1.1, so a test can make it send any error. Each connection has a thread with
/// blocking calls. The server listens on a port of 127.0.0.1 that the system chooses, unless `init` gets another. It stops when it is
/// released.
package final class ScriptedServer: Sendable {
    package enum Script: Sendable {
        /// Connection n (from 0) performs list n, or the last list if there is none, and is then closed.
        case connections([[ScriptedStep]])
        /// Connections are kept, and each request is read. Request n of the server (from 0) is answered by list n, or by the last list
        /// if there is none.
        case requests([[ScriptedStep]])

        package static func everyRequest(_ steps: ScriptedStep...) -> Script {
            .requests([steps])
        }

        /// Every connection performs these steps, and is then closed.
        package static func everyConnection(_ steps: ScriptedStep...) -> Script {
            .connections([steps])
        }
    }

    struct State {
        var requests: [RecordedRequest] = []
        var received: [[UInt8]] = []
        var accepted = 0
        var incomingEvents = 0
        var resumed = 0
        var open: Set<Int32> = []
        var maximumOpen = 0
        var releases = 0
        var isStopping = false
        var threads: [DedicatedThread] = []
    }

    package let port: UInt16
    private let scheme: String
    private let listening: Int32
    private let state: Monitor<State>
    private let acceptor: DedicatedThread

    /// Listens, and serves on separate threads.
    /// - Parameters:
    ///   - address: an IPv4 address of this machine, in the host's byte order.
    ///   - port: 0 for one that the system chooses.
    ///   - tls: nil for no TLS.
    package init(_ script: Script, at address: UInt32 = 0x7F00_0001, port: UInt16 = 0, tls: TLSServerContext? = nil) throws {
        scheme = tls == nil ? "http" : "https"
        (listening, self.port) = try Self.listen(address, port)
        let (listening, state) = (listening, Monitor(State()))
        self.state = state
        acceptor = startThread { acceptConnections(listening, script: script, tls: tls, state: state) }
    }

    deinit {
        stop()
    }

    /// The URL of a path, which starts with a slash.
    package func url(_ path: String = "/") -> String {
        "\(scheme)://127.0.0.1:\(port)\(path)"
    }

    /// The requests read by `readRequest`, and under `Script.requests`, in the order of arrival.
    package var requests: [RecordedRequest] {
        state.withLock { $0.requests }
    }

    package var received: [[UInt8]] {
        state.withLock { $0.received }
    }

    package var connectionCount: Int {
        state.withLock { $0.accepted }
    }

    package var resumedCount: Int {
        state.withLock { $0.resumed }
    }

    /// The largest number of connections that were open at the same time.
    package var maximumOpenConnections: Int {
        state.withLock { $0.maximumOpen }
    }

    package var openConnections: Int {
        state.withLock { $0.open.count }
    }

    /// Waits until `count` requests have been read completely.
    /// - Returns: false when that took longer than `WaitLimit.milliseconds`.
    package func waitForRequests(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.requests.count >= count ? true : nil } != nil
    }

    /// Waits until `count` connections have been accepted; otherwise as `waitForRequests`.
    package func waitForConnections(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.accepted >= count ? true : nil } != nil
    }

    /// Waits until the client's system has the bytes of `count` `ScriptedStep.sendAndAwaitArrival` steps; otherwise as `waitForRequests`.
    package func waitForArrivals(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.incomingEvents >= count ? true : nil } != nil
    }

    /// Waits until no connection is open; otherwise as `waitForRequests`.
    package func waitUntilUnconnected() -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.open.isEmpty ? true : nil } != nil
    }

    /// Releases `count` connections that wait, or will wait, in `ScriptedStep.awaitRelease`.
    package func release(_ count: Int = 1) {
        state.update { $0.releases += count }
    }

    /// Closes everything and waits for the threads. A second call does nothing.
    package func stop() {
        guard state.setOnce(\.isStopping) else { return }
        // On Linux this ends a blocked accept(2).
        shutdown(listening, Int32(SHUT_RDWR))
        acceptor.join()
        close(listening)
        let threads = state.withLock { state in
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return state.threads
        }
        for thread in threads { thread.join() }
    }

    private static func listen(_ address: UInt32, _ port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutableBytes(of: &name) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe bind(descriptor, pointer, length) == 0 && Glibc.listen(descriptor, 1024) == 0
        }
        guard isListening else { throw SocketClient.Failure.cannotConnect(errno) }
        return (descriptor, localPort(of: descriptor))
    }
}

/// Accepts connections until the listening socket is shut down.
private func acceptConnections(
    _ listening: Int32, script: ScriptedServer.Script, tls: TLSServerContext?, state: Monitor<ScriptedServer.State>
) {
    while true {
        guard let descriptor = acceptConnection(listening) else { return }
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let number = state.update { state in
            state.open.insert(descriptor)
            state.maximumOpen = max(state.maximumOpen, state.open.count)
            state.accepted += 1
            return state.accepted - 1
        }
        let thread = startThread { serve(descriptor, number: number, script: script, tls: tls, state: state) }
        state.withLock { $0.threads.append(thread) }
    }
}

/// Serves one connection on its own thread.
private func serve(
    _ descriptor: Int32, number: Int, script: ScriptedServer.Script, tls: TLSServerContext?, state: Monitor<ScriptedServer.State>
) {
    let session = tls.flatMap { try? TLSServerSession($0, descriptor: descriptor) }
    let isConnected = session.map { $0.handshake() == .done(0) } ?? (tls == nil)
    if session?.isResumed == true { state.update { $0.resumed += 1 } }
    let connection = ScriptedConnection(descriptor, tls: session, number: number, state: state)
    do throws(ScriptedConnection.Ended) {
        guard isConnected else { throw ScriptedConnection.Ended() }
        switch script {
        case .connections(let lists): try connection.perform(lists[min(number, lists.count - 1)])
        case .requests(let lists):
            while true {
                let request = try connection.readRequest()
                try connection.perform(lists[min(request, lists.count - 1)])
            }
        }
    } catch {}
    state.update { state in
        state.open.remove(descriptor)
        // The lock prevents `stop` from shutting down a reused descriptor.
        close(descriptor)
    }
}
