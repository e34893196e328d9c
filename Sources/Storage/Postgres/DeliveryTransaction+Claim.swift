internal import Core
internal import Postgres
internal import Time

extension DeliveryTransaction {
    /// Processes claims in order: one query for the due deliveries of all claims, one write for the leases, and one query for the next due
    /// times.
    func claim(_ claims: [Claim]) throws(PostgresError) -> [Result<Claimed, StoreError>] {
        var (results, budget, rest) = ([Result<Claimed, StoreError>](), ClaimBudget(), claims[...])
        while !rest.isEmpty {
            // Claims of the same notifier are processed one after the other, so that a later claim does not select deliveries of an earlier
            // one.
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
            let draft = try draft(claim, rows: rows, budget: budget)
            if case .success(let draft) = draft {
                budget.spend(draft.claimed(nextDue: nil))
            }
            drafts.append(draft)
        }
        try begin(drafts.compactMap { try? $0.get() })
        try writeLimiter()
        let (next, pauses) = try outlook(claims)
        return zip(claims, drafts).map { claim, draft in
            let name = ByteKey(claim.notifier)
            return draft.map { $0.claimed(nextDue: next[name], pauses: pauses[name] ?? []) }
        }
    }

    /// Drafts a claim from its due rows. If a row cannot be read, only this claim fails.
    private func draft(_ claim: Claim, rows: Rows, budget: ClaimBudget) throws(PostgresError) -> Result<ClaimDraft, StoreError> {
        var draft = ClaimDraft(claim, after: session.lastTurns[ByteKey(claim.notifier)])
        defer { session.lastTurns[ByteKey(claim.notifier)] = draft.lastTurn }
        let limit = budget.limit(claim)
        var (rows, asked) = (rows, ClaimBudget().limit(claim))
        while true {
            var due: [StoredRow] = []
            do throws(PostgresError) {
                for row in rows { due.append(try StoredRow(row)) }
            } catch {
                return .failure(StoreError(error))
            }
            let begun = draft.begun.count
            let reached = draft.reach(of: due, limit: limit)
            try lock(reached.compactMap { RateLimitedCall($0.delivery, claim.rateLimits) }, notifier: claim.notifier)
            let (endings, putOff) = draft.take(reached, ends: budget.ends, &limiter)
            try end(endings)
            try write(putOff)
            let apps = draft.appsWithMore(than: due, asked: asked, from: begun)
            guard !apps.isEmpty, draft.begun.count < limit, draft.ended < budget.ends else { return .success(draft) }
            // Searches again, because the ended deliveries may have hidden further due ones.
            asked = max(limit - draft.begun.count, min(2 * (endings.count + putOff.count), budget.ends - draft.ended))
            let start = session.floor(claim.notifier, SystemClock.monotonicMilliseconds())
            let taken = draft.begun.map(\.stored.place.key)
            rows = try session.run([
                claim.dueQuery(limit: asked, from: start, after: draft.lastTurn, of: apps, without: taken)
            ])[0]
        }
    }

    /// Queries and locks the due deliveries. First makes deliveries due whose due time is later than any backoff allows, because the clock
    /// was set back.
    private func due(_ claims: [Claim]) throws(PostgresError) -> [Rows] {
        let began = SystemClock.monotonicMilliseconds()
        // Measures the time by the server's clock, because the network latency does not depend on the rows.
        var (queries, places) = ([PostgresSession.timeQuery], [Int]())
        for claim in claims {
            if claim.latestPlausibleDue != .max { queries.append(claim.pullInQuery) }
            places.append(queries.count)
            let last = session.lastTurns[ByteKey(claim.notifier)]
            queries.append(claim.dueQuery(limit: ClaimBudget().limit(claim), from: session.floor(claim.notifier, began), after: last))
        }
        let results = try session.run(queries + [PostgresSession.timeQuery])
        let found = places.map { results[$0] }
        let milliseconds = try results[0].one().time(0).remaining(until: results[results.count - 1].one().time(0))
        note(found, of: claims, began: began, milliseconds: milliseconds / UInt64(claims.count))
        return found
    }

    /// Records the duration and the position of this search for the next searches.
    private func note(_ found: [Rows], of claims: [Claim], began: MonotonicMilliseconds, milliseconds: UInt64) {
        let now = SystemClock.monotonicMilliseconds()
        for (claim, rows) in zip(claims, found) where claim.limit > 0 {
            let behind = ClaimFloor.Place(due: claim.now.stored, event: .max, position: .max)
            session.floors[ByteKey(claim.notifier), default: ClaimFloor()].note(
                milliseconds, from: session.floor(claim.notifier, began),
                found: rows.first.flatMap { try? ClaimFloor.Place(first: $0) } ?? behind, now: now)
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

    /// Returns each notifier's next due time and pauses, after the updates of the claims.
    private func outlook(
        _ claims: [Claim]
    ) throws(PostgresError) -> (next: [ByteKey: UnixMilliseconds], pauses: [ByteKey: [SharedPause]]) {
        let names = Parameter.storedArray(claims.map(\.notifier))
        let now = SystemClock.monotonicMilliseconds()
        let starts = claims.map { session.floor($0.notifier, now) }
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

struct ClaimDraft {
    let claim: Claim
    private(set) var begun: [(stored: StoredRow, delivery: Delivery)] = []
    private(set) var expired = 0
    private(set) var withoutTarget = 0
    private(set) var putOff = 0
    /// The number of the app whose turn was last; nil before the first turn.
    private(set) var lastTurn: Int32?

    init(_ claim: Claim, after lastTurn: Int32?) {
        self.claim = claim
        self.lastTurn = lastTurn
    }

    /// The number of deliveries that were ended or deferred without an attempt.
    var ended: Int { expired + withoutTarget + putOff }

    func claimed(nextDue: UnixMilliseconds?, pauses: [SharedPause] = []) -> Claimed {
        Claimed(
            begun.map(\.delivery), expired: expired, withoutTarget: withoutTarget, putOff: putOff, nextDue: nextDue, pauses: pauses)
    }

    /// Returns the deliveries that `take` may process: as many as the claim can still lease, and the deliveries between them that end
    /// without an attempt.
    func reach(of due: [StoredRow], limit: Int) -> ArraySlice<StoredRow> {
        var room = limit - begun.count
        return due.prefix { stored in
            if stored.end(expiredBy: claim.expiredBy) == nil { room -= 1 }
            return room >= 0
        }
    }

    /// Returns the apps that may have further due deliveries. Such an app has as many rows as requested, or has a delivery that ended and
    /// so unblocks the next one of its order, or has a delivery that was left.
    /// - Parameters:
    ///   - due: the rows that were found.
    ///   - asked: the requested number of rows.
    ///   - first: the number of deliveries that had already been leased.
    func appsWithMore(than due: [StoredRow], asked: Int, from first: Int) -> [Int32] {
        let found = Dictionary(grouping: due) { $0.place.app }
        let begun = Dictionary(grouping: begun[first...]) { $0.stored.place.app }
        return found.keys.filter { app in
            let count = found[app]?.count ?? 0
            return count * found.count >= asked || begun[app]?.count ?? 0 < count
        }
    }

    /// Processes due deliveries in order.
    /// - Parameters:
    ///   - ends: the total number of deliveries that may be ended or deferred.
    ///   - limiter: contains the counts of the deliveries' calls.
    /// - Returns: the deliveries that end now, and the deliveries that wait for a rate limit.
    mutating func take(
        _ due: ArraySlice<StoredRow>, ends: Int, _ limiter: inout OutboundRateLimiter
    ) -> (endings: [DeliveryTransaction.Ending], putOff: [DeliveryTransaction.Retry]) {
        var (endings, waiting) = ([DeliveryTransaction.Ending](), [DeliveryTransaction.Retry]())
        // When a delivery ends, the next one of its order becomes the first. It may have been due for longer than the app's following
        // deliveries in this list.
        var hidingOlder: Set<Int32> = []
        for stored in due where ended < ends {
            let app = stored.place.app
            if let (state, reason) = stored.end(expiredBy: claim.expiredBy) {
                if state == .dead { expired += 1 } else { withoutTarget += 1 }
                endings.append(DeliveryTransaction.Ending(place: stored.place, state: state, reason: reason, at: claim.now))
                if stored.place.order != nil { hidingOlder.insert(app) }
            } else if hidingOlder.contains(app) {
                continue
            } else if let call = RateLimitedCall(stored.delivery, claim.rateLimits),
                let allowedAt = limiter.admit(call, notifier: claim.notifier, now: claim.now)
            {
                putOff += 1
                waiting.append(DeliveryTransaction.Retry(place: stored.place, at: allowedAt, reason: StoreRules.paced))
            } else {
                begun.append((stored, stored.delivery.claimed(until: claim.now + claim.leaseMilliseconds)))
                lastTurn = app
            }
            // When the claim has exhausted its budget of endings, the next turn belongs to the next app.
            if ended == ends { lastTurn = app }
        }
        return (endings, waiting)
    }
}

extension Claim {
    fileprivate var pullInQuery: Query {
        Query(
            ClaimStatements.pullIn, .stored(notifier), .int8(now.stored), .int8(latestPlausibleDue.stored),
            .int8(Int64(StoreRules.pulledInPerClaim))
        )
    }

    /// Queries due deliveries. The result may contain up to nearly twice `limit` rows.
    /// - Parameters:
    ///   - last: the number of the app whose turn was last.
    ///   - apps: the numbers of the apps to search; empty for all apps.
    func dueQuery(
        limit: Int, from start: ClaimFloor.Place, after last: Int32?, of apps: [Int32] = [], without taken: [DeliveryKey] = []
    ) -> Query {
        let rows: [Parameter] = [.int8Array(taken.map(\.event)), .int4Array(taken.map { Int32($0.position) })]
        // 0 is before all apps, because their numbers begin at 1.
        let turns: [Parameter] = [.int4(last ?? 0), .int4Array(apps)]
        return Query(ClaimStatements.due, [.stored(notifier), .int8(now.stored), .int8(Int64(limit))] + rows + start.parameters + turns)
    }
}

/// A row of the view `traced_stories`, with its position in the queue.
struct StoredRow {
    let place: DeliveryTransaction.Place
    let delivery: Delivery
    let needsDevice: Bool

    /// Returns the state and reason with which a due delivery ends without an attempt; nil if it must be attempted.
    func end(expiredBy: UnixMilliseconds) -> (state: Delivery.State, reason: String)? {
        if needsDevice, delivery.device == nil { return (.noTarget, StoreRules.noTarget) }
        return delivery.event.expiresAt <= expiredBy ? (.dead, StoreRules.expired) : nil
    }
}

enum ClaimStatements {
    static let pullIn: StaticString = """
        WITH late AS MATERIALIZED (
            SELECT event, position FROM deliveries WHERE state = 0 AND leads AND notifier = $1 AND due_at > $3
            LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE deliveries SET due_at = $2 FROM late
        WHERE deliveries.event = late.event AND deliveries.position = late.position
        """
    // The first part searches `deliveries_turns` once for each app, of which there are few, and finds the apps with due deliveries. The
    // second part reads the share of each app, in the order of turns, for as many apps as needed. `state < 1` is in the predicate of that
    // index alone, so that the planner cannot choose another index and scan the whole backlog.
    static let due: StaticString = """
        WITH heads AS MATERIALIZED (
            SELECT number AS app, head.due_at, head.event, head.position FROM apps
                CROSS JOIN LATERAL (
                    SELECT due_at, event, position FROM deliveries
                    WHERE state < 1 AND leads IS NOT FALSE AND notifier = $1 AND app = apps.number AND due_at <= $2
                        AND (due_at, event, position) >= ($6, $7, $8)
                        AND (event, position) NOT IN (SELECT * FROM unnest($4::bigint[], $5::integer[]))
                    ORDER BY due_at, event, position LIMIT 1
                ) AS head
            WHERE cardinality($10::integer[]) = 0 OR number = ANY ($10)
        ), asked AS MATERIALIZED (
            SELECT app FROM heads ORDER BY app <= $9, app LIMIT $3
        ), due AS MATERIALIZED (
            SELECT app, found.due_at, found.event, found.position FROM asked
                CROSS JOIN LATERAL (
                    SELECT due_at, event, position FROM deliveries
                    WHERE state < 1 AND leads IS NOT FALSE AND notifier = $1 AND app = asked.app AND due_at <= $2
                        AND (due_at, event, position) >= ($6, $7, $8)
                        AND (event, position) NOT IN (SELECT * FROM unnest($4::bigint[], $5::integer[]))
                    ORDER BY due_at, event, position LIMIT (SELECT ceil($3::numeric / count(*)) FROM asked)
                    FOR NO KEY UPDATE SKIP LOCKED
                ) AS found
        ), turns AS (
            SELECT app, event, position, row_number() OVER (PARTITION BY app ORDER BY due_at, event, position) AS turn FROM due
        )
        SELECT traced_stories.*, first.due_at, first.event, first.position
        FROM turns JOIN traced_stories USING (event, position)
            CROSS JOIN (SELECT due_at, event, position FROM heads ORDER BY due_at, event, position LIMIT 1) AS first
        ORDER BY turn, turns.app <= $9, turns.app
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
