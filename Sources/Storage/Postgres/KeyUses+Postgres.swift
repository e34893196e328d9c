package import Core
internal import Postgres
internal import Threading
internal import Time

/// The last uses of keys, and the keys that each process sharing the database has in force.
extension PostgresStore {
    package func record(_ uses: [KeyUse]) throws(StoreError) {
        let offset = offset(for: clock())
        // Sorts the uses, so that all processes lock the rows in the same order.
        let uses = offset.databaseTime(uses.sorted { $0.name < $1.name })
        let query = Query(
            KeyUseStatements.record,
            [
                .storedArray(uses.map(\.appID)), .int8Array(uses.map { Int64($0.keyID) }),
                .int8Array(uses.map(\.since.stored)),
                .int8Array(uses.map { $0.usedAt?.stored }),
            ])
        try use { session throws(PostgresError) in try session.transaction { _ throws(PostgresError) in ((), [query]) } }
    }

    package func keyUses() throws(StoreError) -> [KeyUse] {
        let offset = offset(for: clock())
        return try read { session throws(PostgresError) in
            var uses: [KeyUse] = []
            for row in try session.run([Query(KeyUseStatements.all)])[0] {
                uses.append(
                    KeyUse(
                        appID: try row.stored(0), keyID: UInt32(clamping: try row.int64(1)), since: try row.time(2),
                        usedAt: try row.optionalTime(3)))
            }
            return offset.localTime(uses)
        }
    }

    package func announce(keysDigest: String) { status.withLock { $0.keysDigest = keysDigest } }

    package var replicas: [Replica] {
        status.withLock { status in
            (status.heartbeat?.replicas ?? []).map { replica in
                // For its own row, this process uses its current digest, which may be newer than the last heartbeat.
                replica.isOwn
                    ? Replica(id: replica.id, isOwn: true, silentMilliseconds: 0, keysDigest: status.keysDigest) : replica
            }
        }
    }
}

private enum KeyUseStatements {
    static let record: StaticString = """
        INSERT INTO key_uses (app_id, key_id, since, used_at)
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
        ON CONFLICT (app_id, key_id) DO UPDATE SET
            since = least(key_uses.since, excluded.since), used_at = greatest(key_uses.used_at, excluded.used_at)
        """
    static let all: StaticString = "SELECT app_id, key_id, since, used_at FROM key_uses ORDER BY app_id, key_id"
}
