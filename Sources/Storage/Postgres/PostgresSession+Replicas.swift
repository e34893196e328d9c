internal import Core
internal import Postgres
internal import Time

/// Which processes work on the database, and what those that are dead have left.
extension PostgresSession {
    /// How often a process says that it lives, in milliseconds.
    static let heartbeatMilliseconds: UInt64 = 5000
    /// After how many milliseconds of silence a process counts as dead: its leases go to the others.
    private static let deadMilliseconds: Int64 = 30_000

    /// Says that this process lives.
    /// - Parameter clock: reads this machine's clock.
    /// - Returns: by how many milliseconds the database's clock is ahead of this machine's; negative when it is behind.
    func beat(_ clock: () -> UnixMilliseconds) throws(PostgresError) -> Int64 {
        let before = clock()
        let row = try run([Query(ReplicaStatements.beat, .uuid(replica))])[0].one()
        let way = before.remaining(until: clock()) / 2
        return try row.time(0).offset(from: before + way)
    }

    /// Gives back what dead processes had leased, due since their attempts began, and notes that those were interrupted.
    /// - Returns: how many deliveries.
    @discardableResult
    func releaseLeasesOfTheDead() throws(PostgresError) -> Int {
        let interrupted = Parameter.stored(StoreRules.interrupted)
        let results = try run([
            Query(ReplicaStatements.release, .int8(Self.deadMilliseconds), interrupted),
            Query(ReplicaStatements.forget, .int8(120 * Self.deadMilliseconds)),
        ])
        try forgetMarks()
        return results[0].count
    }

    /// Says that this process is gone, so that nobody waits for it.
    func leave() throws(PostgresError) {
        _ = try run([Query(ReplicaStatements.leave, .uuid(replica))])
    }
}

private enum ReplicaStatements {
    static let beat: StaticString = """
        INSERT INTO replicas (id, seen_at) VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING seen_at
        """
    static let release: StaticString = """
        WITH lost AS MATERIALIZED (
            SELECT event, position, attempts FROM deliveries
            WHERE owner IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM replicas WHERE id = owner AND seen_at >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1)
            LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED
        ), told AS (
            UPDATE attempts SET outcome = $2, reason = $2 FROM lost
            WHERE attempts.event = lost.event AND attempts.position = lost.position AND attempts.number = lost.attempts AND outcome = ''
            RETURNING attempts.event, attempts.position, started_at
        )
        UPDATE deliveries SET due_at = started_at, reason = $2, owner = NULL FROM told
        WHERE deliveries.event = told.event AND deliveries.position = told.position
        RETURNING deliveries.event
        """
    static let forget: StaticString = """
        DELETE FROM replicas WHERE seen_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE owner = id)
        """
    static let leave: StaticString = "DELETE FROM replicas WHERE id = $1"
}
