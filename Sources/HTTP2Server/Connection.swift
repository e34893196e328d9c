internal import CNghttp2
internal import Crypto
internal import Glibc
internal import Threading

/// One connection: its socket, its HTTP/2 session and its streams. Only its loop's thread may use it.
final class Connection {
    enum Phase {
        /// The handshake is delayed by a timer, or indefinitely.
        case delayed
        case handshaking
        case serving
        /// The connection is open, but is neither read nor written.
        case stalled
        /// Pending output is sent, and then the connection is closed.
        case closing
        case closed
    }

    private static let outputLimit = 256 * 1024

    let descriptor: Int32
    let number: Int
    let context: ListenerContext
    let inbox: LoopInbox
    let opening: HTTP2Opening
    // The loop owns its connections and outlives them.
    unowned let loop: EventLoop
    var streams: [Int32: OpenStream] = [:]
    /// The HTTP/2 session; nil before the handshake is done.
    private(set) var session: Session?
    var phase = Phase.handshaking
    var streamLimit = 0
    /// The last stream that is processed after a GOAWAY. Later streams are ignored.
    var lastStream = Int32.max
    private let transport: Transport?
    private var output: [UInt8] = []
    private var written = 0
    private var wantsWriting = false
    private var input = [UInt8](repeating: 0, count: 16 * 1024)

    init(
        _ descriptor: Int32, number: Int, context: ListenerContext, inbox: LoopInbox, loop: EventLoop, opening: HTTP2Opening
    ) {
        self.descriptor = descriptor
        self.number = number
        self.context = context
        self.inbox = inbox
        self.loop = loop
        self.opening = opening
        transport = try? Transport(descriptor, context.settings.tls)
        switch opening {
        case .delayHandshake: phase = .delayed
        case .reset: reset()
        default: if transport == nil { close() }
        }
    }

    /// Whether the connection has ended and its descriptor is closed.
    var isClosed: Bool { phase == .closed }

    /// The events that poll(2) waits for.
    var interest: Int16 {
        switch phase {
        case .closed: 0
        // POLLRDHUP, which Swift does not import: detects that the peer has closed the connection.
        case .delayed, .stalled: 0x2000
        case .handshaking: Int16(wantsWriting ? POLLOUT : POLLIN)
        case .serving: Int16(POLLIN) | (wantsWriting ? Int16(POLLOUT) : 0)
        case .closing: Int16(POLLOUT)
        }
    }

    func open() {
        guard phase == .delayed else { return }
        phase = .handshaking
        shakeHands()
    }

    func serve(_ events: Int16) {
        switch phase {
        case .handshaking: shakeHands()
        case .serving: if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 { read() }
        // The peer has closed the connection.
        case .delayed, .stalled: close()
        case .closing: if events & Int16(POLLHUP | POLLERR) != 0 { close() }
        case .closed: break
        }
        wantsWriting = phase == .handshaking && wantsWriting
    }

    private func shakeHands() {
        guard let transport else { return }
        switch transport.handshake() {
        case .done: begin()
        case .wantsReading: wantsWriting = false
        case .wantsWriting: wantsWriting = true
        case .closed, .failed:
            context.counts.update { $0.failedHandshakes += 1 }
            close()
        }
    }

    private func begin() {
        wantsWriting = false
        phase = .serving
        switch opening {
        case .closeAfterHandshake: return close()
        case .garbageAfterHandshake: return sendGarbage()
        default: break
        }
        streamLimit = context.streamLimit.withLock { $0 }
        session = Session(self, streamLimit: streamLimit)
        // Bytes that arrived with the end of the handshake do not make the socket readable again, so they must be read now.
        read()
    }

    private func read() {
        // The number of reads is limited, so that one busy connection does not delay the others. The rest makes the socket readable again,
        // or is buffered by TLS and read when more bytes arrive.
        while phase == .serving, let transport, let session {
            var span = input.mutableSpan
            switch transport.read(into: &span) {
            case .done(let count):
                if !session.receive(input.span.extracting(first: count)) { phase = .closing }
            case .wantsReading, .wantsWriting: return
            case .closed, .failed: return close()
            }
        }
    }

    /// Sends bytes that are not HTTP/2, and then closes the connection.
    func sendGarbage() {
        output += Array("SSH-2.0-not-what-you-expected\r\n".utf8) + [UInt8](repeating: 0xFF, count: 64)
        session = nil
        phase = .closing
    }

    /// Writes pending output, and closes the connection if it has ended.
    func flush() {
        guard phase == .serving || phase == .closing, !wantsWriting else { return }
        repeat {
            if written == output.count {
                output.removeAll(keepingCapacity: true)
                written = 0
                session?.send(into: &output, limit: Self.outputLimit)
            }
            guard written < output.count else { break }
            guard write() else { return }
        } while phase != .closed
        if phase == .closing || session?.isOver == true { close() }
    }

    private func write() -> Bool {
        guard let transport else { return false }
        switch transport.write(output.span.extracting(written..<output.count)) {
        case .done(let count): written += count
        case .wantsReading, .wantsWriting:
            wantsWriting = true
            return false
        case .closed, .failed:
            close()
            return false
        }
        return true
    }

    func close() {
        end { if let transport { transport.close() } else { Glibc.close(descriptor) } }
    }

    func reset() {
        end { if let transport { transport.reset() } else { Glibc.close(descriptor) } }
    }

    private func end(_ closeDescriptor: () -> Void) {
        guard phase != .closed else { return }
        phase = .closed
        let lost = streams.values.count { !$0.isAnswered }
        streams.removeAll()
        closeDescriptor()
        context.counts.update { counts in
            counts.open -= 1
            counts.unanswered += lost
        }
    }
}
