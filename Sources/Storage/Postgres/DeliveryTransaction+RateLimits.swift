internal import Core
internal import Postgres
internal import Time

/// The calls that count toward rate limits. Their rows are locked until the transaction ends, so that replicas decide one after the other.
extension DeliveryTransaction {
    func lock(_ calls: [RateLimitedCall], notifier: String) throws(PostgresError) {
        try lock(calls.flatMap { OutboundRateLimiter.keys(of: $0, notifier: notifier) })
    }

    /// Removes calls that never reached their receivers from the counts.
    func giveBack(_ calls: [(call: RateLimitedCall, notifier: String)]) throws(PostgresError) {
        try lock(calls.flatMap { OutboundRateLimiter.keys(of: $0.call, notifier: $0.notifier) })
        for (call, notifier) in calls { limiter.giveBack(call, notifier: notifier) }
        try writeLimiter()
    }

    func writeLimiter() throws(PostgresError) {
        let changed = limiter.changed.sorted().compactMap { key in limiter.calls[key].map { (key: key, calls: $0) } }
        guard !changed.isEmpty else { return }
        _ = try session.run([
            Query(
                OutboundRateStatements.put,
                [
                    .storedArray(changed.map(\.key.notifier.text)), .int8Array(changed.map(\.key.number)),
                    .int8Array(changed.map(\.calls.until.stored)), .byteaArray(changed.map(\.calls.times.bytes)),
                ])
        ])
        limiter.wrote()
    }

    /// Deletes expired counts, and returns the number of deleted rows.
    func deleteRateLimitedCalls(until time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        guard limit > 0 else { return 0 }
        return try session.run([Query(OutboundRateStatements.forget, [.int8(time.stored), .int8(Int64(limit))])])[0].count
    }

    private func lock(_ keys: [OutboundRateLimiter.Key]) throws(PostgresError) {
        let unread = Set(keys).filter { limiter.calls[$0] == nil }.sorted()
        guard !unread.isEmpty else { return }
        let rows = try session.run([
            Query(OutboundRateStatements.lock, [.storedArray(unread.map(\.notifier.text)), .int8Array(unread.map(\.number))])
        ])[0]
        // The rows are in the order of the keys, and the statement has created missing rows.
        for (key, row) in zip(unread, rows) {
            limiter.take(CallTimes(bytes: try row.bytes(0)), until: try row.time(1), for: key)
        }
    }
}

private enum OutboundRateStatements {
    // The update changes no values. It locks an existing row and returns its last committed version.
    static let lock: StaticString = """
        WITH locked AS (
            INSERT INTO paced_calls (notifier, number, until, times)
            SELECT notifier, number, 0, ''::bytea FROM unnest($1::text[], $2::bigint[]) AS wanted (notifier, number)
            ORDER BY notifier COLLATE "C", number
            ON CONFLICT (notifier, number) DO UPDATE SET until = paced_calls.until
            RETURNING notifier, number, times, until
        )
        SELECT times, until FROM locked ORDER BY notifier, number
        """
    static let put: StaticString = """
        UPDATE paced_calls SET until = put.until, times = put.times
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[]) AS put (notifier, number, until, times)
        WHERE paced_calls.notifier = put.notifier AND paced_calls.number = put.number
        """
    static let forget: StaticString = """
        WITH old AS MATERIALIZED (
            SELECT notifier, number FROM paced_calls WHERE until < $1 ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM paced_calls USING old WHERE paced_calls.notifier = old.notifier AND paced_calls.number = old.number
        RETURNING paced_calls.number
        """
}
