package import Time

/// The recent authorizations of one app's users in one process, in limited memory. This type is not synchronized: the caller must hold a
/// lock.
///
/// Callers choose user ids, so any caller can invent a million of them. Users are therefore stored in four groups with separate limits, and
/// a full group evicts its least recent user. Invented ids evict only users who were denied once and may be invented themselves. Users who
/// are proven to exist, by a genuine key or an earlier success, form a separate group, and so do users whose last request was allowed.
/// Failures have a separate table, because an outage affects all users at once and must not evict denied users.
package struct RecentAuthorizations: Sendable {
    /// The maximum number of users in each group.
    package struct Limits: Sendable, Equatable {
        /// The limits for all apps together.
        private static let all = (allowed: 8192, proven: 2048, stranger: 1024)
        private static let least = 64

        let allowed: Int
        let proven: Int
        let stranger: Int

        /// - Parameter stranger: the limit of each of the groups `repeated` and `new`.
        init(allowed: Int, proven: Int, stranger: Int) {
            (self.allowed, self.proven, self.stranger) = (allowed, proven, stranger)
        }

        package init(apps: Int) {
            func share(_ all: Int) -> Int { max(Self.least, all / max(1, apps)) }
            self.init(allowed: share(Self.all.allowed), proven: share(Self.all.proven), stranger: share(Self.all.stranger))
        }

        fileprivate func room(of group: Group) -> Int {
            switch group {
            case .allowed: allowed
            case .proven: proven
            case .repeated, .new: stranger
            }
        }
    }

    fileprivate enum Group: Int, CaseIterable {
        case allowed
        /// Denied; a genuine key or an earlier success proves that the user exists.
        case proven
        /// Denied repeatedly; may be invented.
        case repeated
        /// Denied once; may be invented.
        case new
    }

    /// The time since which no denied user was evicted.
    package private(set) var completeSince: UnixSeconds
    private var tables: [BoundedTable<KeyedDigest, AuthorizationHistory>]
    /// Failures that are newer than all other responses to their users.
    private var failures: BoundedTable<KeyedDigest, AuthorizationFailure>

    /// - Parameter since: the start of recording.
    package init(_ limits: Limits, since: UnixSeconds) {
        completeSince = since
        tables = Group.allCases.map { BoundedTable(limit: limits.room(of: $0)) }
        failures = BoundedTable(limit: limits.stranger)
    }

    /// Changes the limits. Users beyond a limit are evicted when further users are recorded.
    package mutating func resize(_ limits: Limits) {
        for group in Group.allCases { tables[group.rawValue].limit = limits.room(of: group) }
        failures.limit = limits.stranger
    }

    var count: Int { tables.reduce(0) { $0 + $1.count } }

    package func history(of user: KeyedDigest) -> AuthorizationHistory? {
        guard let failure = failures[user] else { return found(user)?.history }
        var history = found(user)?.history ?? AuthorizationHistory()
        history.failure = failure
        return history
    }

    /// Records a failure, which neither allows nor denies. The rest of the user's record is unchanged.
    package mutating func record(_ failure: AuthorizationFailure, of user: KeyedDigest) { failures.insert(failure, for: user) }

    package mutating func record(_ verdict: Verdict, of user: KeyedDigest, now: UnixSeconds) {
        if failures.count > 0 { failures.remove(user) }
        switch verdict {
        case .authorized(let keyID, _): recordSuccess(AuthorizationHistory.Success(at: now, keyID: keyID), user)
        case .shadowed(_, let keyID):
            // Shadow mode also allows invented users, so its successes do not prove that a user exists.
            if found(user) != nil { recordSuccess(AuthorizationHistory.Success(at: now, keyID: keyID, isShadowed: true), user) }
        case .denied(let denial, let keyID):
            recordDenial(AuthorizationHistory.Denied(reason: .denial(denial), keyID: keyID, at: now), user)
        case .malformed(let error):
            // If another field is malformed, the request does not identify a user.
            guard error.field == .securityKey else { break }
            recordDenial(AuthorizationHistory.Denied(reason: .malformedKey(error.problem), keyID: nil, at: now), user)
        case .undecided(let reason): record(AuthorizationFailure(.undecided(reason), at: now), of: user)
        case .unconfirmed: break
        }
    }

    package mutating func forget(_ user: KeyedDigest) {
        failures.remove(user)
        for group in Group.allCases { tables[group.rawValue].remove(user) }
    }

    private mutating func recordSuccess(_ success: AuthorizationHistory.Success, _ user: KeyedDigest) {
        let known = found(user)
        // Most requests would not change the record.
        if let known, known.group == .allowed, known.history.lastSuccess == success { return }
        var history = known?.history ?? AuthorizationHistory()
        history.recordSuccess(success)
        move(user, from: known?.group, to: .allowed, history, now: success.at)
    }

    private mutating func recordDenial(_ denied: AuthorizationHistory.Denied, _ user: KeyedDigest) {
        let known = found(user)
        var history = known?.history ?? AuthorizationHistory()
        history.recordDenial(denied)
        let group: Group =
            if denied.provesUser || known?.group == .allowed || known?.group == .proven { .proven } else { known == nil ? .new : .repeated }
        move(user, from: known?.group, to: group, history, now: denied.at)
    }

    private mutating func move(
        _ user: KeyedDigest, from former: Group?, to group: Group, _ history: AuthorizationHistory, now: UnixSeconds
    ) {
        if let former, former != group { tables[former.rawValue].remove(user) }
        let others = tables[group.rawValue].count - (former == group ? 1 : 0)
        if group != .allowed, others >= tables[group.rawValue].limit { completeSince = max(completeSince, now) }
        tables[group.rawValue].insert(history, for: user)
    }

    private func found(_ user: KeyedDigest) -> (group: Group, history: AuthorizationHistory)? {
        // Avoids `allCases`, which would allocate an array.
        for index in tables.indices {
            if let history = tables[index][user], let group = Group(rawValue: index) { return (group, history) }
        }
        return nil
    }
}
