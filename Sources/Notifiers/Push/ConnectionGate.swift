internal import HTTPClient
internal import Threading

/// Lets one request at a time onto a connection until one was answered as from a known sender, and then all that come.
///
/// APNs gives a connection one stream until then, and libcurl leaves a connection on which it has begun more streams than the other side wants.
/// Nobody tells when a connection is replaced. A request that was lost says so; and after a time without requests the connection may have been
/// closed, so that the next request is alone again.
final class ConnectionGate: Sendable {
    /// The right to send, to be given back exactly once with `leave`.
    struct Pass: Sendable {
        fileprivate let era: UInt64
        /// Whether others wait for what comes of this request.
        let isProbe: Bool
    }

    /// What a request says of its connection.
    enum Finding: Sendable {
        /// It knows who sends.
        case proved
        /// It is gone.
        case lost
        /// Nothing.
        case unclear
    }

    private struct State {
        var isProven = false
        var isProbing = false
        // Counts the connections, so that nobody speaks of a later one.
        var era: UInt64 = 0
        var running = 0
        var waiting: [Start] = []
    }

    private typealias Start = @Sendable (Pass) -> Void

    private let state = Monitor(State())

    /// Waits for the right to send; `start` is called exactly once: before this returns, or on the thread of whoever leaves.
    func enter(_ start: @escaping @Sendable (Pass) -> Void) {
        let pass = state.withLock { state in
            let pass = Self.admit(&state)
            if pass == nil { state.waiting.append(start) }
            return pass
        }
        if let pass { start(pass) }
    }

    /// Gives the right back, and lets others in.
    func leave(_ pass: Pass, _ finding: Finding) {
        let admitted = state.withLock { state in
            Self.take(finding, of: pass, &state)
            var admitted: [(start: Start, pass: Pass)] = []
            while admitted.count < state.waiting.count, let pass = Self.admit(&state) {
                admitted.append((state.waiting[admitted.count], pass))
            }
            state.waiting.removeFirst(admitted.count)
            return admitted
        }
        for (start, pass) in admitted { start(pass) }
    }

    private static func admit(_ state: inout State) -> Pass? {
        guard state.isProven || !state.isProbing else { return nil }
        let pass = Pass(era: state.era, isProbe: !state.isProven)
        state.isProbing = pass.isProbe
        state.running += 1
        return pass
    }

    private static func take(_ finding: Finding, of pass: Pass, _ state: inout State) {
        state.running -= 1
        guard pass.era == state.era else { return }
        if pass.isProbe { state.isProbing = false }
        switch finding {
        case .proved: state.isProven = true
        case .lost: begin(&state)
        case .unclear: break
        }
        if state.running == 0, state.waiting.isEmpty { begin(&state) }
    }

    private static func begin(_ state: inout State) {
        state.isProven = false
        state.era += 1
    }
}

extension ConnectionGate.Finding {
    /// What a response, or the lack of one, says.
    init(_ result: Result<ClientResponse, ClientError>) {
        switch result {
        case .success(let response) where response.status < 500 && response.status != 403 && response.status != 429: self = .proved
        case .success, .failure(.overloaded), .failure(.cancelled), .failure(.timeout(.queued)): self = .unclear
        case .failure: self = .lost
        }
    }
}
