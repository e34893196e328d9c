internal import Core
internal import Postgres
internal import Time

/// A copy with the database as its source or target.
struct PostgresCopy: Equatable {
    /// The role of the database in a copy.
    enum Role: Int32 {
        case source = 0
        /// Its rows are incomplete, and no service may use it.
        case unfinished = 1
        /// A target with all rows that no service has used yet.
        case finished = 2
    }

    let id: Int64
    let role: Role
}

/// Excludes copies and services from each other.
///
/// A service that starts holds a shared lock until its heartbeat is committed; a copy takes the lock exclusively, and then searches for
/// heartbeats. So neither misses the other. The lock lasts for a transaction, because poolers change the connection between transactions.
extension PostgresSession {
    static let copyUnderWay = StoreError(
        .unavailable, "deskgate store copy reads this database, or is starting",
        remedy: "wait until it has ended, or end it: events accepted now would be missing in the copy")

    /// Whether no copy is running; until the transaction ends none can begin.
    func sharesWithServices() throws(PostgresError) -> Bool {
        try run([Query(CopyStatements.share, .int8(try lockNumber()))])[0].one().bool(0)
    }

    /// A different number for each schema, because PostgreSQL's advisory locks belong to the whole database.
    private func lockNumber() throws(PostgresError) -> Int64 { shortDigest(of: "deskgate store copy", try place().schema ?? "") }

    /// Prevents services from starting until the transaction ends.
    /// - Returns: the error that prevents a copy, with the remedy; nil when there is none.
    func excludeServices() throws(PostgresError) -> StoreError? {
        guard try run([Query(CopyStatements.exclude, .int8(try lockNumber()))])[0].one().bool(0) else {
            return StoreError(
                .unavailable, "another copy is under way, or a service is just starting", remedy: "look for it and try again")
        }
        _ = try run([Query(CopyStatements.stayOpen)])
        return try runningServices()
    }

    /// Returns an error that services are running, with the remedy; nil when none has sent a heartbeat recently.
    func runningServices() throws(PostgresError) -> StoreError? {
        let live = try run([Query(CopyStatements.live, .int8(Self.deadMilliseconds))])[0].one().int64(0)
        guard live > 0 else { return nil }
        return StoreError(
            .unavailable, "\(live) running service\(live == 1 ? " uses" : "s use") this database",
            remedy: "stop all of them (after a kill -9, wait 30 seconds)")
    }

    func missingPrivilege() throws(PostgresError) -> StoreError? {
        let row = try run([Query(CopyStatements.mayCount)])[0].one()
        if try row.bool(0) { return nil }
        let role = try row.string(1)
        return StoreError(
            .unavailable, "\(role) may not set the sequences of the tables",
            remedy: "have their owner run: deskgate store migrate --url - --grant \(role)")
    }

    /// The copy of which the database is the source or target; nil when there is none, or a service has started since.
    func copy() throws(PostgresError) -> PostgresCopy? {
        guard let row = try run([Query(CopyStatements.find)])[0].first else { return nil }
        guard let role = PostgresCopy.Role(rawValue: try row.int32(1)) else { throw row.mismatch(1, "is not a role of a copy") }
        return PostgresCopy(id: try row.int64(0), role: role)
    }

    /// Returns the error of an unfinished copy that keeps a service from using the database; nil when there is none.
    func unfinishedCopy(_ place: DatabaseInfo) throws(PostgresError) -> StoreError? {
        guard place.version >= Self.firstVersionWithCopies, try copy()?.role == .unfinished else { return nil }
        return StoreError(
            .unavailable, "this database holds an unfinished copy of another store",
            remedy: "continue it: deskgate store copy --to postgres")
    }

    /// The version of the schema with this table.
    private static let firstVersionWithCopies = 4

    /// Makes the database the source or target of a copy, replacing an earlier one.
    static func setCopy(_ id: Int64, _ role: PostgresCopy.Role) -> Query { Query(CopyStatements.set, .int8(id), .int4(role.rawValue)) }

    /// Deletes the records of copies, because a service changes the rows from now on.
    static var clearCopies: Query { Query(CopyStatements.clear) }

    /// The offset of the database's clock from this machine's, in milliseconds; positive when it is ahead.
    func clockOffset(_ clock: @escaping @Sendable () -> UnixMilliseconds) throws(PostgresError) -> ClockOffset {
        let sinceBoot = SystemClock.bootMilliseconds()
        let row = try run([PostgresSession.timeQuery])[0].one()
        let way = (SystemClock.bootMilliseconds() - sinceBoot) / 2
        return DatabaseClock(showing: try row.time(0), at: sinceBoot + way, within: way, beside: clock).offset(for: clock())
    }
}

private enum CopyStatements {
    static let share: StaticString = "SELECT pg_try_advisory_xact_lock_shared($1)"
    static let exclude: StaticString = "SELECT pg_try_advisory_xact_lock($1)"
    // The transaction that holds the lock is idle while others copy.
    static let stayOpen: StaticString = "SELECT set_config('idle_in_transaction_session_timeout', '0', true)"
    static let live: StaticString = """
        SELECT count(*) FROM replicas WHERE seen_at >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
        """
    static let mayCount: StaticString = """
        SELECT has_sequence_privilege(pg_get_serial_sequence('apps', 'number'), 'UPDATE')
            AND has_sequence_privilege(pg_get_serial_sequence('events', 'number'), 'UPDATE'), current_user::text
        """
    static let find: StaticString = "SELECT id, role FROM copies ORDER BY role LIMIT 1"
    static let set: StaticString = """
        WITH former AS (DELETE FROM copies WHERE id <> $1)
        INSERT INTO copies (id, role) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET role = excluded.role
        """
    static let clear: StaticString = "DELETE FROM copies"
}
