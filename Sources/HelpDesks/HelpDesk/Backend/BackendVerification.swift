internal import Configuration
package import Core
internal import Crypto
internal import JSON
package import Threading
internal import Time

/// A pending query of the app's backend whether the user may use the chat. It contains the request body and the security key, so release it
/// after the answer.
package struct BackendVerification: Sendable {
    /// The maximum time, in milliseconds, that a caller waits in addition to the timeout of the call itself.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let verifier: BackendVerifier
    private let identity: CheckIdentity
    private let keyID: UInt32?
    private let userID: String
    /// The security key; nil for a key that only the backend can verify.
    private let key: SecurityKey?
    private let body: [UInt8]

    init(
        _ verifier: BackendVerifier, _ identity: CheckIdentity, keyID: UInt32?, appID: Span<UInt8>, userID: Span<UInt8>,
        securityKey: Span<UInt8>
    ) {
        self.verifier = verifier
        self.identity = identity
        self.keyID = keyID
        self.userID = String(userID)
        key = verifier.settings.mode == .backend ? nil : SecurityKey(securityKey)
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.add("app_id", String(appID))
        writer.add("user_id", self.userID)
        // A verified key is omitted: it gives the backend no further proof, and anyone who sees it could use it.
        if verifier.settings.mode == .backend { writer.add("security_key", String(securityKey)) }
        writer.endObject()
        body = writer.bytes
    }

    package var timeoutMilliseconds: UInt64 { UInt64(verifier.settings.timeoutMilliseconds) + Self.marginMilliseconds }

    /// Queries the backend.
    /// - Parameters:
    ///   - revocations: read again after the answer, so that a revocation made meanwhile applies.
    ///   - completion: called exactly once with the final verdict, on any thread, possibly before this method returns. It must not block.
    ///     It also receives the reason when the backend could not decide and the app's rule decided instead.
    package func ask(
        _ revocations: SnapshotReference<Revocations>, in trace: TraceContext?,
        _ completion: @escaping @Sendable (Verdict, UndecidedReason?) -> Void
    ) {
        verifier.ask(identity, body: body, in: trace) { [self] answer in
            let verdict = verifier.settings.whenUndecided.verdict(on: answer, keyID: keyID)
            var cause: UndecidedReason?
            if case .undecided(let reason) = answer, verdict.status != 503 { cause = reason }
            guard case .authorized = verdict else { return completion(verdict, cause) }
            do throws(CryptoError) {
                try isRevoked(revocations.current) ? completion(.denied(.revoked, keyID: keyID), nil) : completion(verdict, cause)
            } catch {
                completion(.undecided(.internalError), nil)
            }
        }
    }

    /// Whether the user is now blocked or forgotten. Also true when OpenSSL fails, because the only consequence is that shadow mode does
    /// not apply to the denial.
    package func isBlocked(_ revocations: Revocations) -> Bool {
        (try? revocations.blocks(app: verifier.appDigest, appID: verifier.app.utf8.span, userID: userID.utf8.span)) ?? true
    }

    private func isRevoked(_ revocations: Revocations) throws(CryptoError) -> Bool {
        let (app, appID, userID) = (verifier.appDigest, verifier.app.utf8.span, userID.utf8.span)
        guard let key else { return try revocations.blocks(app: app, appID: appID, userID: userID) }
        return try revocations.revokes(key, app: app, appID: appID, userID: userID)
    }
}
