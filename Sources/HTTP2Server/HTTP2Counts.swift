/// What the server has seen so far.
package struct HTTP2Counts: Sendable, Equatable {
    /// Connections accepted.
    package var accepted = 0
    /// Connections open.
    package var open = 0
    /// The most connections that were open at one time.
    package var mostOpen = 0
    /// TLS handshakes that failed, or did not agree on HTTP/2.
    package var failedHandshakes = 0
    /// Requests received whole.
    package var requests = 0
    /// The most streams that were open on one connection at one time.
    package var mostStreams = 0
    /// Streams that ended without an answer: reset by either side, or lost with their connection.
    package var unanswered = 0
}
