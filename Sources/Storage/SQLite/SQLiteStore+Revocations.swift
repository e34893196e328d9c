package import Core
internal import SQLite
internal import Time

extension SQLiteStore {
    package func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try queue.perform { database throws(SQLiteError) in
            try database.revoke(revocation, of: person, incoming: incoming, audience: audience)
        }
    }

    package func formerSalt() throws(StoreError) -> [UInt8]? {
        try read(listReader) { database throws(SQLiteError) in try database.formerSalt() }
    }

    package func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        StoreRules.check(limit: limit)
        return try read(listReader) { database throws(SQLiteError) in try database.revocations(filter, after: after, limit: limit) }
    }

    package func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? {
        let now = SystemClock.unixMilliseconds()
        return try queue.perform { database throws(SQLiteError) in try database.removeRevocation(id, now: now) }
    }

    /// Uses a connection that operators' lists do not delay.
    package func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges {
        try read(metricsReader) { database throws(SQLiteError) in try database.revocationChanges(since: version) }
    }
}

extension SQLiteStore: RevocationSweeper {
    func unsweptRevocation() throws(StoreError) -> Revocation? {
        try read(metricsReader) { database throws(SQLiteError) in try database.unsweptRevocation() }
    }

    func devices(coveredBy revocation: Revocation, after: Device.Key?) throws(StoreError) -> (found: [Device.Key], next: Device.Key?) {
        let (rows, limit) = (Int(settings.eventsPerStep), settings.rowsPerCommit)
        return try read(listReader) { database throws(SQLiteError) in
            try database.devices(coveredBy: revocation, after: after, rows: rows, limit: limit)
        }
    }

    func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        try queue.perform { database throws(SQLiteError) in try database.signOut(persons, coveredBy: revocation, now: now, audience) }
    }

    func finishSweep(of revocation: UUIDv7) throws(StoreError) {
        try queue.perform { database throws(SQLiteError) in try database.revocationStatements.finishSweep.run(revocation.bytes) }
    }
}
