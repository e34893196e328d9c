package import Core
internal import Postgres
internal import Time

/// Operations on revocations; each change is a separate transaction.
extension PostgresStore {
    package func revoke(
        _ revocation: Revocation, of person: AppUser?, announcing incoming: IncomingEvent?, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        let offset = offset(for: revocation.createdAt)
        return try change(telling: audience) { batch throws(PostgresError) in
            try batch.unit.session.revoke(revocation, isSwept: person != nil || revocation.namesPerson, offset)
            if let incoming { try batch.announce(offset.databaseTime(incoming)) }
            guard let person else { return 0 }
            // Devices are selected after the revocation is written: a concurrent registration that holds the person's lock does not see the
            // revocation, but this statement waits for the lock and sees the registered device.
            return try batch.signOut([person], coveredBy: revocation, now: offset.databaseTime(revocation.createdAt))
        }
    }

    package func formerSalt() throws(StoreError) -> [UInt8]? { try read { session throws(PostgresError) in try session.formerSalt() } }

    package func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? {
        let offset = offset(for: clock())
        return try upkeep { work throws(PostgresError) in try work.session.removeRevocation(id, offset) }
    }

    package func revocations(_ filter: RevocationFilter, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        StoreRules.check(limit: limit)
        let offset = offset(for: clock())
        return try read { session throws(PostgresError) in
            try session.revocations(filter, after: after, limit: limit, offset)
        }
    }

    /// Uses the connection `watcher`.
    package func revocationChanges(since version: Int64?) throws(StoreError) -> RevocationChanges {
        let offset = offset(for: clock())
        return try ask(on: watcher) { session throws(PostgresError) in try session.revocationChanges(since: version, offset) }
    }
}

extension PostgresStore: RevocationSweeper {
    func unsweptRevocation() throws(StoreError) -> Revocation? {
        let offset = offset(for: clock())
        return try ask(on: watcher) { session throws(PostgresError) in try session.unsweptRevocation(offset) }
    }

    func devices(coveredBy revocation: Revocation, after: Device.Key?) throws(StoreError) -> (found: [Device.Key], next: Device.Key?) {
        try read { session throws(PostgresError) in
            try session.devices(coveredBy: revocation, after: after, rows: settings.eventsPerStep, limit: settings.rowsPerCommit)
        }
    }

    func signOut(
        _ persons: [AppUser], coveredBy revocation: Revocation, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        let now = offset(for: now).databaseTime(now)
        return try change(telling: audience) { batch throws(PostgresError) in
            try batch.signOut(persons, coveredBy: revocation, now: now)
        }
    }

    func finishSweep(of revocation: UUIDv7) throws(StoreError) {
        try upkeep { work throws(PostgresError) in try work.session.finishSweep(of: revocation) }
    }
}
