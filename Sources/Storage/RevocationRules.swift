internal import Core
internal import Time

/// The rules of revocations that all stores share.
enum RevocationRules {
    /// The maximum number of changes in a page.
    static let changesPerPage = 5000
    /// Milliseconds for which a removal is recorded for processes that have not read it. A process that polls later reads all revocations
    /// again.
    static let removalMilliseconds: UInt64 = 24 * 3600 * 1000

    /// The versions that a store keeps with its revocations.
    struct Versions: Equatable {
        let last: Int64
        /// The version of the last removal that is no longer recorded.
        let forgotten: Int64
    }

    /// Whether the changes since a version are known.
    static func knows(_ version: Int64, _ versions: Versions) -> Bool { version >= versions.forgotten && version <= versions.last }

    /// The changes since a version, from the additions and removals after it, each by ascending version and at most `changesPerPage`.
    static func changes(
        _ added: [(version: Int64, change: RevocationChange)], removed: [(version: Int64, change: RevocationChange)], versions: Versions
    ) -> RevocationChanges {
        // After the end of a truncated list, changes of the other one would come too early.
        var until = versions.last
        for list in [added, removed] where list.count >= changesPerPage { until = min(until, list.last?.version ?? until) }
        let changes = (added + removed).filter { $0.version <= until }.sorted { $0.version < $1.version }
        return RevocationChanges(changes: changes.map(\.change), version: until, isComplete: true)
    }
}

/// The revocations of a store in a form for looking up keys, and their snapshot.
struct KnownRevocations {
    private var set = RevocationSet()
    private(set) var current = Revocations.none

    /// Adds all revocations that `read` returns at once.
    mutating func change<Failure: Error>(_ read: (inout RevocationSet) throws(Failure) -> Void) throws(Failure) {
        try read(&set)
        current = set.snapshot
    }

    mutating func apply(_ change: RevocationChange) {
        self.change { $0.apply(change) }
    }
}

extension Revocation {
    /// Whether it is for a forgotten person.
    var isOfForgottenPerson: Bool { if case .formerUser = subject { true } else { false } }

    /// Whether it is for one person, named or forgotten.
    var namesPerson: Bool { RevokedColumns(subject).userID != nil }

    var isOfOneKey: Bool { if case .securityKey = subject { true } else { false } }

    /// Whether it is for this person, named or forgotten (`FormerUser.name`).
    func names(_ person: AppUser) -> Bool {
        guard let userID = RevokedColumns(subject).userID else { return false }
        return appID.utf8.elementsEqual(person.appID.utf8) && userID.utf8.elementsEqual(person.userID.utf8)
    }
}
