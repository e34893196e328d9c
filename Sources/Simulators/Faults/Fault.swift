package import Time

/// A fault of a provider: the requests that it affects, the number of times, and its effect.
package struct Fault: Sendable, Equatable {
    package enum Endpoint: String, Sendable, CaseIterable {
        case send
        /// Fetching an access token (OAuth).
        case token
    }

    /// The streams that a GOAWAY reports as processed.
    package enum GoAway: String, Sendable, CaseIterable {
        /// This request's stream and earlier ones.
        case this
        /// All received streams.
        case all
        /// The streams before this request's; the connection is closed at once.
        case abrupt
    }

    /// A rejection in the provider's own format.
    package struct Answer: Sendable, Equatable {
        /// 200 to 599.
        package var status: Int
        /// APNs' `reason`, FCM's and RuStore's error code, HMS' `code`, OAuth's `error`; empty for a body that the provider would not send.
        package var reason: String
        package var retryAfter: String?
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
        /// The request is answered normally, after the delay.
        case delay
        /// The request is never answered.
        case stallStream
        /// The whole connection stalls: no further response is sent on it.
        case stallConnection
        /// The stream is reset with an error code of RFC 9113 section 7.
        case resetStream(errorCode: Int)
        case resetConnection
        /// The connection is closed normally, without an answer.
        case closeConnection
        /// The connection sends bytes that are not HTTP/2, and is closed.
        case garbage
        /// A GOAWAY is sent on the connection. If it reports the request as processed, the request is answered normally.
        case goAway(GoAway, reason: String = "")
        /// The connection's stream limit changes to this number; the request is answered normally.
        case limitStreams(Int)
    }

    struct Subject {
        var endpoint: Endpoint
        var tokens: [String]
    }

    /// Nil matches all.
    package var provider: SimulatedProvider?
    package var endpoint: Endpoint
    /// Nil matches all.
    package var token: String?
    /// The number of matching requests that are skipped first.
    package var after: Int
    /// The number of times; nil means without limit.
    package var times: Int?
    /// The delay of the request before the effect.
    package var delayMilliseconds: Int
    package var effect: Effect

    package init(
        _ effect: Effect, at provider: SimulatedProvider? = nil, endpoint: Endpoint = .send, token: String? = nil, after: Int = 0,
        times: Int? = 1, delayMilliseconds: Int = 0
    ) {
        precondition(after >= 0 && delayMilliseconds >= 0, "bounds must not be negative")
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
        case stall
        /// The connection is closed right after the handshake.
        case close
        /// The connection is reset before the handshake.
        case reset
        /// Bytes that are not HTTP/2 follow the handshake.
        case garbage
    }

    /// Nil matches all.
    package var provider: SimulatedProvider?
    /// The number of connections that are skipped first.
    package var after: Int
    /// The number of times; nil means without limit.
    package var times: Int?
    package var effect: Effect

    package init(_ effect: Effect, at provider: SimulatedProvider? = nil, after: Int = 0, times: Int? = 1) {
        precondition(after >= 0, "bounds must not be negative")
        self.effect = effect
        self.provider = provider
        self.after = after
        self.times = times
    }
}
