internal import Core
internal import Time

enum SessionOutcome: Sendable {
    /// Sendbird has given it, for this call or others that wait with it.
    case issued(Session)
    case kept(Session)
    case limited(LimitRefusal)
    /// Sendbird wants fewer requests.
    case throttled(milliseconds: UInt64)
    /// The key was revoked while Sendbird was asked.
    case revoked
    /// The key has ended, but for the difference that clocks may have.
    case expired
    case refusedUser
    /// There is no token now.
    /// - Parameter reason: a stable word for logs.
    case unavailable(reason: String)
}
