internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    func revoke(
        _ revocation: Revocation, of person: AppUser?, incoming: IncomingEvent?, audience: RegistryAudience
    ) throws(SQLiteError) -> Int {
        let app = try apps.number(revocation.appID, self)
        let columns = RevokedColumns(revocation.subject)
        try revocationStatements.insert.run(
            try nextRevocationVersion(), revocation.id.bytes, app, columns.userID, columns.salt, columns.keyID,
            revocation.issuedBefore?.rawValue.stored, revocation.reason, revocation.author, revocation.createdAt.stored, columns.former,
            person != nil || revocation.namesPerson ? 1 : 0 as Int64)
        revocations?.apply(.added(revocation))
        if let incoming { try announce(incoming) }
        guard let person else { return 0 }
        return try signOut([person], coveredBy: revocation, now: revocation.createdAt, audience)
    }

    /// Signs out the devices of persons that a revocation covers, and adds them to the revocation's count.
    func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds, _ audience: RegistryAudience
    ) throws(SQLiteError) -> Int {
        let revoked = RevocationSet.snapshot(of: revocation)
        var count = 0
        for person in persons {
            let (removed, changes) = try RegistryTransition.revoke(revoked, of: person, now: now, in: self)
            try apply(changes, audience)
            count += removed
        }
        if count > 0 { try revocationStatements.countRemoved.run(revocation.id.bytes, count) }
        return count
    }

    /// - Parameter now: removals older than a day are no longer reported.
    func removeRevocation(_ id: UUIDv7, now: UnixMilliseconds) throws(SQLiteError) -> Revocation? {
        var removed: Revocation?
        try revocationStatements.find.forEachRow(id.bytes) { row throws(SQLiteError) in removed = try Revocation(row) }
        guard let removed else { return nil }
        // This deletes the reason and the person from the file.
        noteForgotten()
        try revocationStatements.delete.run(id.bytes)
        revocations?.apply(.removed(id))
        try revocationStatements.remember.run(try nextRevocationVersion(), id.bytes, now.stored)
        var last: Int64?
        try revocationStatements.lastForgotten.forEachRow(now.saturating(subtracting: RevocationRules.removalMilliseconds).stored) {
            row throws(SQLiteError) in last = row.isNull(0) ? nil : try row.int64(0)
        }
        if let last {
            try revocationStatements.noteForgotten.run(last)
            try revocationStatements.forget.run(last)
        }
        return removed
    }

    /// Read only once, because the writer's thread itself makes every change.
    func revocations(appID: String, userID: String) throws(SQLiteError) -> Revocations {
        if let revocations { return revocations.current }
        var known = KnownRevocations()
        try known.change { set throws(SQLiteError) in
            try revocationStatements.all.forEachRow { row throws(SQLiteError) in set.apply(.added(try Revocation(row))) }
        }
        revocations = known
        return known.current
    }

    private func nextRevocationVersion() throws(SQLiteError) -> Int64 {
        var version: Int64 = 0
        try revocationStatements.nextVersion.forEachRow { row throws(SQLiteError) in version = try row.int64(0) }
        return version
    }
}

extension ReadingDatabase {
    func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(SQLiteError) -> [Revocation] {
        var found: [Revocation] = []
        let before = after?.bytes ?? Self.afterAllIDs
        switch filter {
        case .all:
            try revocationQueries.all.forEachRow(before, limit) { row throws(SQLiteError) in found.append(try Revocation(row)) }
        case .app(let appID):
            try revocationQueries.ofApp.forEachRow(before, limit, appID) { row throws(SQLiteError) in found.append(try Revocation(row)) }
        case .person(let person):
            try revocationQueries.ofPerson.forEachRow(before, limit, person.appID, person.userID) { row throws(SQLiteError) in
                found.append(try Revocation(row))
            }
        }
        return found
    }

    func unsweptRevocation() throws(SQLiteError) -> Revocation? {
        var found: Revocation?
        try revocationQueries.unswept.forEachRow { row throws(SQLiteError) in found = try Revocation(row) }
        return found
    }

    /// Selects devices for `RevocationSweeper`; `RegistryTransition` makes the decision.
    func devices(
        coveredBy revocation: Revocation, after: Device.Key?, rows: Int, limit: Int
    ) throws(SQLiteError) -> (found: [Device.Key], next: Device.Key?) {
        let (statement, columns) = (revocationQueries.covered, RevokedColumns(revocation.subject))
        defer { statement.reset() }
        statement.bind(revocation.appID, at: 1)
        statement.bind(after?.userID ?? "", at: 2)
        statement.bind(after?.deviceID ?? "", at: 3)
        statement.bind(columns.salt, at: 4)
        statement.bind(columns.keyID, at: 5)
        statement.bind(revocation.issuedBefore?.rawValue.stored, at: 6)
        statement.bind(rows, at: 7)
        statement.bind(revocation.id.bytes, at: 8)
        var (found, count) = ([Device.Key](), 0)
        while try statement.step() {
            count += 1
            let isCovered = try statement.int64(2) != 0
            guard isCovered || count == rows else { continue }
            let key = Device.Key(appID: revocation.appID, userID: try statement.string(0), deviceID: try statement.string(1))
            if isCovered { found.append(key) }
            if found.count == limit || count == rows { return (found, key) }
        }
        return (found, nil)
    }

    /// Sorts after every id.
    private static let afterAllIDs = [UInt8](repeating: 0xFF, count: 17)

    func formerSalt() throws(SQLiteError) -> [UInt8]? {
        var salt: [UInt8]?
        try revocationQueries.salt.forEachRow { row throws(SQLiteError) in salt = try row.optionalBytes(0) }
        return salt
    }

    func revocationChanges(since version: Int64?) throws(SQLiteError) -> RevocationChanges {
        defer { revocationQueries.versions.reset() }
        // The first statement stays open, so that all statements read the same snapshot.
        let hasChanges = try revocationQueries.versions.step()
        let versions =
            hasChanges
            ? RevocationRules.Versions(
                last: try revocationQueries.versions.int64(0), forgotten: try revocationQueries.versions.int64(1))
            : RevocationRules.Versions(last: 0, forgotten: 0)
        guard let version, version != versions.last else { return RevocationChanges(changes: [], version: versions.last, isComplete: true) }
        guard RevocationRules.knows(version, versions) else {
            return RevocationChanges(changes: [], version: versions.last, isComplete: false)
        }
        var (added, removed) = ([(version: Int64, change: RevocationChange)](), [(version: Int64, change: RevocationChange)]())
        try revocationQueries.added.forEachRow(version, RevocationRules.changesPerPage) { row throws(SQLiteError) in
            added.append((try row.int64(0), .added(try Revocation(row))))
        }
        try revocationQueries.removed.forEachRow(version, RevocationRules.changesPerPage) { row throws(SQLiteError) in
            removed.append((try row.int64(0), .removed(try row.uuidv7(1))))
        }
        return RevocationRules.changes(added, removed: removed, versions: versions)
    }
}
