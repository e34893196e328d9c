internal import HTTPClient
internal import Threading

/// Admits one request at a time to a connection until the provider has accepted the sender, and then any number of requests.
///
/// Until then, APNs allows one stream per connection, and libcurl abandons a connection on which it has begun more streams than the server
/// allows. libcurl does not report when it replaces a connection. The gate therefore assumes a new connection after a lost request, and
/// whenever no request is left, because an idle connection may have been closed.
final class ConnectionGate: Sendable {
    /// The permission to send one request; must be returned exactly once with `leave`.
    struct Pass: Sendable {
        fileprivate let era: UInt64
        /// Whether other requests wait for the result of this one.
        let isProbe: Bool
    }

    enum Finding: Sendable {
        case proved
        case lost
        case unclear
    }

    private struct State {
        var isProven = false
        var isProbing = false
        // The number of the connection, so that a late result is not applied to a later connection.
        var era: UInt64 = 0
        var running = 0
        var waiting: [Start] = []
    }

    private typealias Start = @Sendable (Pass) -> Void

    private let state = Monitor(State())

    /// Requests the permission to send; `start` is called exactly once: before this returns, or on the thread of a caller of `leave`.
    func enter(_ start: @escaping @Sendable (Pass) -> Void) {
        let pass = state.withLock { state in
            let pass = Self.admit(&state)
            if pass == nil { state.waiting.append(start) }
            return pass
        }
        if let pass { start(pass) }
    }

    /// Returns a permission and admits waiting requests.
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
    init(_ result: Result<ClientResponse, ClientError>) {
        switch result {
        case .success(let response) where response.status < 500 && response.status != 403 && response.status != 429: self = .proved
        case .success, .failure(.overloaded), .failure(.cancelled), .failure(.timeout(.queued)): self = .unclear
        case .failure: self = .lost
        }
    }
}
