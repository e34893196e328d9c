package import Core
internal import SQLite
package import Time

/// Calls of bots. An ending is a job of the service itself, which always finds room.
extension SQLiteStore {
    package func begin(
        _ call: BotCall, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) {
        queue.submit(
            WriterJob(.calls, isDeferrable: call.key == nil, isAwaited: isAwaited, completion: completion) { database throws(SQLiteError) in
                try database.begin(call)
            })
    }

    package func end(_ call: UUIDv7, _ ending: BotCall.Ending, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        queue.submit(
            WriterJob(.service, isDeferrable: true, isAwaited: { true }, completion: completion) { database throws(SQLiteError) in
                .success(try database.end(call, ending))
            })
    }

    package func botCall(_ id: UUIDv7) throws(StoreError) -> BotCall? {
        try read(listReader) { database throws(SQLiteError) in try database.botCall(id) }
    }

    package func botCalls(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) throws(StoreError) -> BotCallPage {
        StoreRules.check(limit: limit)
        return try BotCallWalk.page(before: after, limit: limit, settings) { place, rows, limit throws(StoreError) in
            try read(listReader) { database throws(SQLiteError) in try database.step(filter, before: place, rows: rows, limit: limit) }
        }
    }

    package func markLostBotCalls(startedBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(StoreError) -> [BotCall] {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in
            try database.markLostBotCalls(startedBefore: startedBefore, now: now, limit: limit)
        }
    }

    /// Deletes the calls of a person, in several transactions.
    /// - Returns: the number of deleted calls.
    func eraseBotCalls(of person: AppUser) throws(StoreError) -> Int {
        let limit = settings.rowsPerCommit
        var count = 0
        while true {
            let step = try queue.perform { database throws(SQLiteError) in
                try database.deleteBotCalls(of: person, limit: limit)
            }
            count += step
            if step < limit { return count }
        }
    }
}

extension WritingDatabase {
    /// Stores a call, unless one with its key exists, which is found even if nothing can be stored.
    func begin(_ call: BotCall) throws(SQLiteError) -> Result<BotCallBeginning, StoreError> {
        if let key = call.key {
            var earlier: BotCall?
            try botCallStatements.find.forEachRow(key) { row throws(SQLiteError) in earlier = try BotCall(row) }
            if let earlier { return .success(.repeated(earlier)) }
        }
        if let refusal = acceptanceRefusal() { return .failure(refusal) }
        try botCallStatements.insert.run(
            call.id.bytes, call.key, try apps.number(call.appID, self), call.userID, call.bot, call.function, call.argumentsSHA256,
            call.arguments, call.outcome.rawValue, call.statusCode, call.reason, call.at.stored, call.endedAt?.stored)
        return .success(.new)
    }

    /// Stores the outcome of a call that is running, or was given up.
    func end(_ id: UUIDv7, _ ending: BotCall.Ending) throws(SQLiteError) {
        try botCallStatements.end.run(
            id.bytes, ending.outcome.rawValue, ending.statusCode, ending.reason, ending.at.stored, ending.releasesKey ? 1 : 0)
    }

    func markLostBotCalls(startedBefore time: UnixMilliseconds, now: UnixMilliseconds, limit: Int) throws(SQLiteError) -> [BotCall] {
        let ending = BotCall.Ending(.unknown, reason: BotCall.interrupted, at: now)
        var lost: [BotCall] = []
        try botCallStatements.lost.forEachRow(time.stored, limit) { row throws(SQLiteError) in lost.append(try BotCall(row)) }
        for call in lost { try end(call.id, ending) }
        return lost.map { $0.ended(ending) }
    }

    /// Deletes calls of an outcome that began before a time.
    /// - Returns: the number of deleted calls.
    func deleteBotCalls(_ outcome: BotCall.Outcome, before time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        var numbers: [Int64] = []
        try botCallStatements.old.forEachRow(outcome.rawValue, time.stored, limit) { row throws(SQLiteError) in
            numbers.append(try row.int64(0))
        }
        return try deleteBotCalls(numbers)
    }

    /// Deletes calls of a person.
    /// - Returns: the number of deleted calls; fewer than `limit` when none is left.
    func deleteBotCalls(of person: AppUser, limit: Int) throws(SQLiteError) -> Int {
        guard let app = try apps.find(person.appID, self) else { return 0 }
        var numbers: [Int64] = []
        try botCallStatements.ofPerson.forEachRow(app, person.userID, limit) { row throws(SQLiteError) in
            numbers.append(try row.int64(0))
        }
        return try deleteBotCalls(numbers)
    }

    private func deleteBotCalls(_ numbers: [Int64]) throws(SQLiteError) -> Int {
        for number in numbers { try botCallStatements.delete.run(number) }
        if !numbers.isEmpty { noteForgotten() }
        return numbers.count
    }
}

extension ReadingDatabase {
    func botCall(_ id: UUIDv7) throws(SQLiteError) -> BotCall? {
        var found: BotCall?
        try botCallQueries.byID.forEachRow(id.bytes) { row throws(SQLiteError) in found = try BotCall(row) }
        return found
    }

    /// The matching calls among the next `rows` before a position.
    func step(_ filter: BotCallFilter, before: BotCallCursor, rows: Int, limit: Int) throws(SQLiteError) -> BotCallWalk.Step {
        let queries = botCallQueries
        let statement =
            filter.appID != nil && filter.userID != nil ? queries.ofPerson : filter.outcome != nil ? queries.ofOutcome : queries.all
        defer { statement.reset() }
        statement.bind(filter.since?.stored ?? 0, at: 1)
        statement.bind(before.at, at: 2)
        statement.bind(before.number, at: 3)
        statement.bind(rows, at: 4)
        for (index, text) in [filter.appID, filter.userID, filter.bot, filter.function, filter.outcome?.rawValue].enumerated() {
            statement.bind(text, at: 5 + index)
        }
        var (found, count) = (BotCallWalk.Found(), 0)
        while found.count < limit, try statement.step() {
            count += 1
            let place = BotCallCursor(at: try statement.int64(12), number: try statement.int64(0))
            if try statement.int64(14) != 0 { found.append((place, try BotCall(statement))) }
            if count == rows { return (found, place) }
        }
        return (found, nil)
    }

    func botCallRows(of person: AppUser) throws(SQLiteError) -> Int {
        var count = 0
        try botCallQueries.count.forEachRow(person.appID, person.userID) { row throws(SQLiteError) in count = Int(try row.int64(0)) }
        return count
    }
}
