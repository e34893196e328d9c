internal import Crypto

/// Checks registrations and events against the revocations that the store's transaction reads. The routes check the snapshot in memory
/// first, which answers most callers without the store. It may be outdated because another replica has just added a revocation or this one
/// was stalled, so the transaction decides.
package enum Admission {
    /// Returns the refusal of a registration; nil when it is accepted.
    static func refusal<Rows: RegistryRows>(
        of registration: Registration, in rows: Rows
    ) throws(Rows.Failure) -> Registration.Outcome? {
        let (appID, userID) = (registration.key.appID, registration.key.userID)
        let revocations = try rows.revocations(appID: appID, userID: userID)
        guard revocations.count > 0 else { return nil }
        let app = RevocationDigests.app(appID.utf8.span)
        do throws(CryptoError) {
            // Comments skip the device by the same rule (`Revocations.covers`).
            let isRefused = try revocations.revokes(registration.claims, app: app, appID: appID.utf8.span, userID: userID.utf8.span)
            return isRefused ? .revoked : nil
        } catch {
            return .undecided
        }
    }

    /// Returns the result for an event that is not stored, because its user was forgotten or OpenSSL failed; nil when it is accepted.
    package static func refusal<Rows: RegistryRows>(
        of incoming: IncomingEvent, in rows: Rows
    ) throws(Rows.Failure) -> Result<Acceptance, StoreError>? {
        // An event about the erasure of the person is deleted from the store when the person is.
        guard !incoming.isErased else { return nil }
        switch try isForgotten(incoming.event.userID, of: incoming.event.identity.appID, in: rows) {
        case .success(let isForgotten): return isForgotten ? .success(.ignored) : nil
        case .failure(let error): return .failure(StoreError(.unavailable, error.description))
        }
    }

    /// Decides on a report. Rejects the whole report if it names a forgotten user.
    /// - Parameter conversations: the known conversations of the report's topics.
    package static func decision<Rows: RegistryRows>(
        on report: Report, _ conversations: [ConversationState.Name: ConversationState], in rows: Rows
    ) throws(Rows.Failure) -> Report.Decision {
        let decision = report.decide(conversations)
        guard case .decided(let changed, let incomingEvents, _, _, let receipt) = decision else { return decision }
        let users = changed.map(\.userID) + incomingEvents.map(\.event.userID) + [receipt?.person.userID].compactMap { $0 }
        let named = Set(users.map { ByteKey($0) })
        for userID in named.sorted() {
            switch try isForgotten(userID.text, of: report.appID, in: rows) {
            case .success(false): continue
            case .success(true): return .ignored(reason: nil)
            case .failure: return .undecided
            }
        }
        return decision
    }

    private static func isForgotten<Rows: RegistryRows>(
        _ userID: String, of appID: String, in rows: Rows
    ) throws(Rows.Failure) -> Result<Bool, CryptoError> {
        guard !userID.isEmpty else { return .success(false) }
        let revocations = try rows.revocations(appID: appID, userID: userID)
        return Result { () throws(CryptoError) in try revocations.isForgotten(appID: appID.utf8.span, userID: userID.utf8.span) }
    }
}
