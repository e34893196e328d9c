internal import Threading

/// The access tokens that an OAuth endpoint has issued.
final class AccessTokens: Sendable {
    /// What an access token is worth.
    enum Standing {
        case valid, expired, unknown
    }

    private static let memory = 1000

    private let expiries = Monitor<[String: UInt64]>([:])
    private let prefix: String
    let lifetimeSeconds: UInt64

    init(prefix: String, lifetimeSeconds: UInt64) {
        self.prefix = prefix
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Makes one.
    func issue(now: UInt64) -> String {
        let token = prefix + RandomText.hexadecimal(bytes: 24)
        expiries.withLock { expiries in
            if expiries.count >= Self.memory { expiries.removeAll() }
            expiries[token] = now + lifetimeSeconds
        }
        return token
    }

    func standing(of token: String?, now: UInt64) -> Standing {
        guard let token, let expiry = expiries.withLock({ $0[token] }) else { return .unknown }
        return now < expiry ? .valid : .expired
    }

    /// Revokes all, as a provider does that has lost them.
    func revokeAll() {
        expiries.withLock { $0.removeAll() }
    }
}
