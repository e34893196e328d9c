package import Core
internal import SQLite
internal import Time

/// Revocations.
extension SQLiteStore {
    /// As `Store` says.
    package func revoke(_ revocation: Revocation, announcing arrival: Arrival?) throws(StoreError) {
        try queue.perform { database throws(SQLiteError) in
            try database.revoke(revocation)
            if let arrival { try database.announce(arrival) }
        }
    }

    /// As `Store` says.
    package func formerSalt() throws(StoreError) -> [UInt8]? {
        try read(listReader) { database throws(SQLiteError) in try database.formerSalt() }
    }

    /// As `Store` says.
    package func revocations(of person: RevokedPerson?, after: UUIDv7?, limit: Int) throws(StoreError) -> [Revocation] {
        StoreRules.check(limit: limit)
        return try read(listReader) { database throws(SQLiteError) in try database.revocations(of: person, after: after, limit: limit) }
    }

    /// As `Store` says.
    package func removeRevocation(_ id: UUIDv7) throws(StoreError) -> Revocation? {
        let now = SystemClock.unixMilliseconds()
        return try queue.perform { database throws(SQLiteError) in try database.removeRevocation(id, now: now) }
    }

    /// As `Store` says; operators' lists do not delay it.
    package func revocationNews(since version: Int64?) throws(StoreError) -> RevocationNews {
        try read(metricsReader) { database throws(SQLiteError) in try database.revocationNews(since: version) }
    }
}
