internal import Threading

/// A client that is created with the first request, so that a service without requests has no thread for it. Any thread may send. The owner
/// must call `close`.
package final class LazyClient: Sendable {
    private enum State {
        case unused, open(Client), closed
    }

    private let settings: ClientSettings
    private let state = Monitor(State.unused)

    package init(settings: ClientSettings) {
        self.settings = settings
    }

    /// Sends a request; see `Client.send`. After `close`, and when no thread can be created, it fails with `.cancelled`.
    /// - Parameters:
    ///   - owner: as in `Client.send`.
    ///   - completion: called exactly once, on the client's thread, or on this one when the request is rejected. Must not block.
    package func send(
        _ request: ClientRequest, for owner: String = "",
        completion: @escaping @Sendable (Result<ClientResponse, ClientError>) -> Void
    ) {
        guard let client = open() else { return completion(.failure(.cancelled)) }
        client.send(request, for: owner, completion: completion)
    }

    /// Ends all requests and waits for the thread; later requests fail at once. Must not be called from a completion.
    package func close() {
        let former = state.withLock { state in
            defer { state = .closed }
            return state
        }
        if case .open(let client) = former { client.close() }
    }

    private func open() -> Client? {
        state.withLock { state in
            switch state {
            case .open(let client): return client
            case .closed: return nil
            case .unused:
                guard let client = try? Client(settings: settings) else { return nil }
                state = .open(client)
                return client
            }
        }
    }
}
