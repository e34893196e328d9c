internal import Time

/// All revocations in force by id, from which snapshots are made. A value type with one owner. The time of a change does not depend on
/// their number, because snapshots share the unchanged parts.
package struct RevocationSet: Sendable {
    // In this order of members it takes 48 bytes; otherwise 64.
    private struct Entry: Sendable {
        let id: UUIDv7
        let subject: KeyedDigest
        /// `max` for all keys.
        let issuedBefore: UnixSeconds
        let kind: RevocationDigests.Kind
    }

    /// Keys for the salts of forgotten users: one, or several if replicas created them at the same time.
    private var formers: [FormerUserKey] = []
    private var table = RevocationTable()
    /// Divided like the table's shards, so that the entries of one subject are together.
    private var entries = [[Entry]](repeating: [], count: RevocationTable.shardCount)
    private var counts: [RevocationDigests.Kind: Int] = [:]

    package init() {}

    package static func snapshot(of revocation: Revocation) -> Revocations {
        var set = RevocationSet()
        set.apply(.added(revocation))
        return set.snapshot
    }

    package var snapshot: Revocations { Revocations(table, counts, formers: formers) }

    /// Applies a change; a known one has no effect.
    package mutating func apply(_ change: RevocationChange) {
        switch change {
        case .added(let revocation): add(revocation)
        case .removed(let id): remove(id)
        }
    }

    private mutating func add(_ revocation: Revocation) {
        if case .formerUser(let former) = revocation.subject { learn(salt: former.salt) }
        let bound = revocation.issuedBefore ?? .max
        for (subject, kind) in RevocationDigests.subjects(of: revocation) {
            let shard = RevocationTable.shard(of: subject)
            guard !entries[shard].contains(where: { $0.id == revocation.id && $0.kind == kind }) else { return }
            entries[shard].append(Entry(id: revocation.id, subject: subject, issuedBefore: bound, kind: kind))
            counts[kind, default: 0] += 1
            // The latest of a subject's bounds applies.
            table.set(subject, max(bound, table.issuedBefore(subject) ?? bound))
        }
    }

    private mutating func learn(salt: [UInt8]) {
        if !formers.contains(where: { $0.salt == salt }) { formers.append(FormerUserKey(salt: salt)) }
    }

    private mutating func remove(_ id: UUIDv7) {
        // Removals are rare, so there is no index by id. A key id has two entries, which may be in one shard.
        for shard in entries.indices {
            while let index = entries[shard].firstIndex(where: { $0.id == id }) {
                let removed = entries[shard].remove(at: index)
                counts[removed.kind, default: 0] -= 1
                table.set(removed.subject, entries[shard].lazy.filter { $0.subject == removed.subject }.map(\.issuedBefore).max())
            }
        }
    }
}

extension Store {
    /// Calls `body` with every revocation, read in pages; other calls of the store run between them.
    private func forEachRevocation(_ body: (Revocation) -> Void) throws(StoreError) {
        let rowsPerPage = 5000
        var last: UUIDv7?
        while true {
            let page = try revocations(of: nil, after: last, limit: rowsPerPage)
            for revocation in page { body(revocation) }
            guard page.count == rowsPerPage else { return }
            last = page.last?.id
        }
    }

    /// All revocations, read in pages; other calls of the store run between them.
    package func allRevocations() throws(StoreError) -> [Revocation] {
        var revocations: [Revocation] = []
        try forEachRevocation { revocations.append($0) }
        return revocations
    }

    package func revocationSet() throws(StoreError) -> RevocationSet {
        var set = RevocationSet()
        try forEachRevocation { set.apply(.added($0)) }
        return set
    }
}
