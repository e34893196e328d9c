internal import Crypto
internal import Glibc
internal import Threading

/// One connection of a scripted server, served on its own thread.
final class ScriptedConnection {
    /// The script ends early: the client has disconnected, the server stops, or a step has closed the connection.
    struct Ended: Error {}

    let number: Int
    private let descriptor: Int32
    private let tls: TLSServerSession?
    private let state: Monitor<ScriptedServer.State>
    private var received: [UInt8] = []

    init(_ descriptor: Int32, tls: TLSServerSession?, number: Int, state: Monitor<ScriptedServer.State>) {
        self.descriptor = descriptor
        self.tls = tls
        self.number = number
        self.state = state
    }

    /// Performs the steps in order.
    func perform(_ steps: [ScriptedStep]) throws(Ended) {
        for step in steps { try perform(step) }
    }

    private func perform(_ step: ScriptedStep) throws(Ended) {
        switch step {
        case .readRequest: _ = try readRequest()
        case .readSome: try readSome()
        case .send(let bytes): try send(bytes)
        case .sendAndAwaitArrival(let bytes): try sendAndAwaitArrival(bytes)
        case .sendSlowly(let bytes, size: let size, pauseMilliseconds: let pause):
            try sendSlowly(bytes, size: size, pauseMilliseconds: pause)
        case .sendForever(let bytes): while true { try send(bytes) }
        case .hang: while true { try receive() }
        case .awaitRelease: try awaitRelease()
        case .finishSending: shutdown(descriptor, Int32(SHUT_WR))
        case .close: throw Ended()
        case .reset:
            // SO_LINGER with a time of zero: closing sends RST (socket(7)).
            var abort = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
            throw Ended()
        }
    }

    /// Reads a complete request and records it.
    /// - Returns: the number of requests recorded before, on any connection.
    func readRequest() throws(Ended) -> Int {
        let head = String(decoding: try take(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { throw Ended() }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: String(parts.count < 2 ? "" : parts[1].drop { $0 == " " }))
        }
        let body = try readBody(headers)
        let request = RecordedRequest(
            method: String(words[0]), target: String(words[1]), headers: headers, body: body, connection: number)
        return state.update { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
    }

    private func readBody(_ headers: [(name: String, value: String)]) throws(Ended) -> [UInt8] {
        if headers.contains(where: { $0.name.lowercased() == "transfer-encoding" }) { return try readChunks() }
        let length = headers.first { $0.name.lowercased() == "content-length" }
        return try take(length.flatMap { Int($0.value) } ?? 0)
    }

    private func readChunks() throws(Ended) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try take(through: Array("\r\n".utf8)).dropLast(2)
            guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else { throw Ended() }
            body += try take(size)
            _ = try take(2)
            if size == 0 { return body }
        }
    }

    private func readSome() throws(Ended) {
        if received.isEmpty { try receive() }
        let bytes = received
        received = []
        state.update { $0.received.append(bytes) }
    }

    private func take(_ count: Int) throws(Ended) -> [UInt8] {
        while received.count < count { try receive() }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    private func take(through separator: [UInt8]) throws(Ended) -> [UInt8] {
        while true {
            let found = received.indices.first { received[$0] == separator[0] && received[$0...].starts(with: separator) }
            if let start = found {
                return try take(start + separator.count)
            }
            try receive()
        }
    }

    private func receive() throws(Ended) {
        let capacity = 64 * 1024
        if let tls {
            var bytes = [UInt8](repeating: 0, count: capacity)
            var span = bytes.mutableSpan
            guard case .done(let count) = tls.read(into: &span) else { throw Ended() }
            received += bytes[..<count]
            return
        }
        var count = 0
        received += unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
            count = unsafe recv(descriptor, buffer.baseAddress, capacity, 0)
            initialized = max(count, 0)
        }
        guard count > 0 else { throw Ended() }
    }

    private func send(_ bytes: [UInt8]) throws(Ended) {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try sendSome(rest.span))
        }
    }

    private func sendSome(_ bytes: Span<UInt8>) throws(Ended) -> Int {
        if let tls {
            guard case .done(let count) = tls.write(bytes) else { throw Ended() }
            return count
        }
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { throw Ended() }
        return count
    }

    private func sendAndAwaitArrival(_ bytes: [UInt8]) throws(Ended) {
        try send(bytes)
        // SIOCOUTQ (tcp(7)) returns the number of bytes that the other side has not acknowledged.
        let hasArrived = eventually {
            var unacknowledged: Int32 = -1
            return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0 && unacknowledged == 0
        }
        guard hasArrived else { throw Ended() }
        state.update { $0.incomingEvents += 1 }
    }

    private func sendSlowly(_ bytes: [UInt8], size: Int, pauseMilliseconds: UInt64) throws(Ended) {
        for start in stride(from: 0, to: bytes.count, by: size) {
            if start > 0 { _ = state.wait(timeoutMilliseconds: pauseMilliseconds) { $0.isStopping ? true : nil } }
            try send(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    private func awaitRelease() throws(Ended) {
        let isReleased = state.wait { state -> Bool? in
            if state.isStopping { return false }
            guard state.releases > 0 else { return nil }
            state.releases -= 1
            return true
        }
        guard isReleased == true else { throw Ended() }
    }
}
