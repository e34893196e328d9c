internal import Core
internal import Postgres
internal import Time

/// Leasing due deliveries.
extension PostgresWork {
    /// Meets claims in their order: one look at what is due for all of them, one write of what begins, one look at what is due next.
    func claim(_ claims: [Claim]) throws(PostgresError) -> [Result<Claimed, StoreError>] {
        var (results, budget, rest) = ([Result<Claimed, StoreError>](), ClaimBudget(), claims[...])
        while !rest.isEmpty {
            // A second claim of a notifier sees what the first one has taken.
            var names: Set<ByteKey> = []
            let count = rest.firstIndex { !names.insert(ByteKey($0.notifier)).inserted }.map { $0 - rest.startIndex } ?? rest.count
            results += try claim(ofDifferentNotifiers: Array(rest.prefix(count)), &budget)
            rest = rest.dropFirst(count)
        }
        return results
    }

    private func claim(
        ofDifferentNotifiers claims: [Claim], _ budget: inout ClaimBudget
    ) throws(PostgresError) -> [Result<Claimed, StoreError>] {
        let found = try due(claims)
        var drafts: [Result<ClaimDraft, StoreError>] = []
        for (claim, rows) in zip(claims, found) {
            let draft = try draft(claim, rows, budget)
            if case .success(let draft) = draft {
                budget.spend(draft.claimed(nextDue: nil))
            }
            drafts.append(draft)
        }
        try begin(drafts.compactMap { try? $0.get() })
        try writeBook()
        let (next, pauses) = try outlook(claims)
        return zip(claims, drafts).map { claim, draft in
            let name = ByteKey(claim.notifier)
            return draft.map { $0.claimed(nextDue: next[name], pauses: pauses[name] ?? []) }
        }
    }

    /// What one claim comes to, from the rows that were due. A row that cannot be read fails this claim alone.
    private func draft(_ claim: Claim, _ rows: Rows, _ budget: ClaimBudget) throws(PostgresError) -> Result<ClaimDraft, StoreError> {
        let name = ByteKey(claim.notifier)
        var draft = ClaimDraft(claim)
        var turns = session.turns[name, default: ClaimTurns()]
        var asked = turns.part(of: ClaimBudget().limit(claim))
        defer { session.turns[name] = turns }
        let limit = budget.limit(claim)
        var rows = rows
        while true {
            var due: [StoredRow] = []
            do throws(PostgresError) {
                for row in rows { due.append(try StoredRow(row)) }
            } catch {
                return .failure(StoreError(error))
            }
            try lock(due.compactMap { PacedCall($0.delivery, claim.pace) }, notifier: claim.notifier)
            let full = turns.note(due, asked)
            let (endings, putOff) = draft.take(due, full, limit: limit, ends: budget.ends, &turns.order, &book)
            try end(endings)
            try write(putOff)
            // Others of their orders lead now, others may be called, and an app may have more than its part.
            guard !full.isEmpty || !endings.isEmpty || !putOff.isEmpty, draft.begun.count < limit, draft.ended < budget.ends else {
                return .success(draft)
            }
            asked = turns.part(of: limit - draft.begun.count)
            let start = session.floor(claim.notifier, SystemClock.monotonicMilliseconds())
            let taken = draft.begun.map(\.stored.place.key)
            rows = try session.run([claim.dueQuery(perApp: asked, from: start, without: taken)])[0]
        }
    }

    /// Makes due, after the clock was set back, what is due later than any backoff allows, and locks what is due.
    private func due(_ claims: [Claim]) throws(PostgresError) -> [Rows] {
        let began = SystemClock.monotonicMilliseconds()
        // By the server's clock, as the way there says nothing of the rows.
        var (queries, places) = ([PostgresSession.timeQuery], [Int]())
        for claim in claims {
            if claim.latestDue != .max { queries.append(claim.pullInQuery) }
            places.append(queries.count)
            let part = session.turns[ByteKey(claim.notifier), default: ClaimTurns()].part(of: ClaimBudget().limit(claim))
            queries.append(claim.dueQuery(perApp: part, from: session.floor(claim.notifier, began), without: []))
        }
        let results = try session.run(queries + [PostgresSession.timeQuery])
        let found = places.map { results[$0] }
        let milliseconds = try results[0].one().time(0).remaining(until: results[results.count - 1].one().time(0))
        note(found, of: claims, began, milliseconds / UInt64(claims.count))
        return found
    }

    /// Notes for the next looks how long this one took, and where it found something.
    private func note(_ found: [Rows], of claims: [Claim], _ began: MonotonicMilliseconds, _ milliseconds: UInt64) {
        let now = SystemClock.monotonicMilliseconds()
        for (claim, rows) in zip(claims, found) where claim.limit > 0 {
            let behind = ClaimFloor.Place(due: claim.now.stored, event: .max, position: .max)
            session.floors[ByteKey(claim.notifier), default: ClaimFloor()].note(
                milliseconds, from: session.floor(claim.notifier, began),
                found: ClaimFloor.Places(rows, others: behind), now: now)
        }
    }

    private func begin(_ drafts: [ClaimDraft]) throws(PostgresError) {
        let begun = drafts.flatMap { draft in draft.begun.map { (key: $0.stored.place.key, delivery: $0.delivery, now: draft.claim.now) } }
        guard !begun.isEmpty else { return }
        let places: [Parameter] = [
            .int8Array(begun.map(\.key.event)), .int4Array(begun.map { Int32($0.key.position) }),
            .int4Array(begun.map { Int32($0.delivery.attempts) }),
        ]
        _ = try session.run([
            Query(ClaimStatements.lease, places + [.int8Array(begun.map(\.delivery.dueAt.stored)), .uuid(session.replica)]),
            Query(ClaimStatements.beginAttempts, places + [.int8Array(begun.map(\.now.stored))]),
        ])
    }

    /// When each notifier's next delivery is due, and its pauses, after what the claims tell of those.
    private func outlook(
        _ claims: [Claim]
    ) throws(PostgresError) -> (next: [ByteKey: UnixMilliseconds], pauses: [ByteKey: [SharedPause]]) {
        let names = Parameter.storedArray(claims.map(\.notifier))
        let now = SystemClock.monotonicMilliseconds()
        let starts = claims.map { session.floor($0.notifier, now).first }
        let results = try session.run(
            PauseRow.tell(claims, replica: session.replica) + [
                Query(
                    ClaimStatements.nextDue, names, .int8Array(starts.map(\.due)), .int8Array(starts.map(\.event)),
                    .int4Array(starts.map(\.position))), PauseRow.read(names, session.replica),
            ])
        var (next, pauses) = ([ByteKey: UnixMilliseconds](), [ByteKey: [SharedPause]]())
        for row in results[results.count - 2] { next[ByteKey(try row.stored(0))] = try row.optionalTime(1) }
        for row in results[results.count - 1] {
            let row = try PauseRow(row)
            if let pause = row.pause { pauses[ByteKey(row.notifier), default: []].append(pause) }
        }
        return (next, pauses)
    }
}

/// A claim as it is met.
struct ClaimDraft {
    let claim: Claim
    private(set) var begun: [(stored: StoredRow, delivery: Delivery)] = []
    private(set) var expired = 0
    private(set) var withoutTarget = 0
    private(set) var putOff = 0

    init(_ claim: Claim) { self.claim = claim }

    /// How many were ended or put off instead of being attempted.
    var ended: Int { expired + withoutTarget + putOff }

    /// What the store tells of it.
    func claimed(nextDue: UnixMilliseconds?, pauses: [SharedPause] = []) -> Claimed {
        Claimed(
            begun.map(\.delivery), expired: expired, withoutTarget: withoutTarget, putOff: putOff, nextDue: nextDue, pauses: pauses)
    }

    /// Takes due deliveries of the apps in turn, the longest due of each first.
    /// - Parameters:
    ///   - full: the apps that may have more.
    ///   - ends: how many may be ended or put off in all.
    ///   - turns: which app comes next.
    ///   - book: has the counts of their calls.
    /// - Returns: those that end now, and those that wait for the pace.
    mutating func take(
        _ due: [StoredRow], _ full: Set<Int32>, limit: Int, ends: Int, _ turns: inout AppTurns<Int32>, _ book: inout PaceBook
    ) -> (endings: [PostgresWork.Ending], putOff: [PostgresWork.Retry]) {
        var (endings, waiting) = ([PostgresWork.Ending](), [PostgresWork.Retry]())
        // When one of an order ends, another one leads, and may have been due for longer than the rows that follow here of its app, which
        // keeps its turn.
        var hidden: Int32?
        var rest = Dictionary(grouping: due.reversed()) { $0.place.app }
        while ended < ends, begun.count < limit, let app = hidden ?? turns.next(among: rest.keys.sorted()),
            let stored = rest[app]?.popLast()
        {
            if rest[app]?.isEmpty == true, !full.contains(app) { rest[app] = nil }
            let before = begun.count
            if let (state, reason) = stored.end(expiredBy: claim.expiredBy) {
                if state == .dead { expired += 1 } else { withoutTarget += 1 }
                endings.append(PostgresWork.Ending(place: stored.place, state: state, reason: reason, at: claim.now))
                if stored.place.order != nil { hidden = app }
            } else if hidden != nil {
                continue
            } else if let call = PacedCall(stored.delivery, claim.pace),
                let allowedAt = book.admit(call, notifier: claim.notifier, now: claim.now)
            {
                putOff += 1
                waiting.append(PostgresWork.Retry(place: stored.place, at: allowedAt, reason: StoreRules.paced))
            } else {
                begun.append((stored, stored.delivery.claimed(until: claim.now + claim.leaseMilliseconds)))
            }
            if begun.count > before || ended == ends { turns.took(app) }
        }
        return (endings, waiting)
    }
}

/// How the claims of one notifier ask for what is due for each app.
struct ClaimTurns {
    /// Which app comes next.
    var order = AppTurns<Int32>()
    /// How many apps had all that they were asked for when claims looked last; at least 1.
    private var apps = 1

    /// How many deliveries to ask each app for, of so many that are wanted. Those that do not get their turn were locked and read in vain.
    func part(of limit: Int) -> Int { (limit + apps - 1) / apps }

    /// Takes in the deliveries that were found when each app was asked for at most `asked`.
    /// - Returns: the apps that may have more.
    mutating func note(_ due: [StoredRow], _ asked: Int) -> Set<Int32> {
        // A claim that only asks when the next one is due finds out nothing.
        guard asked > 0 else { return [] }
        let full = Dictionary(grouping: due) { $0.place.app }.filter { $0.value.count >= asked }
        apps = max(1, full.count)
        return Set(full.keys)
    }
}

extension Claim {
    fileprivate var pullInQuery: Query {
        Query(
            ClaimStatements.pullIn, .stored(notifier), .int8(now.stored), .int8(latestDue.stored), .int8(Int64(StoreRules.pulledInPerClaim))
        )
    }

    fileprivate func dueQuery(perApp limit: Int, from start: ClaimFloor.Places, without taken: [DeliveryKey]) -> Query {
        let rows: [Parameter] = [.int8Array(taken.map(\.event)), .int4Array(taken.map { Int32($0.position) })]
        return Query(ClaimStatements.due, [.stored(notifier), .int8(now.stored), .int8(Int64(limit))] + rows + start.parameters)
    }
}

/// A row of the view `traced_stories`, with its place in the queue.
struct StoredRow {
    let place: PostgresWork.Place
    let delivery: Delivery
    let needsDevice: Bool

    /// How a due delivery ends instead of being attempted; nil when it is to be attempted.
    func end(expiredBy: UnixMilliseconds) -> (state: Delivery.State, reason: String)? {
        if needsDevice, delivery.device == nil { return (.noTarget, StoreRules.noTarget) }
        return delivery.event.expiresAt <= expiredBy ? (.dead, StoreRules.expired) : nil
    }
}

private enum ClaimStatements {
    static let pullIn: StaticString = """
        WITH late AS MATERIALIZED (
            SELECT event, position FROM deliveries WHERE state = 0 AND leads AND notifier = $1 AND due_at > $3
            LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE deliveries SET due_at = $2 FROM late
        WHERE deliveries.event = late.event AND deliveries.position = late.position
        """
    // A search in `deliveries_turns` for each app that there is, of which there are few.
    static let due: StaticString = """
        WITH due AS MATERIALIZED (
            SELECT found.event, found.position FROM apps
                LEFT JOIN unnest($6::integer[], $7::bigint[], $8::bigint[], $9::integer[]) AS floors (app, due, event, position)
                    ON floors.app = apps.number
                CROSS JOIN LATERAL (
                    SELECT event, position FROM deliveries
                    WHERE state = 0 AND leads IS NOT FALSE AND notifier = $1 AND app = apps.number AND due_at <= $2
                        AND (due_at, event, position)
                            >= (coalesce(floors.due, $10), coalesce(floors.event, $11), coalesce(floors.position, $12))
                        AND (event, position) NOT IN (SELECT * FROM unnest($4::bigint[], $5::integer[]))
                    ORDER BY due_at, event, position LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
                ) AS found
        )
        SELECT traced_stories.* FROM due JOIN traced_stories USING (event, position) ORDER BY due_at, event, position
        """
    static let lease: StaticString = """
        UPDATE deliveries SET attempts = begun.attempt, due_at = begun.until, owner = $5
        FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[]) AS begun (event, position, attempt, until)
        WHERE deliveries.event = begun.event AND deliveries.position = begun.position
        """
    static let beginAttempts: StaticString = """
        INSERT INTO attempts (event, position, number, started_at, outcome, reason)
        SELECT event, position, attempt, at, '', ''
        FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[]) AS begun (event, position, attempt, at)
        """
    static let nextDue: StaticString = """
        SELECT name, (
            SELECT due_at FROM deliveries
            WHERE state = 0 AND leads AND notifier = name AND (due_at, event, position) >= (start_due, start_event, start_position)
            ORDER BY due_at, event, position LIMIT 1
        ) FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::integer[]) AS lanes (name, start_due, start_event, start_position)
        """
}
