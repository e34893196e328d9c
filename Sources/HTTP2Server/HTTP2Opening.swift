/// What the server does with a connection before HTTP/2 begins.
package enum HTTP2Opening: Sendable, Equatable {
    /// Serves.
    case serve
    /// Lets the client wait this many milliseconds for the TLS handshake, then serves; nil is for ever.
    case delayHandshake(milliseconds: Int?)
    /// Closes the connection as soon as the handshake is done.
    case closeAfterHandshake
    /// Sends bytes that are not HTTP/2 once the handshake is done, then closes the connection.
    case garbageAfterHandshake
    /// Resets the connection at once.
    case reset
}
