internal import Core

/// The revocations of a memory store. All changes are kept, because the store has no other record of removals.
struct MemoryRevocations {
    /// All revocations, sorted by id.
    private var all: [Revocation] = []
    /// All changes in their order. The version is the number of changes.
    private var changes: [RevocationChange] = []
    private(set) var known = KnownRevocations()

    mutating func add(_ revocation: Revocation) {
        // Searches backward, because most ids belong at the end.
        all.insert(revocation, at: all.lastIndex { $0.id < revocation.id }.map { $0 + 1 } ?? 0)
        changes.append(.added(revocation))
        known.apply(.added(revocation))
    }

    mutating func note(devices count: Int, removedBy id: UUIDv7) {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return }
        all[index].devicesRemoved += count
    }

    mutating func remove(_ id: UUIDv7) -> Revocation? {
        guard let index = all.firstIndex(where: { $0.id == id && !$0.isOfForgottenPerson }) else { return nil }
        changes.append(.removed(id))
        known.apply(.removed(id))
        return all.remove(at: index)
    }

    func list(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) -> [Revocation] {
        let found = all.reversed().lazy.filter { revocation in
            guard after.map({ revocation.id < $0 }) ?? true else { return false }
            return switch filter {
            case .all: true
            case .app(let appID): revocation.appID.utf8.elementsEqual(appID.utf8)
            case .person(let person): revocation.names(person)
            }
        }
        return Array(found.prefix(limit))
    }

    var salt: [UInt8]? { all.lazy.compactMap { RevokedColumns($0.subject).former }.first }

    func changes(since version: Int64?) -> RevocationChanges {
        let last = Int64(changes.count)
        guard let version, version <= last else { return RevocationChanges(changes: [], version: last, isComplete: version == nil) }
        let new = changes[Int(version)...].prefix(RevocationRules.changesPerPage)
        return RevocationChanges(changes: Array(new), version: version + Int64(new.count), isComplete: true)
    }
}
