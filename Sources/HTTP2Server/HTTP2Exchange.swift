package import Crypto

/// What the server does about a request, right or wrong.
package indirect enum HTTP2Action: Sendable {
    /// Which streams a GOAWAY says were processed, RFC 9113 section 6.8. The client may send the others again elsewhere.
    package enum LastStream: Sendable, Equatable {
        /// All that were received.
        case all
        /// This request's and those before it.
        case this
        /// Those before this request's.
        case previous
        /// None.
        case none
    }

    /// Answers.
    case respond(HTTP2Response)
    /// Nothing now: the stream stalls until whoever keeps it performs another action.
    case wait
    /// Does something else after this many milliseconds, unless the stream has ended by then.
    case after(milliseconds: Int, HTTP2Action)
    /// Ends the stream without an answer, with an error code of RFC 9113 section 7.
    case resetStream(errorCode: UInt32)
    /// Announces the end of the connection, with a text such as APNs's reason; what still counts as processed is answered before it is
    /// closed.
    case goAway(lastStream: LastStream, errorCode: UInt32 = 0, text: String = "")
    /// Tells how many streams the client may have open on this connection at a time; nothing when it has been told that already.
    case limitStreams(Int)
    /// Neither reads nor writes on this connection any more, and keeps it open.
    case stallConnection
    /// Sends what is ready, then closes the connection in order; other streams get no answer.
    case closeConnection
    /// Resets the connection, as a machine does that has lost power and come back.
    case resetConnection
    /// Sends bytes that are not HTTP/2, then closes the connection.
    case sendGarbage
    /// Does one after the other.
    case all([HTTP2Action])
}

/// A request as it arrived, whole.
package struct HTTP2Request: Sendable {
    /// The method.
    package let method: String
    /// The path with its query, as it was sent.
    package let path: String
    /// The host and port that the client asked for.
    package let authority: String
    /// The headers beside the pseudo-headers, names in lower case, in their order. Bytes that are not UTF-8 are repaired.
    package let headers: [(name: String, value: String)]
    /// The body, up to the server's limit.
    package let body: [UInt8]
    /// Whether the body was longer than the limit and was cut off there.
    package let isTruncated: Bool
    /// The stream that carried it, for answering later.
    package let stream: HTTP2Stream

    /// The value of the first header of this name.
    /// - Parameter name: in lower case.
    package func header(_ name: String) -> String? {
        // nghttp2 lets nothing but ASCII into a name, so equal strings are equal bytes.
        headers.first { $0.name == name }?.value
    }

    /// How many headers have this name.
    /// - Parameter name: in lower case.
    package func count(of name: String) -> Int {
        headers.count { $0.name == name }
    }
}

/// A response, rendered once and given to any number of requests.
package struct HTTP2Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    /// The body as it is sent.
    package let body: [UInt8]
    // The names and values one after the other, and how long each of them is.
    let headerBytes: [UInt8]
    let headerCounts: [(name: Int, value: Int)]

    /// Makes a response.
    /// - Parameters:
    ///   - status: 200 to 599; anything else is a programmer's mistake and traps.
    ///   - headers: names in lower case, as RFC 9113 section 8.2 wants it.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a response's status is 200 to 599")
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

/// One stream of one connection, named so that it can be answered later. Keeping it keeps nothing open.
package struct HTTP2Stream: Sendable {
    /// The number of its connection: from 0, in the order in which the server accepted them.
    package let connection: Int
    /// Its number on the connection, RFC 9113 section 5.1.1.
    package let number: Int32
    private let inbox: LoopInbox

    init(connection: Int, number: Int32, inbox: LoopInbox) {
        self.connection = connection
        self.number = number
        self.inbox = inbox
    }

    /// Does something about it soon; nothing when it has ended by then. From any thread; does not wait.
    package func perform(_ action: HTTP2Action) {
        inbox.post(.perform(connection: connection, stream: number, action))
    }
}

/// The bounds of one server.
package struct HTTP2Settings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host: String
    /// The port; 0 lets the system choose.
    package var port: UInt16
    /// What TLS shows; nil speaks HTTP/2 without TLS, for clients that know ("prior knowledge", RFC 9113 section 3.3).
    package var tls: TLSServerContext?
    /// How many threads serve; a connection stays with one of them.
    package var threads: Int
    /// How many bytes of a request's body are kept.
    package var bodyLimit: Int
    /// How many streams a client may have open on a connection at a time, at first.
    package var streamLimit: Int
    /// The most connections at a time; one more is closed at once.
    package var connectionLimit: Int

    /// Settings for a simulator on this machine.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, tls: TLSServerContext? = nil, threads: Int = 1, bodyLimit: Int = 64 * 1024,
        streamLimit: Int = 1000, connectionLimit: Int = 1024
    ) {
        precondition(threads > 0 && bodyLimit >= 0 && streamLimit >= 0 && connectionLimit > 0, "bounds are positive")
        self.host = host
        self.port = port
        self.tls = tls
        self.threads = threads
        self.bodyLimit = bodyLimit
        self.streamLimit = streamLimit
        self.connectionLimit = connectionLimit
    }
}

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

/// Why a server could not be started.
package struct HTTP2Error: Error, Equatable, CustomStringConvertible {
    /// One line for a person: the place and the remedy.
    package let description: String
}
