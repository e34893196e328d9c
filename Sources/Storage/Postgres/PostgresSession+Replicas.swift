internal import Core
internal import Postgres
internal import Time

/// The processes that use the database, and the leases of dead ones.
extension PostgresSession {
    /// The silence, in milliseconds, after which a process is considered dead, in the type of a statement parameter.
    static let deadMilliseconds = Int64(Replica.deadMilliseconds)

    /// Registers this process as a replica, unless a copy reads or fills the database.
    /// - Returns: the reason for a rejection, with the remedy; nil when the process is registered.
    func enter() throws(PostgresError) -> StoreError? {
        try transaction { session throws(PostgresError) in
            guard try session.sharesWithServices() else { return (Self.copyUnderWay, []) }
            if let obstacle = try session.unfinishedCopy(try session.place()) { return (obstacle, []) }
            return (nil, [beat(keysDigest: nil), Self.clearCopies])
        }
    }

    /// Sends a heartbeat, compares the clocks, and cleans up after other processes, in one round trip.
    ///
    /// Releases the leases of dead processes and marks their attempts as interrupted. Deletes the rows of processes that are gone, and sums
    /// up the rows of changes to the queue's depth and to the numbers of dead deliveries.
    /// - Parameters:
    ///   - keysDigest: the digest of the keys that this process has in force; nil before it is set.
    ///   - clock: reads this machine's clock.
    func beat(keysDigest: String?, _ clock: @escaping @Sendable () -> UnixMilliseconds) throws(PostgresError) -> Heartbeat {
        let (sinceBoot, sentAt) = (SystemClock.bootMilliseconds(), SystemClock.monotonicMilliseconds())
        let results = try run([
            beat(keysDigest: keysDigest),
            Self.release,
            Query(ReplicaStatements.forget, .int8(120 * Self.deadMilliseconds)),
            Query(ReplicaStatements.sumDepth),
            Self.forgetMarks,
            Query(ReplicaStatements.all, .uuid(replica)),
            PostgresSession.timeQuery,
            Query(ReplicaStatements.isDepthUncounted),
            Query(ReplicaStatements.sumDead),
            Self.forgetQuestions,
        ])
        let row = try results[0].one()
        let (began, ended) = (try row.time(0), try results[6].one().time(0))
        let elapsed = SystemClock.bootMilliseconds() - sinceBoot
        let onTheWay = elapsed.subtractingReportingOverflow(began.remaining(until: ended))
        let way = onTheWay.overflow ? 0 : onTheWay.partialValue / 2
        let database = DatabaseClock(showing: began, at: sinceBoot + way, within: way, beside: clock)
        return Heartbeat(
            sentAt: sentAt, clock: database, isFirst: try row.bool(1), replicas: try Self.replicas(results[5]),
            isDepthUncounted: try results[7].one().bool(0))
    }

    /// Counts pending deliveries by app, and corrects the queue's depth by the difference, because processes of an earlier version do not
    /// record the app. The server cancels the count after the time limit, and the connection stays open.
    func countDepth(limitMilliseconds: UInt64) throws(PostgresError) {
        deferralMilliseconds += limitMilliseconds
        defer { deferralMilliseconds = PostgresSession.deferralMilliseconds }
        try transaction { session throws(PostgresError) in
            let first = [Self.limitQuery(milliseconds: limitMilliseconds), Query(ReplicaStatements.lockCount)]
            guard try session.run(first)[1].one().bool(0) else { return ((), []) }
            _ = try session.run([Query(ReplicaStatements.countDepth)])
            return ((), [])
        }
    }

    private func beat(keysDigest: String?) -> Query {
        Query(ReplicaStatements.beat, .uuid(replica), .int8(Self.deadMilliseconds), .text(keysDigest))
    }

    private static func replicas(_ rows: Rows) throws(PostgresError) -> [Replica] {
        var replicas: [Replica] = []
        for row in rows {
            replicas.append(
                Replica(
                    id: try row.string(0), isOwn: try row.bool(1), silentMilliseconds: UInt64(clamping: try row.int64(2)),
                    keysDigest: try row.optionalString(3)))
        }
        return replicas
    }

    /// Releases the leases of dead processes, without the rest of a heartbeat, for a copy.
    /// - Returns: the number of released deliveries. Unless it is 0, more may remain.
    func releaseLeases() throws(PostgresError) -> Int { try run([Self.release])[0].count }

    private static var release: Query { Query(ReplicaStatements.release, .int8(deadMilliseconds), .stored(StoreRules.interrupted)) }

    /// The attempts that this process has claimed and whose outcomes it has not recorded.
    func claimedAttempts() throws(PostgresError) -> [ClaimedAttempt] {
        var attempts: [ClaimedAttempt] = []
        for row in try run([Query(ReplicaStatements.claimed, .uuid(replica))])[0] {
            attempts.append(
                ClaimedAttempt(id: try row.uuidv7(0).delivery(Int(try row.int32(1))), attempt: Int(try row.int32(2))))
        }
        return attempts
    }

    /// Deletes this process's row, so that the other processes release its leases without waiting for it to be considered dead.
    func leave() throws(PostgresError) {
        _ = try run([Query(ReplicaStatements.leave, .uuid(replica))])
    }
}

struct Heartbeat {
    /// The time, in milliseconds after its last heartbeat, after which a process considers itself offline. It is shorter than the time
    /// after which the other processes consider it dead.
    private static let silentMilliseconds: UInt64 = TimeLimit.milliseconds(20_000)

    /// The time before the heartbeat was sent, and therefore before the database recorded it.
    let sentAt: MonotonicMilliseconds
    private(set) var clock: DatabaseClock
    /// Whether this process has the lowest id of all live processes.
    let isFirst: Bool
    var replicas: [Replica] = []
    /// Whether the depth has rows without an app, so that deliveries must be counted by app.
    var isDepthUncounted = false

    /// Returns this heartbeat with the more exact clock measurement of the two heartbeats.
    func following(_ former: Heartbeat?) -> Heartbeat {
        var heartbeat = self
        heartbeat.clock = clock.refined(by: former?.clock)
        return heartbeat
    }

    /// Returns the status of this process at a time before the next heartbeat.
    func status(now: MonotonicMilliseconds) -> ReplicaStatus {
        let isOnline = now < sentAt + Self.silentMilliseconds
        return ReplicaStatus(isElected: isFirst && isOnline, isOnline: isOnline)
    }
}

private enum ReplicaStatements {
    // The last part of the statement reads the table as it was before the upsert: it sees an older row of this process, or no row.
    static let beat: StaticString = """
        WITH own AS (
            INSERT INTO replicas (id, seen_at, keys_digest) VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $3)
            ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, keys_digest = excluded.keys_digest RETURNING seen_at
        )
        SELECT own.seen_at, coalesce(bool_and(replicas.id > $1), true)
        FROM own LEFT JOIN replicas ON replicas.id <> $1 AND replicas.seen_at >= own.seen_at - $2
        GROUP BY own.seen_at
        """
    static let all: StaticString = """
        SELECT id::text, id = $1, greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint - seen_at, 0), keys_digest
        FROM replicas ORDER BY id
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
    static let claimed: StaticString = """
        SELECT events.id, position, attempts FROM deliveries JOIN events ON number = event WHERE owner = $1
        """
    static let forget: StaticString = """
        DELETE FROM replicas WHERE seen_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE owner = id)
        """
    // Selects only the notifiers and apps that have several rows. `IS TRUE` makes PostgreSQL look up each row in a hash table. Without it
    // the condition becomes a join, and `serverOptions` allows only nested loops.
    static let sumDepth: StaticString = """
        WITH found AS MATERIALIZED (
            SELECT ctid AS place FROM depth WHERE app IS NOT NULL AND ((notifier, app) IN (
                SELECT notifier, app FROM depth WHERE app IS NOT NULL GROUP BY notifier, app HAVING count(*) > 1)) IS TRUE
            LIMIT 10000 FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM depth USING found WHERE depth.ctid = found.place RETURNING notifier, app, pending
        )
        INSERT INTO depth (notifier, app, pending)
        SELECT notifier, app, sum(pending)::bigint FROM gone GROUP BY notifier, app HAVING sum(pending) <> 0
        """
    // Works like `sumDepth`. A purge of many deliveries adds rows faster than heartbeats sum them up, so the statement searches only the
    // first 10,000 rows for duplicates. Otherwise the time of a heartbeat would grow with the table until the heartbeat times out and loses
    // the connection.
    static let sumDead: StaticString = """
        WITH found AS MATERIALIZED (
            SELECT ctid AS place FROM dead_counts WHERE ((notifier, app, reason) IN (
                SELECT notifier, app, reason FROM (SELECT notifier, app, reason FROM dead_counts LIMIT 10000) AS first
                GROUP BY notifier, app, reason HAVING count(*) > 1)) IS TRUE
            LIMIT 10000 FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM dead_counts USING found WHERE dead_counts.ctid = found.place RETURNING notifier, app, reason, dead_counts.count
        )
        INSERT INTO dead_counts (notifier, app, reason, count)
        SELECT notifier, app, reason, sum(count)::bigint FROM gone GROUP BY notifier, app, reason HAVING sum(count) <> 0
        """
    static let isDepthUncounted: StaticString = "SELECT EXISTS (SELECT FROM depth WHERE app IS NULL)"
    // An arbitrary lock number that other software is unlikely to use. The lock is held until the transaction ends. If another replica is
    // counting, this one skips its count.
    static let lockCount: StaticString = "SELECT pg_try_advisory_xact_lock(4919837461038)"
    // Transactions that create or end deliveries also change the depth, so one statement must read both in one snapshot.
    static let countDepth: StaticString = """
        WITH former AS (
            DELETE FROM depth WHERE app IS NULL
        )
        INSERT INTO depth (notifier, app, pending)
        SELECT notifier, app, sum(pending)::bigint FROM (
            SELECT notifier, app, count(*) AS pending FROM deliveries WHERE state = 0 GROUP BY notifier, app
            UNION ALL
            SELECT notifier, app, -pending FROM depth WHERE app IS NOT NULL
        ) AS difference GROUP BY notifier, app HAVING sum(pending) <> 0
        """
    static let leave: StaticString = "DELETE FROM replicas WHERE id = $1"
}
