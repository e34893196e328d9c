internal import Crypto
internal import JSON
internal import Threading
internal import Time
internal import WebTokens

/// Verifies APNs' provider tokens: JSON Web Tokens with ES256, of a known key and team, at most one hour old.
final class ProviderTokens: Sendable {
    enum Refusal: String {
        case missing = "MissingProviderToken"
        case invalid = "InvalidProviderToken"
        case expired = "ExpiredProviderToken"
        case tooManyUpdates = "TooManyProviderTokenUpdates"

        var status: Int { self == .tooManyUpdates ? 429 : 403 }
    }

    private struct State {
        // The `iat` of verified tokens. Verifying takes a tenth of a millisecond, and thousands of requests carry the same token.
        var issued: [String: UnixSeconds] = [:]
        // When each new token was first seen.
        var updates: [UnixSeconds] = []
    }

    private static let lifetimeSeconds: UInt64 = 60 * 60
    private static let secondsOfUpdates: UInt64 = 20 * 60
    // Tolerance for clocks that differ.
    private static let leewaySeconds: UInt64 = 60
    private static let memory = 64

    private let key: ES256PublicKey
    private let keyID: String
    private let teamID: String
    private let updateLimit: Int
    private let state = Monitor(State())

    /// - Parameter updateLimit: the maximum number of different tokens within 20 minutes.
    init(_ key: ES256PublicKey, keyID: String, teamID: String, updateLimit: Int) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.updateLimit = updateLimit
    }

    /// Returns nil when the token is accepted.
    func refusal(of token: String?, now: UnixSeconds) -> Refusal? {
        guard let token else { return .missing }
        if let issued = state.withLock({ $0.issued[token] }) { return isTooOld(issued, now) ? .expired : nil }
        guard let issued = verify(token), issued <= now + Self.leewaySeconds else { return .invalid }
        if isTooOld(issued, now) { return .expired }
        return state.withLock { state in
            if state.issued[token] != nil { return nil }
            state.updates.removeAll { $0 + Self.secondsOfUpdates <= now }
            guard state.updates.count < updateLimit else { return .tooManyUpdates }
            state.updates.append(now)
            if state.issued.count >= Self.memory { state.issued.removeAll() }
            state.issued[token] = issued
            return nil
        }
    }

    private func isTooOld(_ issued: UnixSeconds, _ now: UnixSeconds) -> Bool {
        issued + Self.lifetimeSeconds < now
    }

    // The token's `iat`; nil when the token is not genuine.
    private func verify(_ text: String) -> UnixSeconds? {
        guard let token = try? VerifiedWebToken(text, key: key), token.header["kid"]?.text == keyID,
            token.claims["iss"]?.text == teamID, let issued = token.claims["iat"]?.integer, issued > 0
        else { return nil }
        return UnixSeconds(rawValue: UInt64(issued))
    }
}
