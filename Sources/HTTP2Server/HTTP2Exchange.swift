package import Crypto

/// The server's reaction to a request, correct or faulty.
package indirect enum HTTP2Action: Sendable {
    /// The last stream that a GOAWAY reports as processed (RFC 9113 section 6.8). The client may retry later streams elsewhere.
    package enum LastStream: Sendable, Equatable {
        case all
        /// The stream of this request, and all earlier streams.
        case this
        /// Only the streams before the stream of this request.
        case previous
        case none
    }

    case respond(HTTP2Response)
    /// Does nothing: the stream stalls until its `HTTP2Stream` performs another action.
    case wait
    /// Performs another action after this many milliseconds, unless the stream has ended by then.
    case after(milliseconds: Int, HTTP2Action)
    /// Resets the stream without an answer, with an error code of RFC 9113 section 7.
    case resetStream(errorCode: UInt32)
    /// Sends GOAWAY with a text such as APNs' reason. Streams that the GOAWAY reports as processed are answered before the connection is
    /// closed.
    case goAway(lastStream: LastStream, errorCode: UInt32 = 0, text: String = "")
    /// Sets the maximum number of concurrent streams on this connection (SETTINGS). Has no effect if the limit is unchanged.
    case limitStreams(Int)
    /// Stops reading and writing on this connection, and keeps it open.
    case stallConnection
    /// Sends pending output, and then closes the connection normally. Other streams are not answered.
    case closeConnection
    /// Resets the connection, as after a restart of the server.
    case resetConnection
    /// Sends bytes that are not HTTP/2, then closes the connection.
    case sendGarbage
    case all([HTTP2Action])
}

package struct HTTP2Request: Sendable {
    package let method: String
    /// The path with its query, as sent.
    package let path: String
    /// The `:authority` pseudo-header: the host and port that the client requested.
    package let authority: String
    /// The headers without the pseudo-headers, names in lower case, in order. Invalid UTF-8 is replaced.
    package let headers: [(name: String, value: String)]
    /// The body, up to the server's limit.
    package let body: [UInt8]
    /// Whether the body exceeded the limit and was truncated.
    package let isTruncated: Bool
    /// The stream of the request, with which it can be answered later.
    package let stream: HTTP2Stream

    /// Returns the value of the first header with this name.
    /// - Parameter name: in lower case.
    package func header(_ name: String) -> String? {
        // nghttp2 accepts only ASCII in names, so equal strings have equal bytes.
        headers.first { $0.name == name }?.value
    }

    /// Returns the number of headers with this name.
    /// - Parameter name: in lower case.
    package func count(of name: String) -> Int {
        headers.count { $0.name == name }
    }
}

/// A response, encoded once and sent for any number of requests.
package struct HTTP2Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    package let body: [UInt8]
    // The concatenated names and values of the headers.
    let headerBytes: [UInt8]
    let headerCounts: [(name: Int, value: Int)]

    /// - Parameters:
    ///     - status: 200 to 599; traps on any other.
    ///     - headers: names in lower case, as RFC 9113 section 8.2 requires.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "the status must be from 200 to 599")
        self.status = status
        self.body = body
        var bytes: [UInt8] = []
        var counts: [(name: Int, value: Int)] = []
        for line in [(name: ":status", value: String(status))] + headers {
            bytes.append(contentsOf: line.name.utf8)
            bytes.append(contentsOf: line.value.utf8)
            counts.append((line.name.utf8.count, line.value.utf8.count))
        }
        headerBytes = bytes
        headerCounts = counts
    }
}

/// Refers to a stream of a connection, so that the stream can be answered later. This reference does not keep the stream or the connection
/// open.
package struct HTTP2Stream: Sendable {
    /// The number of the connection: from 0, in the order in which the server accepted connections.
    package let connection: Int
    /// The stream's number on the connection, RFC 9113 section 5.1.1.
    package let number: Int32
    private let inbox: LoopInbox

    init(connection: Int, number: Int32, inbox: LoopInbox) {
        self.connection = connection
        self.number = number
        self.inbox = inbox
    }

    /// Requests an action on the stream. Has no effect if the stream has ended before the action is performed. May be called on any thread,
    /// and does not block.
    package func perform(_ action: HTTP2Action) {
        inbox.post(.perform(connection: connection, stream: number, action))
    }
}

package struct HTTP2Settings: Sendable {
    /// The host: an IPv4 address of this machine.
    package var host: String
    /// The port; 0 lets the system choose.
    package var port: UInt16
    /// The certificate for TLS; nil means HTTP/2 without TLS, for clients with "prior knowledge" (RFC 9113 section 3.3).
    package var tls: TLSServerContext?
    /// The number of server threads. A connection stays on one thread.
    package var threads: Int
    /// The maximum number of body bytes that are kept.
    package var bodyLimit: Int
    /// The maximum number of concurrent streams of a new connection.
    package var streamLimit: Int
    /// The maximum number of concurrent connections. Further connections are closed immediately.
    package var connectionLimit: Int

    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, tls: TLSServerContext? = nil, threads: Int = 1, bodyLimit: Int = 64 * 1024,
        streamLimit: Int = 1000, connectionLimit: Int = 1024
    ) {
        precondition(threads > 0 && bodyLimit >= 0 && streamLimit >= 0 && connectionLimit > 0, "the limits must be positive")
        self.host = host
        self.port = port
        self.tls = tls
        self.threads = threads
        self.bodyLimit = bodyLimit
        self.streamLimit = streamLimit
        self.connectionLimit = connectionLimit
    }
}

package struct HTTP2Counts: Sendable, Equatable {
    package var accepted = 0
    package var open = 0
    /// The maximum number of connections that were open at the same time.
    package var maximumOpen = 0
    /// The number of TLS handshakes that failed, or did not negotiate HTTP/2.
    package var failedHandshakes = 0
    package var requests = 0
    /// The maximum number of streams that were open on one connection at the same time.
    package var maximumStreams = 0
    /// The number of streams that ended without an answer: reset by either side, or lost with their connection.
    package var unanswered = 0
}

package enum HTTP2Opening: Sendable, Equatable {
    case serve
    /// Delays the TLS handshake by this many milliseconds, and then serves; nil delays it indefinitely.
    case delayHandshake(milliseconds: Int?)
    /// Closes the connection immediately after the handshake.
    case closeAfterHandshake
    /// Sends bytes that are not HTTP/2 after the handshake, then closes the connection.
    case garbageAfterHandshake
    /// Resets the connection immediately.
    case reset
}

package struct HTTP2Error: Error, Equatable, CustomStringConvertible {
    /// A one-line description with the address and the remedy.
    package let description: String
}
