import Postgres
import TestSupport

/// Another session that locks persons' rows and so blocks replicas.
final class Opponent {
    private let holder: Connection
    private let watcher: Connection

    init(_ address: String) throws {
        let settings = try ConnectionSettings(address.utf8.span)
        (holder, watcher) = (try Connection(settings, by: Self.patience), try Connection(settings, by: Self.patience))
        // Of two sessions in a deadlock the replica should detect it.
        try holder.run(Query("SET deadlock_timeout = '100s'"), by: Self.patience)
    }

    private static var patience: Deadline { .after(milliseconds: WaitLimit.milliseconds) }

    /// Locks persons, waits until a replica waits for one of them, and then calls `body` before it releases the locks.
    /// - Parameter persons: their ids, as a pattern of LIKE.
    /// - Returns: false when no replica waited.
    func block(_ persons: String, then body: () throws(PostgresError) -> Void) throws -> Bool {
        let own = try holder.run(Query("SELECT pg_backend_pid()"), by: Self.patience).one().int32(0)
        return try holder.transaction(by: Self.patience) { () throws(PostgresError) in
            // The load may not have stored any of them yet.
            guard eventually({ ((try? lock(persons)) ?? 0) > 0 }) else { return false }
            let query = Query("SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))", .int4(own))
            let isInTheWay = eventually { ((try? watcher.run(query, by: Self.patience).one().int64(0)) ?? 0) > 0 }
            if isInTheWay { try body() }
            return isInTheWay
        }
    }

    /// Locks persons, inside `block`.
    /// - Returns: the number of locked persons.
    @discardableResult
    func lock(_ persons: String) throws(PostgresError) -> Int {
        let sql: StaticString = "SELECT user_id FROM persons WHERE user_id LIKE $1 ORDER BY user_id FOR UPDATE"
        return try holder.run(Query(sql, .text(persons)), by: Self.patience).count
    }

    /// The number of deadlocks in the database that sessions have reported so far.
    func deadlocks() throws -> Int64 {
        try watcher.run(Query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), by: Self.patience).one()
            .int64(0)
    }
}
