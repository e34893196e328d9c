package import Time

/// A fault of a provider: which requests it hits, how often, and its effect.
package struct Fault: Sendable, Equatable {
    /// The provider's service that a request is for.
    package enum Endpoint: String, Sendable, CaseIterable {
        case send
        case token
    }

    /// The streams that a GOAWAY reports as processed.
    package enum GoAway: String, Sendable, CaseIterable {
        case this
        case all
        /// The streams before this request's; the connection is closed at once.
        case abrupt
    }

    package struct Answer: Sendable, Equatable {
        /// The status code, 200 to 599.
        package var status: Int
        /// APNs' `reason`, FCM's and RuStore's error code, HMS' `code`, OAuth's `error`; empty for a body that the provider would not send.
        package var reason: String
        /// The value of the Retry-After header; nil for none.
        package var retryAfter: String?
        /// APNs' `timestamp`, in milliseconds since 1970.
        package var timestamp: UnixMilliseconds?

        package init(_ status: Int, _ reason: String = "", retryAfter: String? = nil, timestamp: UnixMilliseconds? = nil) {
            precondition((200...599).contains(status), "a response's status is 200 to 599")
            self.status = status
            self.reason = reason
            self.retryAfter = retryAfter
            self.timestamp = timestamp
        }
    }

    package enum Effect: Sendable, Equatable {
        case answer(Answer)
        /// It is only delayed, and then answered normally.
        case delay
        /// The request is never answered.
        case stallStream
        /// Stalls the connection: nothing on it is answered any more.
        case stallConnection
        /// Resets the stream with an error code of RFC 9113 section 7.
        case resetStream(errorCode: Int)
        case resetConnection
        /// Closes the connection normally, without an answer.
        case closeConnection
        /// Sends bytes that are not HTTP/2, and closes the connection.
        case garbage
        /// A GOAWAY is sent on its connection. If the GOAWAY reports the request as processed, it is answered normally.
        case goAway(GoAway, reason: String = "")
        /// From now on its connection may have this many streams; the request is answered normally.
        case limitStreams(Int)
    }

    /// The properties of a request that faults are matched with.
    struct Subject {
        var endpoint: Endpoint
        var tokens: [String]
    }

    /// The provider; nil matches all.
    package var provider: SimulatedProvider?
    package var endpoint: Endpoint
    /// The push token; nil matches all.
    package var token: String?
    /// The number of matching requests that are skipped first.
    package var after: Int
    /// The number of repetitions; nil means for ever.
    package var times: Int?
    /// Milliseconds by which the request is delayed first.
    package var delayMilliseconds: Int
    package var effect: Effect

    package init(
        _ effect: Effect, at provider: SimulatedProvider? = nil, endpoint: Endpoint = .send, token: String? = nil, after: Int = 0,
        times: Int? = 1, delayMilliseconds: Int = 0
    ) {
        precondition(after >= 0 && delayMilliseconds >= 0, "bounds are not negative")
        self.effect = effect
        self.provider = provider
        self.endpoint = endpoint
        self.token = token
        self.after = after
        self.times = times
        self.delayMilliseconds = delayMilliseconds
    }

    func matches(_ provider: SimulatedProvider, _ subject: Subject) -> Bool {
        guard endpoint == subject.endpoint, self.provider == nil || self.provider == provider else { return false }
        return token.map { token in subject.tokens.contains { $0.utf8.elementsEqual(token.utf8) } } ?? true
    }
}

/// A fault of a new connection, before its first request.
package struct HandshakeFault: Sendable, Equatable {
    package enum Effect: Sendable, Equatable {
        /// The TLS handshake begins after a delay.
        case slow(milliseconds: Int)
        /// The TLS handshake never begins.
        case stall
        /// The connection is closed right after the handshake.
        case close
        /// The connection is reset before the handshake.
        case reset
        /// Bytes that are not HTTP/2 follow the handshake.
        case garbage
    }

    /// The provider; nil matches all.
    package var provider: SimulatedProvider?
    /// The number of connections that are skipped first.
    package var after: Int
    /// The number of repetitions; nil means for ever.
    package var times: Int?
    package var effect: Effect

    package init(_ effect: Effect, at provider: SimulatedProvider? = nil, after: Int = 0, times: Int? = 1) {
        precondition(after >= 0, "bounds are not negative")
        self.effect = effect
        self.provider = provider
        self.after = after
        self.times = times
    }
}
