/// The reason why a request got no response. Contains nothing of the request: no URL, no header, no body.
package enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The phase of a request that timed out.
    package enum Phase: String, Sendable {
        /// It was queued, because the limit of connections was reached.
        case queued = "while it waited for a connection"
        /// The host name was being resolved, or the connection or the TLS handshake was in progress.
        case connecting = "while connecting"
        case sending = "while the request was sent"
        /// It had been sent, and no response had begun.
        case waiting = "while waiting for the response"
        case receiving = "while the response arrived"
    }

    case invalidURL
    case resolve
    /// The connection was refused, or the host is unreachable.
    case connect
    /// The proxy is unreachable, or it refused.
    case proxy
    /// The TLS handshake failed. The text is from the TLS library and may name the host; `isUntrusted` says that the server's certificate
    /// was not accepted, and not that the server has broken off.
    case tls(String, isUntrusted: Bool)
    case timeout(Phase)
    /// The connection was closed before the response was complete.
    case closedEarly
    case reset
    /// The response is not HTTP.
    case malformedResponse
    /// The response's head was longer than 64 KiB.
    case headersTooLarge
    /// It was cancelled, or the client was closed.
    case cancelled
    /// The limit of waiting and running requests was reached.
    case overloaded
    /// Anything else, with libcurl's number (libcurl-errors(3)).
    case other(code: Int)

    /// Whether it failed before any of the request was sent, so that the server cannot have acted on it.
    ///
    /// False means that the server may have acted on it.
    package var isBeforeSending: Bool {
        switch self {
        case .invalidURL, .resolve, .connect, .proxy, .tls, .overloaded, .timeout(.queued), .timeout(.connecting): true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .invalidURL: "the URL cannot be read"
        case .resolve: "the host's name has no address"
        case .connect: "the host does not accept connections or cannot be reached"
        case .proxy: "the proxy cannot be reached or refused"
        case .tls(let text, _): "TLS failed: \(text)"
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
