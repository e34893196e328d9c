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
