package import Core
internal import Postgres
package import Time

/// Bot calls. All processes that share the database store and list them.
extension PostgresStore {
    package func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) {
        if let hindrance { return completion(.failure(hindrance)) }
        let offset = offset(for: call.at)
        queue.submit(
            PostgresJob(beginning: offset.databaseTime(call), isAwaited) { result in completion(result.map { offset.localTime($0) }) })
    }

    package func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        if let hindrance { return completion(.failure(hindrance)) }
        queue.submit(PostgresJob(ending: call, offset(for: ending.at).databaseTime(ending), completion))
    }

    package func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? {
        let offset = offset(for: clock())
        return try read { session throws(PostgresError) in
            guard let row = try session.run([Query(BotCallReadingStatements.byID, .uuid(id.bytes))])[0].first else { return nil }
            return offset.localTime(try BotCall(row))
        }
    }

    package func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        StoreRules.check(limit: limit)
        let offset = offset(for: clock())
        let filter = offset.databaseTime(filter)
        let page = try BotCallWalk.page(before: after, limit: limit, settings) { place, rows, limit throws(StoreError) in
            try read { session throws(PostgresError) in try session.step(filter, before: place, rows: rows, limit: limit) }
        }
        return offset.localTime(page)
    }

    package func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] {
        StoreRules.check(limit: limit)
        let offset = offset(for: now)
        let (startedBefore, now) = (offset.databaseTime(startedBefore), offset.databaseTime(now))
        let lost = try upkeep { work throws(PostgresError) in
            try work.markLostBotCalls(startedBefore: startedBefore, now: now, limit: limit)
        }
        return offset.localTime(lost)
    }

    /// Deletes a person's calls, in several transactions.
    /// - Returns: the number of deleted calls.
    func eraseBotCalls(of person: AppUser) throws(StoreError) -> Int {
        var count = 0
        while true {
            let step = try upkeep { work throws(PostgresError) in try work.deleteBotCalls(of: person, limit: settings.rowsPerCommit) }
            count += step
            if step < settings.rowsPerCommit { return count }
        }
    }
}

extension PostgresSession {
    /// Returns the matching calls among the next `rows` calls before a position.
    fileprivate func step(
        _ filter: BotCallFilter, before: BotCallCursor, rows: Int, limit: Int
    ) throws(PostgresError) -> BotCallWalk.Step {
        let ofPerson = filter.appID != nil && filter.userID != nil
        let statement =
            ofPerson
            ? BotCallReadingStatements.ofPerson : filter.outcome != nil ? BotCallReadingStatements.ofOutcome : BotCallReadingStatements.all
        let result = try run([
            Query(
                statement,
                [
                    .int8(filter.since?.stored ?? 0), .int8(before.at), .int8(before.number), .int8(Int64(rows)), .stored(filter.appID),
                    .stored(filter.userID), .stored(filter.bot), .stored(filter.function), .stored(filter.outcome?.rawValue),
                    .int8(Int64(limit)),
                ])
        ])[0]
        var (found, end) = (BotCallWalk.Found(), BotCallCursor?.none)
        for row in result {
            let place = BotCallCursor(at: try row.int64(12), number: try row.int64(0))
            // A row without a call contains the position at which the step ended.
            if row.isNull(1) { end = place } else { found.append((place, try BotCall(row))) }
        }
        return (found, end)
    }
}

private enum BotCallReadingStatements {
    static let byID: StaticString = """
        SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM bot_calls JOIN apps ON apps.number = app WHERE id = $1
        """
    // Each statement scans one step of the index that its first condition matches. If more rows may follow, it returns an additional row
    // with the end of the step.
    static let all: StaticString = """
        WITH step AS MATERIALIZED (
            SELECT number, at, app, user_id, bot, function, outcome FROM bot_calls
            WHERE at >= $1 AND (at, number) < ($2, $3)
            ORDER BY at DESC, number DESC LIMIT $4
        ), wanted AS MATERIALIZED (
            SELECT step.number FROM step JOIN apps ON apps.number = app
            WHERE ($5::text IS NULL OR app_id = $5) AND ($6::text IS NULL OR user_id = $6) AND ($7::text IS NULL OR bot = $7)
                AND ($8::text IS NULL OR function = $8) AND ($9::text IS NULL OR outcome = $9)
            ORDER BY at DESC, step.number DESC LIMIT $10
        )
        SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM wanted JOIN bot_calls ON bot_calls.number = wanted.number JOIN apps ON apps.number = app
        UNION ALL (
            SELECT number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, at, NULL FROM step
            WHERE (SELECT count(*) FROM step) = $4 ORDER BY at, number LIMIT 1
        ) ORDER BY at DESC, number DESC
        """
    static let ofOutcome: StaticString = """
        WITH step AS MATERIALIZED (
            SELECT number, at, app, user_id, bot, function, outcome FROM bot_calls
            WHERE outcome = $9 AND at >= $1 AND (at, number) < ($2, $3)
            ORDER BY at DESC, number DESC LIMIT $4
        ), wanted AS MATERIALIZED (
            SELECT step.number FROM step JOIN apps ON apps.number = app
            WHERE ($5::text IS NULL OR app_id = $5) AND ($6::text IS NULL OR user_id = $6) AND ($7::text IS NULL OR bot = $7)
                AND ($8::text IS NULL OR function = $8) AND ($9::text IS NULL OR outcome = $9)
            ORDER BY at DESC, step.number DESC LIMIT $10
        )
        SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM wanted JOIN bot_calls ON bot_calls.number = wanted.number JOIN apps ON apps.number = app
        UNION ALL (
            SELECT number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, at, NULL FROM step
            WHERE (SELECT count(*) FROM step) = $4 ORDER BY at, number LIMIT 1
        ) ORDER BY at DESC, number DESC
        """
    static let ofPerson: StaticString = """
        WITH step AS MATERIALIZED (
            SELECT number, at, app, user_id, bot, function, outcome FROM bot_calls
            WHERE app = (SELECT number FROM apps WHERE app_id = $5) AND user_id = $6 AND at >= $1 AND (at, number) < ($2, $3)
            ORDER BY at DESC, number DESC LIMIT $4
        ), wanted AS MATERIALIZED (
            SELECT step.number FROM step JOIN apps ON apps.number = app
            WHERE ($5::text IS NULL OR app_id = $5) AND ($6::text IS NULL OR user_id = $6) AND ($7::text IS NULL OR bot = $7)
                AND ($8::text IS NULL OR function = $8) AND ($9::text IS NULL OR outcome = $9)
            ORDER BY at DESC, step.number DESC LIMIT $10
        )
        SELECT bot_calls.number, id, key, app_id, user_id, bot, function, digest, arguments, outcome, status, reason, at, ended_at
        FROM wanted JOIN bot_calls ON bot_calls.number = wanted.number JOIN apps ON apps.number = app
        UNION ALL (
            SELECT number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, at, NULL FROM step
            WHERE (SELECT count(*) FROM step) = $4 ORDER BY at, number LIMIT 1
        ) ORDER BY at DESC, number DESC
        """
}
