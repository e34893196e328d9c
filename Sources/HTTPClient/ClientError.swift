/// Why a request got no response. Holds nothing of the request: no URL, no header, no body.
package enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a request was doing when its time was over.
    package enum Phase: String, Sendable {
        /// It waited for its turn, because the host had all the connections that it may have.
        case queued = "while it waited for a connection"
        /// The host's name was being looked up, or the connection or the TLS handshake was under way.
        case connecting = "while connecting"
        /// It was being sent.
        case sending = "while the request was sent"
        /// It had been sent and nothing was answered.
        case waiting = "while waiting for the response"
        /// The response was arriving.
        case receiving = "while the response arrived"
    }

    /// libcurl cannot read the URL.
    case invalidURL
    /// The host's name has no address.
    case resolve
    /// Nobody accepts connections there, or it is not reachable.
    case connect
    /// The proxy is not reachable, or it refused.
    case proxy
    /// The TLS handshake failed or the certificate was not accepted; the text is the TLS library's, which may name the host.
    case tls(String)
    /// The time was over.
    case timeout(Phase)
    /// The connection was closed before the response was whole.
    case closedEarly
    /// The connection was reset.
    case reset
    /// What arrived is not HTTP.
    case malformedResponse
    /// The response's head was longer than 64 KiB.
    case headersTooLarge
    /// It was cancelled, or the client was closed.
    case cancelled
    /// More requests wait or run than may.
    case overloaded
    /// Anything else, with libcurl's number (libcurl-errors(3)).
    case other(code: Int)

    /// Whether it failed before any of the request was sent, so that the other side cannot have acted on it.
    ///
    /// False is "perhaps not".
    package var isBeforeSending: Bool {
        switch self {
        case .invalidURL, .resolve, .connect, .proxy, .tls, .overloaded, .timeout(.queued), .timeout(.connecting): true
        default: false
        }
    }

    /// One line for a person.
    package var description: String {
        switch self {
        case .invalidURL: "the URL cannot be read"
        case .resolve: "the host's name has no address"
        case .connect: "the host does not accept connections or cannot be reached"
        case .proxy: "the proxy cannot be reached or refused"
        case .tls(let text): "TLS failed: \(text)"
        case .timeout(let phase): "the time was over \(phase.rawValue)"
        case .closedEarly: "the connection was closed before the response was whole"
        case .reset: "the connection was reset"
        case .malformedResponse: "the response is not HTTP"
        case .headersTooLarge: "the response's head is too large"
        case .cancelled: "the request was cancelled"
        case .overloaded: "too many requests are waiting already"
        case .other(let code): "the transfer failed with libcurl's error \(code)"
        }
    }
}
