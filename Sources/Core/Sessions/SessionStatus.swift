package import Time

package struct SessionStatus: Sendable, Equatable {
    /// A token that is kept, and handed out again.
    package struct Kept: Sendable, Equatable {
        /// When the help desk was asked for it.
        package let obtainedAt: UnixMilliseconds
        package let expiresAt: UnixMilliseconds

        package init(obtainedAt: UnixMilliseconds, expiresAt: UnixMilliseconds) {
            (self.obtainedAt, self.expiresAt) = (obtainedAt, expiresAt)
        }
    }

    /// The reason why Deskgate requests no token now, or would get none, whatever the person's key.
    package enum Obstacle: Sendable, Equatable {
        /// A limit of the app's is reached until then.
        case limited(LimitRule, until: UnixMilliseconds)
        /// The help desk wants fewer requests until then.
        case throttled(until: UnixMilliseconds)
        /// The help desk has refused every API token of the app's when it was asked last.
        case tokenRefused
        /// The person's id can be no part of the help desk's addresses.
        case noAddress
        /// The person's id is one of those that the help desk keeps for its people of support.
        case supportAccount
    }

    /// The last token, while it is kept in memory; nil when none is.
    package let kept: Kept?
    /// nil when a new token can be requested.
    package let obstacle: Obstacle?

    package init(kept: Kept?, obstacle: Obstacle?) {
        (self.kept, self.obstacle) = (kept, obstacle)
    }
}
