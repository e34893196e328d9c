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
