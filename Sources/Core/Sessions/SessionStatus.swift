package import Time

/// The state of a user's session tokens at a help desk, as known to one process. It contains no token.
package struct SessionStatus: Sendable, Equatable {
    /// A cached token that is issued again.
    package struct Kept: Sendable, Equatable {
        /// Time of the request to the help desk.
        package let obtainedAt: UnixMilliseconds
        package let expiresAt: UnixMilliseconds

        package init(obtainedAt: UnixMilliseconds, expiresAt: UnixMilliseconds) {
            (self.obtainedAt, self.expiresAt) = (obtainedAt, expiresAt)
        }
    }

    /// The reason why the help desk is not queried for a token now, or would not issue one, independent of the user's key.
    package enum Obstacle: Sendable, Equatable {
        /// The app has reached one of its limits.
        case limited(LimitRule, until: UnixMilliseconds)
        /// The help desk has limited the rate of requests.
        case throttled(until: UnixMilliseconds)
        /// The help desk rejected all API tokens of the app at the last request.
        case tokenRefused
        /// The user's id cannot be part of a URL of the help desk.
        case noAddress
        /// The user's id is reserved for the help desk's support agents.
        case supportAccount
    }

    /// Nil when no token is cached.
    package let kept: Kept?
    /// Nil when a new token can be requested.
    package let obstacle: Obstacle?

    package init(kept: Kept?, obstacle: Obstacle?) {
        (self.kept, self.obstacle) = (kept, obstacle)
    }
}
