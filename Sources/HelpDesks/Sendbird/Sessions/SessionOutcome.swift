internal import Core
internal import Time

enum SessionOutcome: Sendable {
    /// Sendbird issued it, for this call or another one that shares the request.
    case issued(Session)
    case kept(Session)
    /// A limit of ours is reached.
    case limited(LimitRefusal)
    /// Sendbird's rate limit is reached.
    case throttled(milliseconds: UInt64)
    /// The key was revoked while Sendbird was called.
    case revoked
    /// The key has expired since it was verified, or by the clocks' difference.
    case expired
    case refusedUser
    /// - Parameter reason: a stable word for logs.
    case unavailable(reason: String)
}
