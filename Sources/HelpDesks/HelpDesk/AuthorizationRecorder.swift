package import Core
internal import Threading
package import Time

/// Records recent authorizations of all apps' users in this process, for operators. Any thread may use it.
package final class AuthorizationRecorder: Sendable {
    private struct RecordedApp {
        /// The digest of the empty text. It changes when the secret for user digests changes.
        let naming: KeyedDigest
        let recent: Monitor<RecentAuthorizations>
    }

    private let now: @Sendable () -> UnixSeconds
    private let since: UnixSeconds
    private let apps = Monitor<[ByteKey: RecordedApp]>([:])
    /// Receives denials for apps that are not configured, so that these take the same time. It is never read.
    private let unknownApp: Monitor<RecentAuthorizations>

    package init(now: @escaping @Sendable () -> UnixSeconds) {
        (self.now, since) = (now, now())
        unknownApp = Monitor(RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: since))
    }

    /// Returns the records of an authorizer's apps. Records are kept during a reload. If the secret for an app's user digests has changed,
    /// the app's records are discarded, because they could be neither found nor deleted.
    func records(of authorizer: Authorizer) -> AuthorizationRecords {
        let limits = RecentAuthorizations.Limits(apps: authorizer.applications.count)
        let nobody: [UInt8] = []
        let records = apps.withLock { apps in
            authorizer.applications.indices.map { index in
                let name = ByteKey(authorizer.applications[index].name)
                let (former, naming) = (apps[name], authorizer.digest(ofUser: nobody.span, in: index))
                if let former, former.naming == naming { return former.recent }
                let recent = Monitor(RecentAuthorizations(limits, since: former == nil ? since : now()))
                apps[name] = RecordedApp(naming: naming, recent: recent)
                return recent
            }
        }
        for recent in records { recent.withLock { $0.resize(limits) } }
        return AuthorizationRecords(apps: records, unknownApp: unknownApp)
    }

    /// Returns the records of a user; nil for an app that is not configured. Does not block.
    /// - Parameter user: `Authorizer.digest(ofUser:in:)`.
    package func known(appID: String, user: KeyedDigest) -> KnownAuthorizations? {
        apps.withLock({ $0[ByteKey(appID)] })?.recent.withLock {
            KnownAuthorizations(startedAt: since, completeSince: $0.completeSince, history: $0.history(of: user))
        }
    }

    /// Deletes the records of a user. Does not block.
    package func forget(appID: String, user: KeyedDigest) {
        apps.withLock({ $0[ByteKey(appID)] })?.recent.withLock { $0.forget(user) }
    }
}

struct AuthorizationRecords: Sendable {
    /// The records in the order of the authorizer's apps.
    let apps: [Monitor<RecentAuthorizations>]
    let unknownApp: Monitor<RecentAuthorizations>
}

/// The user of a request, in the records of the app.
package struct RecordedUser: Sendable {
    private let recent: Monitor<RecentAuthorizations>
    private let user: KeyedDigest

    init(_ records: AuthorizationRecords, decision: Authorizer.Authorization, authorizer: Authorizer, userID: Span<UInt8>) {
        user = authorizer.digest(ofUser: userID, in: decision.namedApplication)
        recent = decision.namedApplication.map { records.apps[$0] } ?? records.unknownApp
    }

    init(_ records: AuthorizationRecords, device: Device.Key, authorizer: Authorizer) {
        let application = authorizer.index(of: device.appID.utf8.span)
        user = authorizer.digest(ofUser: device.userID.utf8.span, in: application)
        recent = application.map { records.apps[$0] } ?? records.unknownApp
    }

    /// Records an answer that neither allows nor denies.
    func record(_ failure: AuthorizationFailure) {
        recent.withLock { $0.record(failure, of: user) }
    }

    package func record(_ verdict: Verdict, at now: UnixSeconds) {
        recent.withLock { $0.record(verdict, of: user, now: now) }
    }
}
