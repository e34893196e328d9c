internal import Core
internal import HTTPClient
internal import Threading

/// The HTTP client that calls the apps' backends: one for all of them, with connections that are kept.
///
/// It is made with the first call, so that a service whose apps have no backend has no thread for it. The owner must call `close`.
package final class BackendClient: Sendable {
    private enum State {
        case unused, open(Client), closed
    }

    /// At most 32 calls run at one host, whoever asks. Over all apps at most 512 are under way, and further ones end at once, so that no
    /// backend can take all memory or descriptors.
    private static let settings = ClientSettings(connectionsPerHost: 32, connectionLimit: 256, requestLimit: 512)

    private let state = Monitor(State.unused)

    /// Makes it without a thread.
    package init() {}

    /// Sends a request.
    /// - Parameter completion: called exactly once with the status of the response if there is one, on the client's thread, or on this one
    ///   when the request was refused. Must not block.
    func send(_ request: ClientRequest, completion: @escaping @Sendable (BackendReply, _ status: Int?) -> Void) {
        guard let client = open() else { return completion(BackendReply(.internalError, .unknown), nil) }
        client.send(request) { result in completion(BackendReply(result), try? result.get().status) }
    }

    /// Ends all calls and waits for the thread; calls that come later end at once. Not from a completion.
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
                guard let client = try? Client(settings: Self.settings) else { return nil }
                state = .open(client)
                return client
            }
        }
    }
}

extension BackendReply {
    /// Takes the result of a call; a timeout in our own queue tells nothing about the backend.
    fileprivate init(_ result: Result<ClientResponse, ClientError>) {
        switch result {
        case .success(let response):
            // Several of them are one list (RFC 9110 section 5.3).
            self.init(status: response.status, cacheControl: response.headers("Cache-Control").joined(separator: ","))
        case .failure(.timeout(.queued)), .failure(.overloaded): self.init(.backendOverloaded, .unknown)
        case .failure(.timeout): self.init(.backendTimeout, .fails)
        case .failure(.cancelled), .failure(.invalidURL): self.init(.internalError, .unknown)
        case .failure: self.init(.backendUnreachable, .fails)
        }
    }
}
