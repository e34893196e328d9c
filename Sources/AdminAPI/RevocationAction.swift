internal import Bytes
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

package enum RevocationAction: AdminAction, Equatable {
    case add(RevocationRequest)
    /// Lists revocations, newest first, at most `limit`, beginning after `after`.
    case list(RevocationFilter, after: UUIDv7?, limit: Int)
    case remove(UUIDv7)

    /// - Parameters:
    ///   - appID: the app whose revocations are listed; nil for all.
    ///   - userID: the person whose revocations are listed; nil for all.
    ///   - after: the value of `next` from an earlier page.
    package static func listing(appID: String?, userID: String?, after: String?, limit: Int?) throws(AdminProblem) -> RevocationAction {
        guard appID != nil || userID == nil else {
            throw AdminProblem("app_id", "missing; \(field: "app_id") and \(field: "user_id") name a person together.")
        }
        let filter: RevocationFilter =
            if let appID, let userID {
                .person(AppUser(appID: appID, userID: userID))
            } else if let appID {
                .app(appID)
            } else {
                .all
            }
        let last = try after.map { text throws(AdminProblem) in
            guard let id = UUIDv7(text) else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
            return id
        }
        return .list(filter, after: last, limit: limit ?? AdminAnswer.defaultLimit)
    }

    /// Creates a remove action; nil if the text is not a valid id.
    package static func removing(_ id: String) -> RevocationAction? { UUIDv7(id).map { .remove($0) } }

    package var change: String? {
        switch self {
        case .add: "revocations.add"
        case .list: nil
        case .remove: "revocations.remove"
        }
    }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .add(let wanted):
            if let problem = wanted.problem(context) { return problem }
            let scope = wanted.scope(now: context.sharedNow)
            let added = try context.revoke(
                wanted.appID, scope.subject, keyOf: wanted.keyHolder(context), issuedBefore: scope.issuedBefore, reason: wanted.reason)
            // For a revocation of one key, only the request may contain the person.
            let userID = wanted.userID ?? added.userID
            return AdminAnswer(
                status: 201, .object(added.json(context)), change: .removed(added.devicesRemoved),
                about: context.about(added, userID: userID))
        case .list(let filter, let after, let limit):
            // Requests one revocation more than the limit, to detect whether there are more.
            let found = try context.store.revocations(filter, after: after, limit: limit + 1)
            if found.isEmpty, let problem = context.problem(in: filter) { return problem }
            let shown = found.prefix(limit)
            return AdminAnswer([
                "revocations": .array(shown.map { .object($0.json(context)) }),
                "next": found.count > limit ? shown.last.map { .string($0.id.description) } ?? .null : .null,
            ])
        case .remove(let id):
            guard let removed = try context.remove(id) else { return Self.unknown }
            return AdminAnswer(["removed": 1], about: context.about(removed, userID: removed.userID))
        }
    }

    static let unknown = AdminAnswer.error(
        404, code: "not_found", message: "No revocation has this id. The revocation of a forgotten user is permanent.")
}

extension AdminContext {
    /// Revokes keys. When this returns, the revocation is active, and the devices that registered with these keys are signed out. If there
    /// are many devices, some may remain registered, but they receive nothing. If the keys of a person led to sessions at the help desk, an
    /// event also ends these sessions.
    /// - Parameter holder: the owner of the revoked key; nil when unknown.
    func revoke(
        _ appID: String, _ subject: Revocation.Subject, keyOf holder: AppUser? = nil, issuedBefore: UnixSeconds?, reason: String,
        announcing incoming: IncomingEvent? = nil
    ) throws(StoreError) -> Revocation {
        var random = SystemRandomNumberGenerator()
        var revocation = Revocation(
            id: UUIDv7(milliseconds: now, using: &random), appID: appID, subject: subject, issuedBefore: issuedBefore, reason: reason,
            author: author, createdAt: now)
        var ending: IncomingEvent?
        if case .user(let userID) = subject {
            ending = state.registryAudience.signOut(AppUser(appID: appID, userID: userID), at: now, using: &random)
        }
        let person = revocation.person ?? holder
        revocation.devicesRemoved = try store.revoke(
            revocation, of: person, announcing: incoming ?? ending, telling: state.registryAudience)
        onRevocation(.added(revocation))
        // Signs out devices last, because there may be many. The revocation is already active, and maintenance signs out the remaining
        // devices.
        guard person == nil else { return revocation }
        let others = try? store.signOutDevices(coveredBy: revocation, now: now, telling: state.registryAudience)
        revocation.devicesRemoved += others ?? 0
        return revocation
    }

    /// Removes a revocation. When this returns, the revocation is inactive, even if another replica has removed it.
    /// - Returns: the result of `Store.removeRevocation`.
    func remove(_ id: UUIDv7) throws(StoreError) -> Revocation? {
        let removed = try store.removeRevocation(id)
        onRevocation(removed.map { .removed($0.id) })
        return removed
    }

    func about(_ revocation: Revocation, userID: String?) -> [AuditField] {
        let (appID, reference) = (revocation.appID, userID.flatMap { userReference(revocation.appID, $0) })
        return [
            AuditField(name: "id", text: revocation.id.description), AuditField(name: "kind", text: revocation.kind.rawValue),
            AuditField(name: "app", text: appID),
        ] + (reference.map { [AuditField(name: "user_ref", text: $0)] } ?? [])
    }
}

extension Revocation {
    /// The kinds of revocations, as displayed to operators.
    enum Kind: String, CaseIterable {
        case securityKey = "security_key"
        case user, block, former
        case keyID = "key_id"
        case app
    }

    var kind: Kind {
        switch subject {
        case .everyKey: .app
        case .user: isBlock ? .block : .user
        case .formerUser: .former
        case .keyID: .keyID
        case .securityKey: .securityKey
        }
    }

    var userID: String? { if case .user(let userID) = subject { userID } else { nil } }

    static let members = [
        "id", "kind", "app_id", "user_id", "key_id", "salt", "issued_before", "reason", "author", "created_at", "devices_removed",
        "user_ref",
    ]

    func json(_ context: AdminContext) -> JSONObject {
        var (key, shownSalt): (JSONValue, JSONValue) = (.null, .null)
        if case .keyID(let id) = subject { key = .integer(Int64(id)) }
        if case .securityKey(let salt) = subject { shownSalt = .string(Hexadecimal.text(salt.span)) }
        return [
            "id": .string(id.description), "kind": .string(kind.rawValue), "app_id": .string(appID),
            "user_id": userID.map { .string($0) } ?? .null,
            "key_id": key, "salt": shownSalt,
            "issued_before": issuedBefore.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null, "reason": .string(reason),
            "author": .string(author), "created_at": .string(RFC3339.text(createdAt)),
            "devices_removed": .integer(Int64(devicesRemoved)),
            "user_ref": userID.flatMap { context.userReference(appID, $0) }.map { .string($0) } ?? .null,
        ]
    }
}
