package import Core
internal import Threading
package import Time

/// Records the recent authorizations of all apps' users in this process, for operators. Safe on any thread.
package final class AuthorizationRecorder: Sendable {
    private let since: UnixSeconds
    private let apps = Monitor<[ByteKey: RecordedApp]>([:])
    /// Takes the denials for apps that are not configured, so that they take as long as others. Nothing is read from it.
    private let unknownApp: Monitor<RecentAuthorizations>

    /// Makes a recorder without records.
    /// - Parameter since: the present time.
    package init(since: UnixSeconds) {
        self.since = since
        unknownApp = Monitor(RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: since))
    }

    /// The records of an authorizer's apps, which stay over a reload.
    func records(of authorizer: Authorizer) -> AuthorizationRecords {
        let limits = RecentAuthorizations.Limits(apps: authorizer.applications.count)
        let records = apps.withLock { apps in
            authorizer.applications.map { application in
                let name = ByteKey(application.name)
                let app = apps[name] ?? RecordedApp(application.digest, Monitor(RecentAuthorizations(limits, since: since)))
                apps[name] = app
                return app.recent
            }
        }
        for recent in records { recent.withLock { $0.resize(limits) } }
        return AuthorizationRecords(apps: records, unknownApp: unknownApp)
    }

    /// What is known of a user; nil for an app that is not configured. Does not block.
    package func known(appID: String, userID: String) -> KnownAuthorizations? {
        guard let app = apps.withLock({ $0[ByteKey(appID)] }) else { return nil }
        let user = app.digest.digest(ofUser: userID.utf8.span)
        return app.recent.withLock {
            KnownAuthorizations(startedAt: since, completeSince: $0.completeSince, history: $0.history(of: user))
        }
    }

    /// Forgets a user. Does not block.
    package func forget(_ person: RevokedPerson) {
        guard let app = apps.withLock({ $0[ByteKey(person.appID)] }) else { return }
        let user = app.digest.digest(ofUser: person.userID.utf8.span)
        app.recent.withLock { $0.forget(user) }
    }
}

/// The record of one app.
private struct RecordedApp: Sendable {
    let digest: KeyedDigest
    let recent: Monitor<RecentAuthorizations>

    init(_ digest: KeyedDigest, _ recent: Monitor<RecentAuthorizations>) {
        (self.digest, self.recent) = (digest, recent)
    }
}

/// The records of one snapshot's apps.
struct AuthorizationRecords: Sendable {
    /// By the index of the app in the authorizer.
    let apps: [Monitor<RecentAuthorizations>]
    let unknownApp: Monitor<RecentAuthorizations>
}

/// The user whom a request names, in the record of its app.
package struct RecordedUser: Sendable {
    private let recent: Monitor<RecentAuthorizations>
    private let user: KeyedDigest

    init(_ records: AuthorizationRecords, _ decision: Authorizer.Decision, _ authorizer: Authorizer, userID: Span<UInt8>) {
        let app = decision.application.map { authorizer.applications[$0].digest } ?? Application.unknownDigest
        user = app.digest(ofUser: userID)
        recent = decision.application.map { records.apps[$0] } ?? records.unknownApp
    }

    /// Records the verdict that the request is answered with.
    package func record(_ verdict: Verdict, at now: UnixSeconds) {
        recent.withLock { $0.record(verdict, of: user, now: now) }
    }
}
