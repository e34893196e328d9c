internal import Configuration
internal import Crypto
internal import Threading
internal import Time

/// The sessions of the operators' page, in memory. A restart ends all sessions.
///
/// A session belongs to the admin token that opened it. If a reload removes the token, the session ends. If a reload changes the token's
/// role, the session gets the new role. Only the digest of a session's credential is stored, so that memory does not contain the texts that
/// a browser sends.
final class AdminSessionStore: Sendable {
    /// The maximum number of sessions per token. A further session ends the least recently used session of the same token, so the holder of
    /// a token cannot sign out holders of other tokens.
    static let maximumSessionsPerToken = 64
    /// The time, in milliseconds, after a person's last request when a session expires.
    static let idleMilliseconds: UInt64 = 30 * 60 * 1000
    /// The maximum lifetime of a session in milliseconds.
    static let lifetimeMilliseconds: UInt64 = 8 * 60 * 60 * 1000

    private struct Session {
        let digest: [UInt8]
        let token: SecretBytes
        let openedAt: MonotonicMilliseconds
        var usedAt: MonotonicMilliseconds

        func hasEnded(_ now: MonotonicMilliseconds) -> Bool {
            now.elapsed(since: openedAt) >= lifetimeMilliseconds || now.elapsed(since: usedAt) >= idleMilliseconds
        }
    }

    private let sessions = Monitor<[Session]>([])
    private let now: @Sendable () -> MonotonicMilliseconds

    /// Creates an empty store. Sessions expire by the monotonic clock, so that a change of the wall clock neither ends nor extends a
    /// session.
    init(_ now: @escaping @Sendable () -> MonotonicMilliseconds) {
        self.now = now
    }

    /// Opens a session for the holder of a token.
    /// - Throws: when OpenSSL fails.
    func open(_ token: AdminToken) throws(CryptoError) -> SessionCredential {
        let credential = try SessionCredential.random()
        let digest = try credential.digest()
        let now = now()
        sessions.withLock { sessions in
            sessions.removeAll { $0.hasEnded(now) }
            let own = sessions.indices.filter { sessions[$0].token == token.secret }
            if own.count >= Self.maximumSessionsPerToken, let oldest = own.min(by: { sessions[$0].usedAt < sessions[$1].usedAt }) {
                sessions.remove(at: oldest)
            }
            sessions.append(Session(digest: digest, token: token.secret, openedAt: now, usedAt: now))
        }
        return credential
    }

    /// Returns a session's token; nil when the session does not exist or has ended.
    /// - Parameters:
    ///   - tokens: the tokens of the active configuration.
    ///   - isUse: whether a person caused the request. Polling by the page does not extend a session.
    func token(of credential: SessionCredential, among tokens: [AdminToken], isUse: Bool) -> AdminToken? {
        guard let digest = try? credential.digest() else { return nil }
        let now = now()
        return sessions.withLock { sessions in
            sessions.removeAll { $0.hasEnded(now) }
            guard let index = Self.index(of: digest, in: sessions) else { return nil }
            let secret = sessions[index].token
            guard let token = tokens.first(where: { $0.secret == secret }), token.has(.read) else {
                sessions.remove(at: index)
                return nil
            }
            if isUse { sessions[index].usedAt = now }
            return token
        }
    }

    func close(_ credential: SessionCredential) {
        guard let digest = try? credential.digest() else { return }
        sessions.withLock { sessions in
            if let index = Self.index(of: digest, in: sessions) { sessions.remove(at: index) }
        }
    }

    /// The number of sessions, including ended sessions that were not accessed since.
    var count: Int { sessions.withLock { $0.count } }

    private static func index(of digest: [UInt8], in sessions: [Session]) -> Int? {
        var found: Int?
        for index in sessions.indices {
            let kept = sessions[index].digest
            if constantTimeEquals(kept.span, digest.span) { found = index }
        }
        return found
    }
}
