package import Core
internal import Postgres
internal import Time

/// Operators' conditions, and the processes sharing the database that currently detect them.
extension PostgresStore {
    package func conditions() throws(StoreError) -> [OperatorCondition] {
        let offset = offset(for: clock())
        return try read { session throws(PostgresError) in
            var found: [OperatorCondition] = []
            for row in try session.run([Query(ConditionStatements.all)])[0] {
                // Skips unknown kinds, which a later version may have stored.
                guard let kind = OperatorCondition.Kind(rawValue: try row.stored(0)) else { continue }
                let key = OperatorCondition.Key(kind, try row.stored(1))
                found.append(OperatorCondition(key, since: try row.time(2), data: try row.bytes(3)))
            }
            return offset.localTime(found)
        }
    }

    package func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        let (key, offset) = (condition.key, offset(for: condition.since))
        let since = offset.databaseTime(condition.since)
        return try upkeep { work throws(PostgresError) in
            let query = Query(
                ConditionStatements.raise, .stored(key.kind.rawValue), .stored(key.subject.text), .int8(since.stored),
                .bytea(condition.data), .uuid(work.session.replica))
            let hasBegun = try work.session.run([query])[0].one().bool(0)
            if hasBegun, let incoming { try work.batch.announce(offset.databaseTime(incoming)) }
            return hasBegun
        }
    }

    package func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        let offset = offset(for: clock())
        return try upkeep { work throws(PostgresError) in
            let name: [Parameter] = [.stored(key.kind.rawValue), .stored(key.subject.text)]
            let results = try work.session.run([
                Query(ConditionStatements.leave, name + [.uuid(work.session.replica), .int8(PostgresSession.deadMilliseconds)]),
                Query(ConditionStatements.end, name),
            ])
            let hasEnded = results[1].count > 0
            if hasEnded, let incoming { try work.batch.announce(offset.databaseTime(incoming)) }
            return hasEnded
        }
    }
}

private enum ConditionStatements {
    static let all: StaticString = "SELECT kind, subject, since, data FROM conditions ORDER BY kind, subject"
    // Locks the row even if it exists: with DO NOTHING, another process could end the condition meanwhile. Only an inserted row has an xmax
    // of 0.
    static let raise: StaticString = """
        INSERT INTO conditions AS old (kind, subject, since, data, holders) VALUES ($1, $2, $3, $4, ARRAY[$5::uuid])
        ON CONFLICT (kind, subject) DO UPDATE SET holders = array_append(array_remove(old.holders, $5::uuid), $5::uuid)
        RETURNING xmax = 0
        """
    static let leave: StaticString = """
        UPDATE conditions SET holders = ARRAY(
            SELECT id FROM replicas
            WHERE id = ANY (holders) AND id <> $3 AND seen_at >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $4)
        WHERE kind = $1 AND subject = $2
        """
    static let end: StaticString = "DELETE FROM conditions WHERE kind = $1 AND subject = $2 AND cardinality(holders) = 0 RETURNING true"
}
