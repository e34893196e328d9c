internal import Core
internal import HTTPClient
internal import Notifiers

extension BackendReply {
    /// Converts the result of a call. A timeout in the client's queue is no evidence about the backend.
    init(_ result: Result<ClientResponse, ClientError>) {
        switch result {
        case .success(let response):
            // Several header lines form one list (RFC 9110 section 5.3).
            self.init(status: response.status, cacheControl: response.headers("Cache-Control").joined(separator: ","))
            cause = StatusReason.word(response.status)
        case .failure(.timeout(.queued)), .failure(.overloaded): self.init(.backendOverloaded, .unknown)
        case .failure(.timeout): self.init(.backendTimeout, .fails)
        case .failure(.cancelled), .failure(.invalidURL): self.init(.internalError, .unknown)
        case .failure: self.init(.backendUnreachable, .fails)
        }
        if case .failure(let error) = result { cause = ClientReason.word(error) }
    }
}
