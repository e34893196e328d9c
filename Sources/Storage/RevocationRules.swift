internal import Core
internal import Time

/// The rules of revocations that all stores share.
enum RevocationRules {
    /// How many changes news have at most.
    static let changesPerNews = 5000
    /// How long a removal is remembered for processes that have not heard of it, in milliseconds. Who asks later reads everything again.
    static let removalMilliseconds: UInt64 = 24 * 3600 * 1000

    /// The versions that a store keeps with its revocations.
    struct Versions: Equatable {
        /// Of the last change.
        let last: Int64
        /// Of the last removal that is not remembered any more.
        let forgotten: Int64
    }

    /// Whether the changes since a version can be told.
    static func knows(_ version: Int64, _ versions: Versions) -> Bool { version >= versions.forgotten && version <= versions.last }

    /// The news of a version, from the additions and removals after it, each of them by rising version and at most `changesPerNews`.
    static func news(
        _ added: [(version: Int64, change: RevocationChange)], _ removed: [(version: Int64, change: RevocationChange)], _ versions: Versions
    ) -> RevocationNews {
        // Beyond the end of a list that was cut, changes of the other one would come too early.
        var until = versions.last
        for list in [added, removed] where list.count >= changesPerNews { until = min(until, list.last?.version ?? until) }
        let changes = (added + removed).filter { $0.version <= until }.sorted { $0.version < $1.version }
        return RevocationNews(changes: changes.map(\.change), version: until, isComplete: true)
    }
}

extension Revocation {
    /// Whether it is about a person who was forgotten.
    var isOfFormer: Bool { if case .formerUser = subject { true } else { false } }

    /// Whether it names this person, or a former one by `FormerUser.name`.
    func names(_ person: RevokedPerson) -> Bool {
        guard let userID = RevokedColumns(subject).userID else { return false }
        return appID.utf8.elementsEqual(person.appID.utf8) && userID.utf8.elementsEqual(person.userID.utf8)
    }
}

/// A revocation's subject as columns, of which at most one has a value; none for all keys of the app. A former person has the digest in the
/// place of the id, and the digest's salt beside it.
struct RevokedColumns {
    let userID: String?
    let salt: [UInt8]?
    let keyID: Int64?
    let former: [UInt8]?

    init(userID: String?, salt: [UInt8]?, keyID: Int64?, former: [UInt8]? = nil) {
        self.userID = userID
        self.salt = salt
        self.keyID = keyID
        self.former = former
    }

    init(_ subject: Revocation.Subject) {
        switch subject {
        case .everyKey: self.init(userID: nil, salt: nil, keyID: nil)
        case .user(let userID): self.init(userID: userID, salt: nil, keyID: nil)
        case .formerUser(let former): self.init(userID: former.name, salt: nil, keyID: nil, former: former.salt)
        case .keyID(let id): self.init(userID: nil, salt: nil, keyID: Int64(id))
        case .securityKey(let salt): self.init(userID: nil, salt: salt, keyID: nil)
        }
    }

    /// The subject; nil for a salt, key id or digest that this program never writes.
    var subject: Revocation.Subject? {
        if let former { return userID.flatMap { FormerUser(name: $0, salt: former) }.map { .formerUser($0) } }
        if let userID { return .user(userID) }
        if let salt { return salt.count == 16 ? .securityKey(salt: salt) : nil }
        if let keyID { return UInt32(exactly: keyID).map { .keyID($0) } }
        return .everyKey
    }
}
