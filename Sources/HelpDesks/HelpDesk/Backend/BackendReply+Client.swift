internal import Core
internal import HTTPClient

extension BackendReply {
    /// Takes the result of a call; a timeout in our own queue tells nothing about the backend.
    init(_ result: Result<ClientResponse, ClientError>) {
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
