internal import Configuration
package import Core
internal import Crypto
internal import JSON
package import Threading
internal import Time

/// The pending verification of a user by the app's backend. It holds the body that is posted and the security key, so release it when it is
/// answered.
package struct BackendVerification: Sendable {
    /// Milliseconds that a caller waits beyond the timeout of the call.
    private static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let verifier: BackendVerifier
    private let identity: CheckIdentity
    private let keyID: UInt32?
    private let userID: String
    /// nil where only the backend understands it.
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
        // A key that we have checked proves nothing more to the backend, and who sees it could use it.
        if verifier.settings.mode == .backend { writer.add("security_key", String(securityKey)) }
        writer.endObject()
        body = writer.bytes
    }

    /// Milliseconds until the answer.
    package var timeoutMilliseconds: UInt64 { UInt64(verifier.settings.timeoutMilliseconds) + Self.marginMilliseconds }

    /// Calls the backend.
    /// - Parameters:
    ///   - revocations: revocations during the call apply as well.
    ///   - trace: the request that asks.
    ///   - completion: called exactly once with the final verdict, on any thread, perhaps before this returns. It must not block. Also
    ///     receives why the backend could not decide, if the app's rule has decided instead.
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

    /// Whether the user is blocked or forgotten by now. Also true when OpenSSL fails, because it only keeps a denial from being shadowed.
    package func isKeptOut(_ revocations: Revocations) -> Bool {
        (try? revocations.blocks(app: verifier.appDigest, appID: verifier.app.utf8.span, userID: userID.utf8.span)) ?? true
    }

    private func isRevoked(_ revocations: Revocations) throws(CryptoError) -> Bool {
        let (app, appID, userID) = (verifier.appDigest, verifier.app.utf8.span, userID.utf8.span)
        guard let key else { return try revocations.blocks(app: app, appID: appID, userID: userID) }
        return try revocations.revokes(key, app: app, appID: appID, userID: userID)
    }
}
