/// The reason why a request got no response. Contains no part of the request: no URL, header or body.
package enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The phase of a request that timed out.
    package enum Phase: String, Sendable {
        /// The request was queued, because the limit of connections was reached.
        case queued = "while it waited for a connection"
        /// The host name was being resolved, or the connection or the TLS handshake was in progress.
        case connecting = "while connecting"
        case sending = "while the request was sent"
        /// The request had been sent, but the response had not begun.
        case waiting = "while waiting for the response"
        case receiving = "while the response arrived"
    }

    case invalidURL
    case resolve
    /// The connection was refused, or the host is unreachable.
    case connect
    /// The proxy is unreachable, or has rejected the request.
    case proxy
    /// The TLS handshake failed. The text comes from the TLS library and may contain the host name. `isUntrusted` is true when the server's
    /// certificate was rejected, and false when the server ended the handshake.
    case tls(String, isUntrusted: Bool)
    case timeout(Phase)
    /// The connection was closed before the response was complete.
    case closedEarly
    case reset
    /// The response is not HTTP.
    case malformedResponse
    /// The head of the response exceeded 64 KiB.
    case headersTooLarge
    /// The request was cancelled, or the client was closed.
    case cancelled
    /// The limit of waiting and running requests was reached.
    case overloaded
    /// Any other error, with the code of libcurl (libcurl-errors(3)).
    case other(code: Int)

    /// Whether the request failed before any part of it was sent, so that the server cannot have processed it.
    ///
    /// False means that the server may have processed the request.
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
        case .timeout(let phase): "the request timed out \(phase.rawValue)"
        case .closedEarly: "the connection was closed before the response was complete"
        case .reset: "the connection was reset"
        case .malformedResponse: "the response is not HTTP"
        case .headersTooLarge: "the response's head is too large"
        case .cancelled: "the request was cancelled"
        case .overloaded: "too many requests are waiting"
        case .other(let code): "the transfer failed with libcurl's error \(code)"
        }
    }
}
