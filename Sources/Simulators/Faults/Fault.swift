package import Time

/// Something that goes wrong at a provider: to whom, how often, what.
package struct Fault: Sendable, Equatable {
    /// Which of a provider's two services a request is for.
    package enum Endpoint: String, Sendable, CaseIterable {
        /// Sending pushes.
        case send
        /// Fetching an access token (OAuth).
        case token
    }

    /// Which streams a GOAWAY keeps.
    package enum GoAway: String, Sendable, CaseIterable {
        /// Those before this request and this one.
        case this
        /// All that have arrived.
        case all
        /// Those before this request, and the connection is closed at once.
        case abrupt
    }

    /// A refusal, in the provider's own form.
    package struct Answer: Sendable, Equatable {
        /// The status code, 200 to 599.
        package var status: Int
        /// APNs's `reason`, FCM's and RuStore's error code, HMS's `code`, OAuth's `error`; empty for a body that is not the provider's.
        package var reason: String
        /// The Retry-After header, as it is sent; nil for none.
        package var retryAfter: String?
        /// APNs's `timestamp`, in milliseconds since 1970.
        package var timestamp: UnixMilliseconds?

        /// Makes one.
        package init(_ status: Int, _ reason: String = "", retryAfter: String? = nil, timestamp: UnixMilliseconds? = nil) {
            precondition((200...599).contains(status), "a response's status is 200 to 599")
            self.status = status
            self.reason = reason
            self.retryAfter = retryAfter
            self.timestamp = timestamp
        }
    }

    /// What happens.
    package enum Effect: Sendable, Equatable {
        /// The request is refused.
        case answer(Answer)
        /// Nothing but the delay; then it is answered as always.
        case delay
        /// The request is never answered.
        case stallStream
        /// Nothing on its connection is answered any more.
        case stallConnection
        /// Its stream is reset with an error code of RFC 9113 section 7.
        case resetStream(errorCode: Int)
        /// Its connection is reset.
        case resetConnection
        /// Its connection is closed in order, without an answer.
        case closeConnection
        /// Its connection carries bytes that are not HTTP/2, and is closed.
        case garbage
        /// Its connection is announced to end; where the request is kept, it is answered as always.
        case goAway(GoAway, reason: String = "")
        /// From now on its connection may have so many streams; it is answered as always.
        case limitStreams(Int)
    }

    /// What a request is about.
    struct Subject {
        var endpoint: Endpoint
        var tokens: [String]
    }

    /// At which provider; nil is all.
    package var provider: SimulatedProvider?
    /// For which service.
    package var endpoint: Endpoint
    /// To which push token; nil is all.
    package var token: String?
    /// How many requests that match are spared first.
    package var after: Int
    /// How often it happens; nil is for ever.
    package var times: Int?
    /// How long the request waits first.
    package var delayMilliseconds: Int
    /// What happens.
    package var effect: Effect

    /// Makes one.
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

/// A connection that fails before its first request.
package struct HandshakeFault: Sendable, Equatable {
    /// What happens.
    package enum Effect: Sendable, Equatable {
        /// The TLS handshake begins late.
        case slow(milliseconds: Int)
        /// It never begins.
        case stall
        /// The connection is closed right after it.
        case close
        /// The connection is reset instead of it.
        case reset
        /// What follows it is not HTTP/2.
        case garbage
    }

    /// At which provider; nil is all.
    package var provider: SimulatedProvider?
    /// How many connections are spared first.
    package var after: Int
    /// How often it happens; nil is for ever.
    package var times: Int?
    /// What happens.
    package var effect: Effect

    /// Makes one.
    package init(_ effect: Effect, at provider: SimulatedProvider? = nil, after: Int = 0, times: Int? = 1) {
        precondition(after >= 0, "bounds are not negative")
        self.effect = effect
        self.provider = provider
        self.after = after
        self.times = times
    }
}
