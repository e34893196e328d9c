internal import Core
internal import Time

enum SessionOutcome: Sendable {
    /// Sendbird issued the session for this call, or for another call that shares the request.
    case issued(Session)
    case kept(Session)
    /// A rate limit of Deskgate was reached.
    case limited(LimitRefusal)
    /// A rate limit of Sendbird was reached.
    case throttled(milliseconds: UInt64)
    /// The key was revoked during the request to Sendbird.
    case revoked
    /// The key has expired since its verification, or because of a difference between clocks.
    case expired
    case refusedUser
    /// - Parameter reason: a stable identifier for logs.
    case unavailable(reason: String)
}
