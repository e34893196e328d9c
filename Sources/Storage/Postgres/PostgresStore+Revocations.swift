package import Core
internal import Postgres

/// Revocations, each change a transaction of its own.
extension PostgresStore {
    /// As `Store` says.
    package func revoke(_ revocation: Revocation, announcing arrival: Arrival?) throws(StoreError) {
        let offset = offset(for: revocation.createdAt)
        try upkeep { work throws(PostgresError) in
            try work.session.revoke(revocation, offset)
            if let arrival { try work.batch.announce(offset.stored(arrival)) }
        }
    }

    /// As `Store` says.
    package func formerSalt() throws(StoreError) -> [UInt8]? { try read { session throws(PostgresError) in try session.formerSalt() } }

    /// As `Store` says.
    package func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? {
        let offset = offset(for: clock())
        return try upkeep { work throws(PostgresError) in try work.session.removeRevocation(id, offset) }
    }

    /// As `Store` says.
    package func revocations(of person: RevokedPerson?, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        StoreRules.check(limit: limit)
        let offset = offset(for: clock())
        return try read { session throws(PostgresError) in
            try session.revocations(of: person, after: after, limit: limit, offset)
        }
    }

    /// As `Store` says, on a connection of its own.
    package func revocationNews(since version: Int64?) throws(StoreError) -> RevocationNews {
        let offset = offset(for: clock())
        return try ask(on: watcher) { session throws(PostgresError) in try session.revocationNews(since: version, offset) }
    }
}
