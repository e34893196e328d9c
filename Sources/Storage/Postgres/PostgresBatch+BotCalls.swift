internal import Core
internal import Postgres
internal import Time

/// Calls of bots, stored by a transaction of the writer.
extension PostgresBatch {
    /// Inserts calls, and reads those whose keys exist. A call waits for an uncommitted insertion of its key, so this comes before all
    /// locks, with the keys in order.
    func begin(_ calls: [BotCall]) throws(PostgresError) {
        guard !calls.isEmpty else { return }
        var apps: [Int32] = []
        for call in calls { apps.append(try unit.number(call.appID)) }
        let insert = Query(
            BotCallBatchStatements.insert,
            [
                .uuidArray(calls.map(\.id.bytes)), .byteaArray(calls.map(\.key)), .int4Array(apps), .storedArray(calls.map(\.userID)),
                .storedArray(calls.map(\.bot)), .storedArray(calls.map(\.function)), .storedArray(calls.map(\.argumentsSHA256)),
                .storedArray(calls.map(\.arguments)), .storedArray(calls.map(\.outcome.rawValue)),
                .int8Array(calls.map { $0.statusCode.map { Int64($0) } }), .storedArray(calls.map(\.reason)),
                .int8Array(calls.map(\.at.stored)), .int8Array(calls.map { $0.endedAt?.stored }),
            ])
        for row in try unit.session.run([insert])[0] { begunCalls[try row.uuidv7(0)] = .new }
        let repeated = calls.filter { begunCalls[$0.id] == nil }
        guard !repeated.isEmpty else { return }
        // A separate statement, because only a later one sees what another transaction has committed in the meantime.
        let find = Query(BotCallBatchStatements.find, .byteaArray(repeated.map(\.key)))
        var earlier: [[UInt8]: BotCall] = [:]
        for row in try unit.session.run([find])[0] {
            let call = try BotCall(row)
            if let key = call.key { earlier[key] = call }
        }
        for call in repeated {
            if let key = call.key, let known = earlier[key] { begunCalls[call.id] = .repeated(known) }
        }
    }

    func beginning(of call: BotCall) -> Result<BotCallBeginning, StoreError> {
        // The key was in use, and its call was deleted or released it right after that.
        begunCalls[call.id].map { .success($0) } ?? .failure(.deletedMeanwhile)
    }

    /// The statements that write the endings of calls, in order.
    func callRows() -> [Query] {
        guard !endedCalls.isEmpty else { return [] }
        let endings = endedCalls.map(\.ending)
        return [
            Query(
                BotCallBatchStatements.end,
                [
                    .uuidArray(endedCalls.map(\.id.bytes)), .storedArray(endings.map(\.outcome.rawValue)),
                    .int8Array(endings.map { $0.statusCode.map { Int64($0) } }), .storedArray(endings.map(\.reason)),
                    .int8Array(endings.map(\.at.stored)), .boolArray(endings.map(\.releasesKey)),
                ])
        ]
    }
}

extension DeliveryTransaction {
    func markLostBotCalls(startedBefore time: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(PostgresError) -> [BotCall] {
        let query = Query(BotCallBatchStatements.giveUp, [.int8(time.stored), .int8(Int64(limit)), .int8(now.stored)])
        var lost: [BotCall] = []
        for row in try session.run([query])[0] { lost.append(try BotCall(row)) }
        return lost
    }

    /// Deletes calls of an outcome that began before a time.
    /// - Returns: the number of deleted calls.
    func deleteBotCalls(_ outcome: BotCall.Outcome, before time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        let parameters: [Parameter] = [.stored(outcome.rawValue), .int8(time.stored), .int8(Int64(limit))]
        return try session.run([Query(BotCallBatchStatements.forget, parameters)])[0].count
    }

    /// Deletes calls of a person.
    /// - Returns: the number of deleted calls; fewer than `limit` when none is left.
    func deleteBotCalls(of person: AppUser, limit: Int) throws(PostgresError) -> Int {
        let parameters: [Parameter] = [.stored(person.appID), .stored(person.userID), .int8(Int64(limit))]
        return try session.run([Query(BotCallBatchStatements.erase, parameters)])[0].count
    }
}

extension StoreError {
    fileprivate static let deletedMeanwhile = StoreError(
        .unavailable, "a call with the same key was there, and was deleted or gave it up right now",
        remedy: "send the call again")
}

private enum BotCallBatchStatements {
    static let insert: StaticString = """
        INSERT INTO bot_calls (id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at)
        SELECT id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM unnest($1::uuid[], $2::bytea[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::bigint[], $11::text[], $12::bigint[], $13::bigint[]) WITH ORDINALITY
            AS new (id, key, app, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at, place)
        ORDER BY key, place ON CONFLICT (key) DO NOTHING RETURNING id
        """
    static let find: StaticString = """
        SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM bot_calls JOIN apps ON apps.number = app WHERE key = ANY ($1::bytea[])
        """
    // Of several endings of one call the first one is used; they are sorted by their numbers, and locked in that order.
    static let end: StaticString = """
        WITH new AS MATERIALIZED (
            SELECT DISTINCT ON (id) *
            FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean[]) WITH ORDINALITY
                AS new (id, outcome, status, reason, ended_at, releases_key, place) ORDER BY id, place
        ), locked AS MATERIALIZED (
            SELECT number, new.outcome, new.status, new.reason, new.ended_at, releases_key
            FROM new JOIN bot_calls ON bot_calls.id = new.id
            WHERE bot_calls.outcome IN ('started', 'unknown') ORDER BY number FOR UPDATE OF bot_calls
        )
        UPDATE bot_calls SET outcome = locked.outcome, status = locked.status, reason = locked.reason, ended_at = locked.ended_at,
            key = CASE WHEN releases_key THEN NULL ELSE key END
        FROM locked WHERE bot_calls.number = locked.number
        """
    static let giveUp: StaticString = """
        WITH lost AS MATERIALIZED (
            SELECT number FROM bot_calls WHERE outcome = 'started' AND at < $1 ORDER BY at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE bot_calls SET outcome = 'unknown', reason = 'interrupted', ended_at = $3 FROM lost, apps
        WHERE bot_calls.number = lost.number AND apps.number = app
        RETURNING bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        """
    static let forget: StaticString = """
        WITH old AS MATERIALIZED (
            SELECT number FROM bot_calls WHERE outcome = $1 AND at < $2 ORDER BY at LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM bot_calls USING old WHERE bot_calls.number = old.number RETURNING 1
        """
    static let erase: StaticString = """
        WITH old AS MATERIALIZED (
            SELECT number FROM bot_calls WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND user_id = $2
            ORDER BY number LIMIT $3 FOR UPDATE
        )
        DELETE FROM bot_calls USING old WHERE bot_calls.number = old.number RETURNING 1
        """
}
